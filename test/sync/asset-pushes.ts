/** Pushes of assets and their categories, and the pulls after them. */

import type { PushRecord, PushResult } from '#domains/sync/push/push.model.ts'

import { ok, type Person } from '../harness/index.ts'
import type { Replica } from './replica.ts'

export const ASSET_ENTITIES: ('asset' | 'assetCategory')[] = ['asset', 'assetCategory']

let counter = 0

/** A record of a change that was made now, with a local id of its own unless one is given. */
export const record = (fields: Partial<PushRecord> & Pick<PushRecord, 'entity'>): PushRecord => ({
  localId: `asset ${++counter}`,
  baseVersion: 0,
  updatedAt: Date.now(),
  ...fields,
})

export const push = async (user: Person, ...records: PushRecord[]): Promise<PushResult[]> =>
  ok(await user.call('sync.push', { body: { records } })).data.results

export const pushOne = async (user: Person, pushed: PushRecord): Promise<PushResult> => (await push(user, pushed))[0]!

export interface Changes {
  readonly asset: { readonly updated: Row[]; readonly deleted: number[] }
  readonly assetCategory: { readonly updated: Row[]; readonly deleted: number[] }
}
type Row = { readonly id: number }

/**
 * Pulls until the device has everything that was written before, and returns it. One pull is not enough on PostgreSQL: it ends before writes
 * that are still running, and those that came after them.
 */
export async function catchUp(device: Replica, limit?: number): Promise<Changes> {
  const last = ok(await device.user.call('categories.create', { body: { name: 'after all other writes' } })).data
    .createdAt
  const all: Changes = { asset: { updated: [], deleted: [] }, assetCategory: { updated: [], deleted: [] } }
  for (;;) {
    const { changes, hasMore } = await device.page(limit)
    for (const name of ['asset', 'assetCategory'] as const) {
      all[name].updated.push(...(changes[name]?.updated ?? []))
      all[name].deleted.push(...(changes[name]?.deleted ?? []))
    }
    if (!hasMore && device.since >= last) return all
  }
}

/** A device that starts now and has everything that was written before. */
export async function caughtUp(device: Replica): Promise<Replica> {
  await catchUp(device, 2000)
  return device
}
