/** The permission point that each operation requires: of the contract (`operations.tsv`), and beyond it. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { allEndpoints } from '#app'
import type { PermissionDomain } from '#db/schema/access.ts'

import { contractMethod, contractPath } from '../contract/table.ts'

export interface OperationAccess {
  method: string
  /** With parameters as `{name}`. */
  path: string
  /** The kinds of `http/endpoint.ts`. */
  kind: string
  /** Empty for `open` and `signedIn`. */
  point: string
  /** A further point of the same domain that the service requires in some cases; usually empty. */
  also: string
}

const lines = readFileSync(join(import.meta.dir, 'operations.tsv'), 'utf8')
  .trimEnd()
  .split('\n')
  .slice(1)

export const operations: OperationAccess[] = lines.map((line) => {
  const [method = '', path = '', kind = '', point = '', also = ''] = line.split('\t')
  return { method, path, kind, point, also }
})

const known = new Set(operations.map(({ method, path }) => `${method} ${path}`))

/** The operations beyond the contract, which no table states: as their records are. */
export const extraOperations: OperationAccess[] = allEndpoints
  .map((endpoint) => ({
    method: contractMethod(endpoint),
    path: contractPath(endpoint),
    kind: endpoint.access.kind,
    point: 'point' in endpoint.access ? endpoint.access.point : '',
    also: '',
  }))
  .filter(({ method, path }) => !known.has(`${method} ${path}`))

/** The points that the operation can require, as `DOMAIN resource:action`. */
export function pointsAskedFor(operation: OperationAccess): string[] {
  const domains: PermissionDomain[] = ({
    app: ['APP'],
    signedUrl: ['APP'],
    org: ['ORG'],
    dual: ['APP', 'ORG'],
    open: ['APP', 'ORG'],
    signedIn: [],
  }[operation.kind] as PermissionDomain[]) ?? ['PLATFORM']
  return [operation.point, operation.also]
    .filter((point) => point !== '')
    .flatMap((point) => domains.map((d) => `${d} ${point}`))
}
