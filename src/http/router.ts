/** Finds the endpoint of a request by its method and path, in a radix tree (memoirist, which Elysia uses too). */

import Memoirist from 'memoirist'

import type { AnyEndpoint } from './endpoint.ts'

/** Values of path parameters by their names, percent-decoded. */
export type PathParams = Readonly<Record<string, string>>

export interface Match {
  readonly endpoint: AnyEndpoint
  readonly params: PathParams
}

interface Resource {
  readonly endpoints: Map<string, AnyEndpoint>
}

export class Router {
  // One tree for all methods: a path is looked up once, and a wrong method can be distinguished from an unknown path.
  readonly #tree = new Memoirist<Resource>()

  /** Throws when two records share an id, or a method and path. */
  constructor(endpoints: readonly AnyEndpoint[]) {
    const ids = new Set<string>()
    const resources = new Map<string, Resource>()
    for (const endpoint of endpoints) {
      const { id, method } = endpoint
      if (ids.has(id)) throw new Error(`endpoint ${id} is declared twice`)
      ids.add(id)
      const path = renameParams(endpoint.path)
      let resource = resources.get(path)
      if (resource === undefined) {
        resources.set(path, (resource = { endpoints: new Map() }))
        // Without its history, in which it would search for each path added.
        this.#tree.add(ANY, path, resource, { ignoreHistory: true })
      }
      if (resource.endpoints.has(method)) throw new Error(`endpoint ${method} ${path} is declared twice`)
      resource.endpoints.set(method, endpoint)
      // RFC 9110 §9.3.2: HEAD is GET without the content.
      if (method === 'GET') resource.endpoints.set('HEAD', endpoint)
    }
  }

  /** The endpoint, or the methods that the path allows (none for an unknown path). A slash at the end of a path is ignored. */
  find(method: string, path: string): Match | readonly string[] {
    const found = this.#tree.find(ANY, path) ?? (path.endsWith('/') ? this.#tree.find(ANY, path.slice(0, -1)) : null)
    if (found === null) return []
    const { endpoints } = found.store
    const endpoint = endpoints.get(method)
    return endpoint === undefined
      ? [...endpoints.keys()]
      : { endpoint, params: namedParams(endpoint.path, found.params) }
  }
}

const ANY = 'ANY'
const NO_PARAMS: PathParams = Object.freeze({})

/** memoirist requires one name per position over all routes, and the contract uses several: positions are called `p<index>`. */
const renameParams = (path: string): string =>
  path
    .split('/')
    .map((part, i) => (part.startsWith(':') ? `:p${i}` : part))
    .join('/')

function namedParams(path: string, found: Readonly<Record<string, string>>): PathParams {
  if (!path.includes(':')) return NO_PARAMS
  const named: Record<string, string> = {}
  for (const [i, part] of path.split('/').entries())
    if (part.startsWith(':')) named[part.slice(1)] = decoded(found[`p${i}`] ?? '')
  return named
}

function decoded(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    // Not percent-encoded UTF-8: validation sees the text as it came.
    return text
  }
}
