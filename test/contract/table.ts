/** The contract: the operations of the interface, and those that this server adds. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import type { AnyEndpoint } from '#http/endpoint.ts'

export interface Operation {
  area: string
  method: string
  path: string
  access: string
}

function rows(file: string): string[][] {
  const lines = readFileSync(join(import.meta.dir, file), 'utf8')
    .trim()
    .split('\n')
  return lines.slice(1).map((line) => line.split('\t'))
}

/** The 375 operations of the interface. */
export const operations: Operation[] = rows('endpoints.tsv').map((r) => ({
  area: r[0]!,
  method: r[1]!,
  path: r[2]!,
  access: r[3]!,
}))

/** Operations that the interface does not have. */
export const extra: Operation[] = rows('extra.tsv').map((r) => ({
  area: 'extra',
  method: r[0]!,
  path: r[1]!,
  access: r[2]!,
}))

/** The path as the contract writes it: `{id}` instead of `:id`. */
export const contractPath = (endpoint: AnyEndpoint): string => endpoint.path.replace(/:(\w+)/g, '{$1}')

/** The contract calls the handshake of a socket WS. */
export const contractMethod = ({ method, opensSocket }: AnyEndpoint): string => (opensSocket ? 'WS' : method)

/** The access of an endpoint in the words of the contract. */
export function contractAccess(endpoint: AnyEndpoint): string {
  if (endpoint.opensSocket) return 'token'
  switch (endpoint.access.kind) {
    case 'open':
      return 'public'
    case 'publisher':
      return 'publisher'
    case 'gate':
      return 'gate'
    case 'key':
      return 'key'
    case 'admin':
    case 'platform':
      return 'admin'
    default:
      return 'login'
  }
}
