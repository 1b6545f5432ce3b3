/** Measures the operations of a blob store that requests wait for. */

import { timed } from '../spans.ts'
import type { BlobStore } from './port.ts'

const MEASURED = ['put', 'read', 'stat', 'delete'] as const satisfies readonly (keyof BlobStore)[]

export function tracedBlobs(blobs: BlobStore): BlobStore {
  const measured = MEASURED.map((operation) => {
    const run = blobs[operation].bind(blobs) as (...args: unknown[]) => Promise<unknown>
    return [operation, (...args: unknown[]) => timed('file store', { operation }, () => run(...args))]
  })
  return Object.assign(blobs, Object.fromEntries(measured))
}
