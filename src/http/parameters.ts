/** Query parameters that an operation does not know. They are ignored and named in the answer, or refused if a setting says so. */

import type { TProperties, TSchema } from '@sinclair/typebox'

import { didYouMean, nearest } from '#lib/nearest.ts'

import type { Access, AnyEndpoint } from './endpoint.ts'
import { AppError } from './errors.ts'
import { snake } from './normalize.ts'
import { Type } from './schema.ts'

export const IGNORED_PARAMETERS = 'x-ignored-parameters'

const MAX_NAMES = 10
/** Characters of a name. */
const MAX_NAME = 40

const NONE: readonly string[] = []

/** Without a signature, `expires` of a signed URL has no effect. It is checked like the other parameters all the same. */
export const checkedQuery = (query: TSchema, { kind }: Access): TSchema =>
  kind === 'signedUrl'
    ? Type.Object({ ...(query['properties'] as TProperties), expires: Type.Optional(Type.Integer()) })
    : query

/** The names of the query parameters of one operation. */
export class Parameters {
  /** In camelCase. */
  readonly #names: readonly string[]
  readonly #known: ReadonlySet<string>
  readonly #prefixes: readonly string[]

  constructor({ query, access, opensSocket, readsQuery = [] }: AnyEndpoint) {
    this.#names = [
      ...Object.keys((query?.['properties'] ?? {}) as object),
      ...readsQuery.filter((name) => !name.endsWith('*')),
      ...(access.kind === 'signedUrl' ? ['expires', 'signature'] : []),
      ...(opensSocket ? ['token'] : []),
      // Chooses the language of every answer (caller.ts).
      'lang',
    ]
    this.#known = new Set([...this.#names, ...this.#names.map(snake)])
    this.#prefixes = readsQuery.flatMap((name) => (name.endsWith('*') ? [name.slice(0, -1)] : []))
  }

  has(name: string): boolean {
    return this.#known.has(name)
  }

  /** The names that the operation does not know, as `shown` writes them: MAX_NAMES at most. */
  unknownIn(query: Readonly<Record<string, string>>): readonly string[] {
    let unknown: string[] | undefined
    for (const name in query) {
      if (this.#known.has(name) || this.#prefixes.some((prefix) => name.startsWith(prefix))) continue
      unknown ??= []
      if (unknown.push(shown(name)) === MAX_NAMES) break
    }
    return unknown ?? NONE
  }

  /** The 400 for a request with these names. */
  refusal(unknown: readonly string[]): AppError {
    const hints = unknown.map((name) => {
      const meant = nearest(name, this.#names)
      return { name, en: didYouMean(name, this.#names), zh: meant === undefined ? '' : `，您是否想用 ${meant}？` }
    })
    const [first] = hints
    return new AppError(
      400,
      400,
      { en: `Unknown parameter ${first!.name}${first!.en}`, zh: `未知参数 ${first!.name}${first!.zh}` },
      {
        details: hints.map(({ name, en, zh }) => ({
          path: `query.${name}`,
          text: { en: `is not a parameter of this operation${en}`, zh: `不是此操作的参数${zh}` },
        })),
      },
    )
  }
}

/**
 * A name as headers and messages may contain it, since clients choose it: percent-encoded, which leaves visible ASCII without
 * commas, and MAX_NAME characters of that.
 */
function shown(name: string): string {
  let text = ''
  for (const character of name.slice(0, MAX_NAME).toWellFormed()) {
    const encoded = encodeURIComponent(character)
    if (text.length + encoded.length > MAX_NAME) break
    text += encoded
  }
  return text
}
