/** Cases that every storage of the client must pass. They run in Bun and, bundled, in a browser, so they return their findings. */

import { newRow } from '../../examples/sync-client/rows.ts'
import type { Row, Storage } from '../../examples/sync-client/storage.ts'

const EDIT = { data: { name: 'edited' }, baseVersion: 1, updatedAt: 5 }
const row = (localId: string, more: Partial<Row> = {}): Row => ({ ...newRow('category', localId), ...more })
const names = (rows: readonly Row[]) => rows.map(({ entity, localId }) => `${entity}/${localId}`).sort()

export const EXPECTED = {
  emptyState: { since: 0, batch: null, decisions: [] },
  stored: { ...row('a', { serverId: 7, server: { name: 'A' }, edit: EDIT }) },
  byServerId: 'a',
  unknown: [undefined, undefined],
  all: ['category/a', 'category/b', 'qrCode/a'],
  ofEntity: ['category/a', 'category/b'],
  edited: ['category/a', 'qrCode/a'],
  editedAfterChange: ['qrCode/a'],
  afterDeletion: ['category/b', 'qrCode/a'],
  deletedByServerId: undefined,
  failure: 'on purpose',
  afterFailure: [['category/b', 'qrCode/a'], 0],
  since: 20,
}

export async function runCases(storage: Storage): Promise<unknown> {
  const results: Record<string, unknown> = {}
  await storage.transaction(async (tx) => {
    results['emptyState'] = await tx.state()
    await tx.put(row('a', { serverId: 7, server: { name: 'A' }, edit: EDIT }))
    await tx.put(row('b', { serverId: 8 }))
    await tx.put({ ...row('a', { edit: EDIT }), entity: 'qrCode' })
  })
  await storage.transaction(async (tx) => {
    results['stored'] = plain(await tx.get('category', 'a'))
    results['byServerId'] = (await tx.byServerId('category', 7))?.localId
    results['unknown'] = [await tx.get('asset', 'a'), await tx.byServerId('qrCode', 7)]
    results['all'] = names(await tx.rows())
    results['ofEntity'] = names(await tx.rows('category'))
    results['edited'] = names(await tx.edited())
  })
  await storage.transaction(async (tx) => {
    const found = await tx.get('category', 'a')
    await tx.put({ ...found!, edit: null })
    results['editedAfterChange'] = names(await tx.edited())
    await tx.delete(found!)
    results['afterDeletion'] = names(await tx.rows())
    results['deletedByServerId'] = await tx.byServerId('category', 7)
  })
  results['failure'] = await storage
    .transaction(async (tx) => {
      await tx.put(row('c', { edit: EDIT }))
      await tx.delete((await tx.get('category', 'b'))!)
      await tx.setState({ since: 99, batch: null, decisions: [] })
      throw new Error('on purpose')
    })
    .catch((error: Error) => error.message)
  results['afterFailure'] = await storage.transaction(async (tx) => [names(await tx.rows()), (await tx.state()).since])
  // Each reads and then writes: one after the other, or increments are lost.
  await Promise.all(
    Array.from({ length: 20 }, () =>
      storage.transaction(async (tx) => {
        const state = await tx.state()
        await tx.setState({ ...state, since: state.since + 1 })
      }),
    ),
  )
  results['since'] = await storage.transaction(async (tx) => (await tx.state()).since)
  return results
}

/** A row without the keys that a storage adds to it. */
const plain = (found: Row | undefined) =>
  found && Object.fromEntries(Object.keys(newRow('')).map((key) => [key, found[key as keyof Row]]))
