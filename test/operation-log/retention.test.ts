/** The retention of the operation log: the chain, the head and the list after old rows were deleted. */

import { describe, expect, test } from 'bun:test'

import { asc, eq } from 'drizzle-orm'

import type { AppContext } from '#context'
import { adminLogCheckpoints, adminLogHead, adminLogs } from '#db/schema/operation-log.ts'
import { SLICE_ROWS } from '#db/slices.ts'
import { withStoredLog } from '#db/stored-log.ts'
import { signaturesOf, verifyLog, type Witness } from '#domains/operation-log/index.ts'
import { retentionJob } from '#domains/operation-log/retention.jobs.ts'
import { DAY } from '#platform/clock.ts'

import { createRole } from '../access/helpers.ts'
import { inProcess, ok, startServer, type TestServer } from '../harness/index.ts'
import { storeWith } from '../harness/store.ts'

const rowsOf = (ctx: AppContext) => ctx.db.read.select().from(adminLogs).orderBy(asc(adminLogs.id))
const checkpointsOf = (ctx: AppContext) =>
  ctx.db.read.select().from(adminLogCheckpoints).orderBy(asc(adminLogCheckpoints.id))
const verify = ({ ctx, dataDir }: TestServer, since?: Witness) =>
  withStoredLog({ dataDir, databaseUrl: ctx.config.databaseUrl }, (log) =>
    verifyLog(log, signaturesOf(ctx.seal), { since }),
  )

/** A server that keeps the log for 30 days, with `old` rows of 40 days ago and `recent` rows of now. */
async function serverWith(old: number, recent: number, days = 30) {
  const server = await startServer({
    settings: { 'log.retentionDays': days },
    // The tests run the job themselves.
    domains: (product) => product.map((domain) => (domain.name === 'operation-log' ? { ...domain, jobs: [] } : domain)),
  })
  let admin = await server.admin()
  for (let i = 0; i < old; i++) await createRole(admin)
  server.clock.advance(40 * DAY)
  admin = await server.admin()
  for (let i = 0; i < recent; i++) await createRole(admin)
  return { server, admin, ctx: server.ctx }
}

describe.if(inProcess)('the retention of the operation log', () => {
  test('deletes the rows that are too old, with a checkpoint from which the chain continues', async () => {
    const { server, ctx, admin } = await serverWith(5, 3)
    await using _ = server
    const before = await rowsOf(ctx)
    await retentionJob.run(ctx)
    expect(await rowsOf(ctx)).toEqual(before.slice(5))
    const last = { id: 5, hash: before[4]!.hash }
    expect(await checkpointsOf(ctx)).toMatchObject([{ id: 1, rowId: 5, hash: last.hash, rowCount: 5 }])
    expect(await verify(server, last)).toMatchObject({ rows: 3, checkpoint: { ...last, deleted: 5 }, fault: undefined })
    expect((await verify(server, { ...last, id: 4 })).fault?.message).toContain('deleted by the retention')
    // Nothing more is due.
    await retentionJob.run(ctx)
    expect(await checkpointsOf(ctx)).toHaveLength(1)
    await createRole(admin)
    expect(await verify(server)).toMatchObject({ rows: 4, head: { id: 9 }, fault: undefined })
    const page = ok(await admin.call('operationLog.list', { query: { size: 3, page: 2 } })).data
    expect(page).toMatchObject({ total: 4, items: [{ id: 6 }] })
    expect(ok(await admin.call('operationLog.list', { query: { action: 'ROLE_CREATE' } })).data.total).toBe(4)
  })

  test('keeps the newest row however old it is, and everything if the setting is 0', async () => {
    const { server, ctx } = await serverWith(3, 0)
    await using _ = server
    await retentionJob.run(ctx)
    expect((await rowsOf(ctx)).map(({ id }) => id)).toEqual([3])
    expect((await verify(server)).fault).toBeUndefined()

    const kept = await serverWith(3, 0, 0)
    await using _kept = kept.server
    await retentionJob.run(kept.ctx)
    expect(await rowsOf(kept.ctx)).toHaveLength(3)
  })

  test('deletes in steps, and the log is whole after each of them', async () => {
    const { server, ctx } = await serverWith(405, 0)
    await using _ = server
    // The server is stopping.
    ctx.lifecycle.draining = true
    await retentionJob.run(ctx)
    expect(await rowsOf(ctx)).toHaveLength(405)
    // It is stopped after the first step.
    const stopping: AppContext = {
      ...ctx,
      lifecycle: { ...ctx.lifecycle, draining: false },
      db: storeWith(ctx.db, {
        write: async (...given) => {
          const result = await ctx.db.write(...given)
          stopping.lifecycle.draining = true
          return result
        },
      }),
    }
    await retentionJob.run(stopping)
    expect((await rowsOf(ctx))[0]!.id).toBe(SLICE_ROWS + 1)
    expect((await verify(server)).fault).toBeUndefined()
    ctx.lifecycle.draining = false
    await retentionJob.run(ctx)
    expect((await checkpointsOf(ctx)).map(({ rowId }) => rowId)).toEqual([SLICE_ROWS, 404])
    expect(await verify(server)).toMatchObject({ rows: 1, fault: undefined })
  })

  test('deletes nothing while the rows are not those that were written', async () => {
    const { server, ctx } = await serverWith(4, 1)
    await using _ = server
    const [head] = await ctx.db.read.select().from(adminLogHead)
    const [row] = await rowsOf(ctx)
    const copy = { ...row!, id: 0 }
    await ctx.db.write('test', async (tx) => void (await tx.insert(adminLogs).values(copy)))
    const error = await retentionJob.run(ctx).catch((caught: unknown) => caught)
    expect(String(error)).toContain('row 0 of the operation log was changed')
    expect(await rowsOf(ctx)).toHaveLength(6)
    expect(await checkpointsOf(ctx)).toEqual([])
    expect(await ctx.db.read.select().from(adminLogHead)).toEqual([head!])
  })

  test('is the only way to delete rows: the database refuses others, and changes of head and checkpoints', async () => {
    const { server, ctx } = await serverWith(2, 2)
    await using _ = server
    await retentionJob.run(ctx)
    const { db } = ctx
    const state = async () => [
      await rowsOf(ctx),
      await checkpointsOf(ctx),
      await ctx.db.read.select().from(adminLogHead),
    ]
    const before = await state()
    const checkpoint = { id: 2, rowId: 4, hash: 'x', rowCount: 4, createdAt: 1, signature: 'x' }
    const attempts = [
      () => db.write('test', async (tx) => void (await tx.delete(adminLogs).where(eq(adminLogs.id, 3)))),
      () => db.write('test', async (tx) => void (await tx.insert(adminLogCheckpoints).values(checkpoint))),
      () => db.write('test', async (tx) => void (await tx.update(adminLogCheckpoints).set({ rowId: 3 }))),
      () => db.write('test', async (tx) => void (await tx.delete(adminLogCheckpoints))),
      () => db.write('test', async (tx) => void (await tx.update(adminLogHead).set({ rowId: 3 }))),
      () => db.write('test', async (tx) => void (await tx.delete(adminLogHead))),
    ]
    for (const [i, attempt] of attempts.entries()) {
      const error = await attempt().catch((caught: unknown) => caught)
      expect(String((error as Error | undefined)?.message), `attempt ${i}`).toMatch(/cannot/)
    }
    expect(await state()).toEqual(before)
  })
})
