/** The permission point that each operation of the contract requires (`operations.tsv`). */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import type { PermissionDomain } from '#db/schema/access.ts'

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

/** The points that the operation can require, as `DOMAIN resource:action`. */
export function pointsAskedFor(operation: OperationAccess): string[] {
  const domains: PermissionDomain[] = ({
    app: ['APP'],
    org: ['ORG'],
    dual: ['APP', 'ORG'],
    open: ['APP', 'ORG'],
    signedIn: [],
  }[operation.kind] as PermissionDomain[]) ?? ['PLATFORM']
  return [operation.point, operation.also]
    .filter((point) => point !== '')
    .flatMap((point) => domains.map((d) => `${d} ${point}`))
}
