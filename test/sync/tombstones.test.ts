/** Old tombstones are deleted, and clients that would miss them start again. */

import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { syncHorizons, syncMappings, syncTombstones } from '#db/schema/sync.ts'
import { recordDeleted } from '#db/tombstones.ts'
import { deleteTombstones } from '#domains/sync/pull/pull.jobs.ts'
import { DAY } from '#platform/clock.ts'

import { inProcess, startServer, useServer } from '../harness/index.ts'
import { Replica, secondDevice, startedNow } from './replica.ts'

const { server } = useServer()

const bury = (ctx: typeof server.ctx, owner: number, ids: readonly number[]) =>
  ctx.db.write('test', async (tx) => {
    await recordDeleted(
      tx,
      'qrCode',
      ids.map((id) => ({ owner, id, version: 2 })),
    )
    return tx.stamp
  })

const tombstonesOf = async (ctx: typeof server.ctx, owner: number): Promise<number[]> => {
  const rows = await ctx.db.read.select().from(syncTombstones).where(eq(syncTombstones.owner, owner))
  return rows.map(({ entityId }) => entityId).toSorted((a, b) => a - b)
}

describe.if(inProcess)('tombstones', () => {
  test('tombstones are kept for 90 days', async () => {
    await using old = await startServer()
    const { ctx } = old
    await bury(ctx, -1, [1, 2, 3])
    old.clock.advance(90 * DAY)
    await bury(ctx, -1, [4])
    await deleteTombstones(ctx)
    expect(await tombstonesOf(ctx, -1)).toEqual([1, 2, 3, 4])
    old.clock.advance(2 * DAY)
    await deleteTombstones(ctx)
    expect(await tombstonesOf(ctx, -1)).toEqual([4])
  })

  test('ids that devices gave to rows are deleted with the tombstones of the rows', async () => {
    await using old = await startServer()
    const { ctx } = old
    const kept = { device: 1, entity: 'scanRecord', localId: 'b', serverId: 1 } as const
    await ctx.db.write('test', async (tx) => {
      await tx.insert(syncMappings).values([{ device: 1, entity: 'qrCode', localId: 'a', serverId: 1 }, kept])
    })
    await bury(ctx, -1, [1])
    await deleteTombstones(ctx)
    expect(await ctx.db.read.select().from(syncMappings)).toHaveLength(2)
    old.clock.advance(92 * DAY)
    await deleteTombstones(ctx)
    expect(await ctx.db.read.select().from(syncMappings)).toMatchObject([kept])
  })

  test('the oldest tombstones of an owner with too many are deleted, and clients behind them must start again', async () => {
    const { ctx } = server
    const [user, other] = [await server.person(), await server.person()]
    const [early, foreign] = [await startedNow(user), await startedNow(other)]
    for (let id = 1; id <= 12; id++) await bury(ctx, -user.id, [id])
    const recent = await startedNow(await secondDevice(server, user))
    await bury(ctx, -user.id, [13])
    await bury(ctx, -other.id, [1, 2])
    await deleteTombstones(ctx, 5)
    // A pull that has begun before may still be reading them.
    expect(await tombstonesOf(ctx, -user.id)).toHaveLength(13)
    expect((await early.page(500, true)).resync).toBe(true)
    expect((await recent.page()).changes.qrCode!.deleted).toEqual([13])
    await deleteTombstones(ctx, 5)
    expect(await tombstonesOf(ctx, -user.id)).toEqual([9, 10, 11, 12, 13])
    expect(await tombstonesOf(ctx, -other.id)).toEqual([1, 2])
    expect((await foreign.page()).changes.qrCode!.deleted).toEqual([1, 2])
    // A client that has started again may page through old stamps.
    const again = new Replica(user)
    await again.pull(1)
    expect((await again.page()).resync).toBe(false)
    const horizons = await ctx.db.read.select().from(syncHorizons)
    expect(horizons.map(({ owner }) => owner)).toEqual([-user.id])
  })

  test('thousands of tombstones with one stamp are deleted in several writes', async () => {
    await using old = await startServer()
    const { ctx } = old
    await bury(
      ctx,
      -1,
      Array.from({ length: 2500 }, (_, i) => i + 1),
    )
    old.clock.advance(92 * DAY)
    await deleteTombstones(ctx)
    expect(await tombstonesOf(ctx, -1)).toEqual([])
  })
})
