import { LRUCache } from 'lru-cache'

import { type AppContext, perContext } from '#context'
import { mapPage, type Page, type PageInput } from '#db/paging.ts'
import type { Actor } from '#http/endpoint.ts'
import type { Static } from '#http/schema.ts'
import type { MaybePromise } from '#lib/maybe-promise.ts'
import { MINUTE } from '#platform/clock.ts'

import type { SyncDevice } from './devices.model.ts'
import * as store from './devices.store.ts'

/** About 200 bytes each. */
const MAX_KEPT = 20_000

/** Ids of devices by user and key. A row never changes its id; it is deleted with its user only. */
const known = perContext(() => new LRUCache<string, number>({ max: MAX_KEPT }))

/** The id in `sync_devices` of the device of this session. A device gets its row when it first pulls or pushes. */
export function deviceOf(ctx: AppContext, { userId, deviceKey }: Actor): MaybePromise<number> {
  const cache = known(ctx)
  const key = `${userId} ${deviceKey}`
  return cache.get(key) ?? findOrInsert(ctx, userId, deviceKey).then((id) => (cache.set(key, id), id))
}

async function findOrInsert(ctx: AppContext, userId: number, deviceKey: string): Promise<number> {
  const device = { userId, deviceKey }
  const found = await store.findDevice(ctx.db.read, device)
  if (found !== undefined) return found
  return await ctx.db.write(
    'sync.addDevice',
    async (tx) => (await store.insertDevice(tx, device, ctx.clock.now())) ?? (await store.findDevice(tx, device))!,
  )
}

/** Activity is written at most this often. */
const FLUSH_EVERY = MINUTE
/** Rows in one write: a few milliseconds. */
const BATCH = 500

interface Activity {
  /** By the id of the device, since the last flush. */
  noted: Map<number, store.LastTimes>
  /** Times that the running flush has not written yet. */
  leaving: Map<number, store.LastTimes>
  nextFlush: number
  flushing: Promise<void>
}

const activity = perContext((ctx): Activity => ({
  noted: new Map(),
  leaving: new Map(),
  nextFlush: ctx.clock.now() + FLUSH_EVERY,
  flushing: Promise.resolve(),
}))

/** Times are kept in memory and written in batches: a pull must not cost a write. */
function note(ctx: AppContext, device: number, times: store.LastTimes): void {
  const state = activity(ctx)
  state.noted.set(device, { ...state.noted.get(device), ...times })
  if (ctx.clock.now() >= state.nextFlush) void flushDevices(ctx)
}

export const notePull = (ctx: AppContext, device: number): void => note(ctx, device, { lastPullAt: ctx.clock.now() })
export const notePush = (ctx: AppContext, device: number): void => note(ctx, device, { lastPushAt: ctx.clock.now() })

/** Writes the times in memory. Failures are logged; they lose at most a minute of them. */
export function flushDevices(ctx: AppContext): Promise<void> {
  const state = activity(ctx)
  state.nextFlush = ctx.clock.now() + FLUSH_EVERY
  state.flushing = state.flushing.then(() => flush(ctx, state))
  return state.flushing
}

async function flush(ctx: AppContext, state: Activity): Promise<void> {
  if (state.noted.size === 0) return
  const rows = [...state.noted]
  state.leaving = state.noted
  state.noted = new Map()
  try {
    for (let from = 0; from < rows.length; from += BATCH)
      await ctx.db.write('sync.flushDevices', async (tx) => {
        // Taking the stamp lets the next pulls continue from it, so that clients of a server without changes do not fall behind.
        void tx.stamp
        for (const [device, times] of rows.slice(from, from + BATCH)) await store.saveTimes(tx, device, times)
      })
  } catch (error) {
    ctx.log.error('last pulls and pushes of devices could not be written', { error })
  }
  state.leaving = new Map()
}

type DeviceView = Static<typeof SyncDevice>

/** Devices of an answer without pages. */
const MAX_DEVICES = 100

export const listDevices = async (ctx: AppContext, userId: number): Promise<DeviceView[]> =>
  (await listDevicesOf(ctx, userId, { page: 1, size: MAX_DEVICES })).items

export async function listDevicesOf(ctx: AppContext, userId: number, page: PageInput): Promise<Page<DeviceView>> {
  const [rows, open] = await Promise.all([
    store.devicesOf(ctx.db.read, userId, page),
    store.openConflicts(ctx.db.read, userId),
  ])
  const { noted, leaving } = activity(ctx)
  return mapPage(rows, ({ id, deviceKey, deviceName, ...written }) => {
    // The times of other processes are written within a minute.
    const { lastPullAt, lastPushAt } = { ...written, ...leaving.get(id), ...noted.get(id) }
    return {
      deviceId: deviceKey,
      deviceName: deviceName ?? '',
      lastPullAt,
      lastPushAt,
      pendingConflicts: open.get(id) ?? 0,
    }
  })
}
