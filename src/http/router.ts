/** Finds the target of a request by its method and path, in a radix tree (memoirist, which Elysia uses too). */

import Memoirist from 'memoirist'

import type { AnyEndpoint } from './endpoint.ts'

/** Values of path parameters by their names, percent-decoded. */
export type PathParams = Readonly<Record<string, string>>

export interface Match<Target> {
  readonly target: Target
  readonly params: PathParams
}

interface Entry<Target> {
  readonly endpoint: AnyEndpoint
  /** Names of the path's parameters, and under which name the tree has each. */
  readonly names: readonly (readonly [name: string, position: string])[]
  target: Target | undefined
}

/** The operations of one path, by method. */
type Resource<Target> = Map<string, Entry<Target>>

const ANY = 'ANY'
const NO_PARAMS: PathParams = Object.freeze({})

export class Router<Target> {
  // One tree for all methods: a path is looked up once, and a wrong method can be distinguished from an unknown path.
  readonly #tree = new Memoirist<Resource<Target>>()

  /**
   * `create` is called for an endpoint when a request first asks for it: compiling the validators of operations that are never called
   * would cost start time and memory. Throws when two records share an id, or a method and path.
   */
  constructor(
    endpoints: readonly AnyEndpoint[],
    readonly create: (endpoint: AnyEndpoint) => Target,
  ) {
    const ids = new Set<string>()
    const resources = new Map<string, Resource<Target>>()
    for (const endpoint of endpoints) {
      const { id, method } = endpoint
      if (ids.has(id)) throw new Error(`endpoint ${id} is declared twice`)
      ids.add(id)
      const path = renameParams(endpoint.path)
      let resource = resources.get(path)
      if (resource === undefined) {
        resources.set(path, (resource = new Map()))
        // Without its history, in which it would search for each path added.
        this.#tree.add(ANY, path, resource, { ignoreHistory: true })
      }
      if (resource.has(method)) throw new Error(`endpoint ${method} ${path} is declared twice`)
      const entry = { endpoint, names: paramNames(endpoint.path), target: undefined }
      resource.set(method, entry)
      // RFC 9110 §9.3.2: HEAD is GET without the content.
      if (method === 'GET') resource.set('HEAD', entry)
    }
  }

  /** The target, or the methods that the path allows (none for an unknown path). A slash at the end of a path is ignored. */
  find(method: string, path: string): Match<Target> | readonly string[] {
    const found = this.#tree.find(ANY, path) ?? (path.endsWith('/') ? this.#tree.find(ANY, path.slice(0, -1)) : null)
    if (found === null) return []
    const entry = found.store.get(method)
    if (entry === undefined) return [...found.store.keys()]
    const target = (entry.target ??= this.create(entry.endpoint))
    if (entry.names.length === 0) return { target, params: NO_PARAMS }
    const params: Record<string, string> = {}
    for (const [name, position] of entry.names) params[name] = decoded(found.params[position] as string)
    return { target, params }
  }
}

/** memoirist requires one name per position over all routes, and the contract uses several: positions are called `p<index>`. */
const renameParams = (path: string): string =>
  path
    .split('/')
    .map((part, i) => (part.startsWith(':') ? `:p${i}` : part))
    .join('/')

const paramNames = (path: string): (readonly [string, string])[] =>
  path.split('/').flatMap((part, i) => (part.startsWith(':') ? [[part.slice(1), `p${i}`] as const] : []))

function decoded(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    // Not percent-encoded UTF-8: validation sees the text as it came.
    return text
  }
}
