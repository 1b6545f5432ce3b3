/** Pulls of a user's own rows: pages, lost answers, resync, and bad input. */

import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import type { AppContext } from '#context'
import { dialect } from '#db/dialect.ts'
import { qrCodes } from '#db/schema/qr-codes.ts'
import { syncHorizons, syncTombstones } from '#db/schema/sync.ts'
import { DAY } from '#platform/clock.ts'

import { send } from '../harness/client.ts'
import { inProcess, ok, type Person, startServer, useServer } from '../harness/index.ts'
import { addMembers, createOrg } from '../orgs/helpers.ts'
import { createCategory, createCode } from '../qr-codes/helpers.ts'
import { pullPage, Replica, type Row, startedNow } from './replica.ts'

const { server, alice, bob } = useServer({ people: ['alice', 'bob'] })

const createScan = async (user: Person, content: string): Promise<number> =>
  ok(await user.call('scanRecords.create', { body: { content } })).data!.id

const trash = async (user: Person, id: number) => ok(await user.call('qrCodes.delete', { params: { id } }))

/** Signs in again on the same device. */
async function renew(url: string, user: Person): Promise<void> {
  const body = { account: user.username, password: user.password }
  const headers = { 'x-device-id': user.deviceId }
  user.token = ok(await send(url, 'POST', '/api/auth/login', { body, headers })).data.accessToken
}

/** Starts a write that has changed the code and commits when `release` is called. */
async function holdChange({ db }: AppContext, id: number) {
  const released = Promise.withResolvers<void>()
  const changed = Promise.withResolvers<number>()
  const committed = db.write('test.hold', async (tx) => {
    const { stamp: updatedAt } = tx
    await tx.update(qrCodes).set({ name: 'earlier stamp', version: 2, updatedAt }).where(eq(qrCodes.id, id))
    changed.resolve(updatedAt)
    await released.promise
  })
  return { stamp: await changed.promise, release: released.resolve, committed }
}

async function withRows(count: number): Promise<Person> {
  const user = await server.person()
  const category = await createCategory(user, 'menus')
  for (let i = 0; i < count; i++) {
    const { id } = await createCode(user, { categoryId: i % 3 === 0 ? category : null })
    if (i % 5 === 4) await trash(user, id)
    if (i % 4 === 0) await createScan(user, `scan ${i}`)
  }
  return user
}

describe('pages', () => {
  test('pages of every size give the same rows as one pull of all', async () => {
    const user = await withRows(23)
    const whole = await startedNow(user)
    expect(whole.ids('qrCode')).toHaveLength(19)
    expect(whole.ids('scanRecord')).toHaveLength(6)
    expect(whole.ids('category')).toHaveLength(1)
    for (const limit of [1, 2, 3, 7, 26, 27, 100]) {
      const paged = new Replica(user)
      const pages = await paged.pull(limit)
      expect(paged.state()).toEqual(whole.state())
      // Codes in the trash take a place on a page, although a client that starts has nothing to delete.
      expect(pages).toBeLessThanOrEqual(Math.ceil(31 / limit) + 1)
      if (limit < 26) expect(pages).toBeGreaterThan(1)
    }
  })

  test('a row comes with its version, and as the endpoint shows it', async () => {
    const user = await server.person()
    const code = await createCode(user, { name: 'Menu' })
    const body = { name: 'Menu 2' }
    const { warnings: _, ...changed } = ok(await user.call('qrCodes.update', { params: { id: code.id }, body })).data
    const page = await pullPage(user, 0)
    expect(page.changes.qrCode!.updated).toEqual([changed])
    expect(page.changes.qrCode!.updated[0]).toMatchObject({ name: 'Menu 2', version: 2, orgId: null })
  })

  test('a pull without changes gives empty lists and keeps the stamp', async () => {
    const replica = await startedNow(alice)
    const page = await pullPage(alice, replica.since)
    expect(page).toMatchObject({ hasMore: false, resync: false })
    expect(page.serverTime).toBeGreaterThanOrEqual(replica.since)
    for (const changes of Object.values(page.changes)) expect(changes).toEqual({ updated: [], deleted: [] })
  })

  test('only the rows that changed come again, and other users get none of them', async () => {
    const user = await withRows(5)
    const [replica, other] = [await startedNow(user), await startedNow(bob)]
    const code = await createCode(user)
    const page = await replica.page()
    expect(page.changes.qrCode!.updated.map(({ id }) => id)).toEqual([code.id])
    expect(page.changes.scanRecord!.updated).toEqual([])
    const theirs = await other.page()
    expect(Object.values(theirs.changes).every(({ updated, deleted }) => updated.length + deleted.length === 0)).toBe(
      true,
    )
  })

  test('rows of one write are never divided: an import comes on one page whatever the limit is', async () => {
    const user = await server.person()
    await createCode(user)
    const replica = await startedNow(user)
    const items = Array.from({ length: 40 }, (_, i) => ({ name: `imported ${i}`, content: `imported ${i}` }))
    ok(await user.call('qrCodes.createBatch', { body: { items } }))
    await createCode(user)
    const first = await replica.page(5)
    expect(first.hasMore).toBe(true)
    expect(first.changes.qrCode!.updated).toHaveLength(40)
    const second = await replica.page(5)
    expect(second.hasMore).toBe(false)
    expect(second.changes.qrCode!.updated).toHaveLength(1)
  })

  test('a page that ends with the last change is the last one', async () => {
    const user = await server.person()
    for (let i = 0; i < 4; i++) await createCode(user)
    expect(await new Replica(user).pull(2)).toBe(2)
    expect(await new Replica(user).pull(4)).toBe(1)
  })

  test('trashed, restored and purged codes come as deleted and updated', async () => {
    const user = await server.person()
    const [a, b] = [await createCode(user), await createCode(user)]
    const replica = await startedNow(user)
    await trash(user, a.id)
    expect((await replica.page()).changes.qrCode).toEqual({ updated: [], deleted: [a.id] })
    ok(await user.call('qrCodes.restore', { params: { id: a.id } }))
    expect((await replica.page()).changes.qrCode!.updated.map(({ id }) => id)).toEqual([a.id])
    await trash(user, a.id)
    await trash(user, b.id)
    ok(await user.call('qrCodes.emptyTrash'))
    const { updated, deleted } = (await replica.page()).changes.qrCode!
    expect([updated, deleted.toSorted((x, y) => x - y)]).toEqual([[], [a.id, b.id]])
  })

  test('a code that is trashed and restored between two pulls comes as updated only', async () => {
    const user = await server.person()
    const code = await createCode(user)
    const replica = await startedNow(user)
    await trash(user, code.id)
    ok(await user.call('qrCodes.restore', { params: { id: code.id } }))
    const { updated, deleted } = (await replica.page()).changes.qrCode!
    expect([updated.map(({ id }) => id), deleted]).toEqual([[code.id], []])
  })
})

describe('unreliable clients', () => {
  test('an answer that was lost comes again', async () => {
    const user = await withRows(12)
    const replica = new Replica(user)
    for (let i = 0; ; i++) {
      const lost = await replica.page(4, true)
      const again = await replica.page(4)
      expect(again).toEqual(lost)
      if (!again.hasMore) break
    }
    expect(replica.state()).toEqual((await startedNow(user)).state())
  })

  test('rows that change while a client pages are not lost', async () => {
    const user = await withRows(20)
    const replica = new Replica(user)
    const ids = (await startedNow(user)).ids('qrCode')
    let edits = 0
    for (;;) {
      const editing = Promise.all([
        user.call('qrCodes.update', { params: { id: ids[edits % ids.length]! }, body: { remark: `edit ${edits}` } }),
        createCode(user),
        edits % 2 === 0
          ? trash(user, ids[(edits * 7) % ids.length]!).catch(() => undefined)
          : createScan(user, `s${edits}`),
      ])
      const { hasMore } = await replica.page(3)
      await editing
      edits++
      if (!hasMore || edits > 40) break
    }
    await replica.pull(3)
    expect(replica.state()).toEqual((await startedNow(user)).state())
  })

  test('fifty pulls of new devices at once all get everything', async () => {
    const user = await withRows(10)
    const expected = (await startedNow(user)).state()
    const states = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const replica = new Replica(user)
        await replica.pull(5)
        return replica.state()
      }),
    )
    for (const state of states) expect(state).toEqual(expected)
  })
})

// On SQLite, writes run one after the other and commit in the order of their stamps. Each test has a server of its own: after many conflicts,
// a server lets only one write run at a time, and it would wait for the one that the test holds.
describe('writes that take long', () => {
  test.if(inProcess && dialect === 'postgres')(
    'a change with an earlier stamp that commits later than others is not skipped',
    async () => {
      await using fresh = await startServer()
      const user = await fresh.person()
      const [early, other] = [await createCode(user), await createCode(user)]
      const replica = await startedNow(user)
      const held = await holdChange(fresh.ctx, early.id)
      ok(await user.call('qrCodes.update', { params: { id: other.id }, body: { name: 'later stamp' } }))
      for (let i = 0; i < 3; i++) {
        await replica.page()
        expect(replica.since).toBeLessThan(held.stamp)
      }
      held.release()
      await held.committed
      await replica.pull()
      expect(replica.since).toBeGreaterThan(held.stamp)
      const names = [...replica.rows.get('qrCode')!.values()].map((row) => (row as Row & { name: string }).name)
      expect(names.toSorted()).toEqual(['earlier stamp', 'later stamp'])
      expect(replica.state()).toEqual((await startedNow(user)).state())
    },
  )

  test.if(inProcess && dialect === 'postgres')(
    'rows of a joined organization whose write commits later are not skipped either',
    async () => {
      await using fresh = await startServer()
      const [user, owner] = [await fresh.person(), await fresh.person()]
      const org = await createOrg(owner)
      const [early] = [await createCode(owner, { orgId: org.id } as object)]
      const replica = await startedNow(user)
      const held = await holdChange(fresh.ctx, early.id)
      await addMembers(owner, org, user)
      await replica.page()
      expect(replica.ids('qrCode')).toEqual([])
      held.release()
      await held.committed
      await replica.pull()
      const [row] = replica.rows.get('qrCode')!.values()
      expect(row).toMatchObject({ id: early.id, name: 'earlier stamp' })
    },
  )

  test.if(inProcess && dialect === 'postgres')(
    'a pull waits for a short write of others, so that it has what was answered before it',
    async () => {
      await using fresh = await startServer()
      const [user, other] = [await fresh.person(), await fresh.person()]
      const [own, foreign] = [await createCode(user), await createCode(other)]
      const replica = await startedNow(user)
      const held = await holdChange(fresh.ctx, foreign.id)
      ok(await user.call('qrCodes.update', { params: { id: own.id }, body: { name: 'answered' } }))
      const pulling = replica.page()
      await Bun.sleep(20)
      held.release()
      expect((await pulling).changes.qrCode!.updated).toMatchObject([{ id: own.id, name: 'answered' }])
      await held.committed
    },
  )
})

describe('entities and limits', () => {
  test('only the entities that were asked for are in the answer', async () => {
    const user = await withRows(5)
    const reply = ok(await user.get('/api/sync/pull', { since: 0, entities: 'category,qrCode' }))
    expect(Object.keys(reply.data.changes).toSorted()).toEqual(['category', 'qrCode'])
    expect(reply.data.changes.qrCode.updated).toHaveLength(4)
    expect(Object.keys(ok(await user.get('/api/sync/pull', { since: 0, entities: '' })).data.changes)).toHaveLength(6)
  })

  test.each([
    ['no since', {}],
    ['an empty since', { since: '' }],
    ['a negative since', { since: -1 }],
    ['a since that is not an integer', { since: '1.5' }],
    ['a since that is a date', { since: '2026-01-01T00:00:00Z' }],
    ['a limit of 0', { since: 0, limit: 0 }],
    ['a limit above 2,000', { since: 0, limit: 2001 }],
    ['an unknown entity', { since: 0, entities: 'qrCode,pass' }],
    ['an organization that is not an id', { since: 0, orgId: 0 }],
  ])('%s is refused with 400', async (_, query) => {
    expect((await alice.get('/api/sync/pull', query as Record<string, string>)).status).toBe(400)
  })

  test('a pull needs a token and the point sync:pull', async () => {
    expect((await server.request('GET', '/api/sync/pull?since=0')).status).toBe(401)
  })
})

describe('resync', () => {
  test('a stamp of the future is answered with resync and empty lists', async () => {
    const page = await pullPage(alice, 4_000_000_000_000)
    expect(page).toMatchObject({ resync: true, hasMore: false })
    for (const changes of Object.values(page.changes)) expect(changes).toEqual({ updated: [], deleted: [] })
  })

  test.if(inProcess)(
    'a client that pulled last 90 days ago must start again, and one of 89 days ago need not',
    async () => {
      await using old = await startServer()
      const user = await old.person()
      const code = await createCode(user)
      const replica = await startedNow(user)
      old.clock.advance(89 * DAY)
      await renew(old.url, user)
      await createCode(user)
      expect((await replica.page(500, true)).resync).toBe(false)
      old.clock.advance(2 * DAY)
      await renew(old.url, user)
      const page = await replica.page(500, true)
      expect(page).toMatchObject({ resync: true, hasMore: false })
      // It starts again: old rows have old stamps, and paging through them is no reason to start once more.
      const again = new Replica(user)
      expect(await again.pull(1)).toBeGreaterThan(1)
      expect(again.ids('qrCode')).toContain(code.id)
    },
  )

  test.if(inProcess)(
    'a client that pulls every 60 days is never asked to start again while nobody writes',
    async () => {
      await using idle = await startServer()
      const user = await idle.person()
      const code = await createCode(user)
      const replica = await startedNow(user)
      for (let n = 0; n < 4; n++) {
        idle.clock.advance(60 * DAY)
        await renew(idle.url, user)
        // The replica refuses a page with `resync`.
        expect(await replica.pull()).toBe(1)
      }
      const other = await idle.person()
      await renew(idle.url, other)
      await createCode(other)
      const { id } = await createCode(user)
      await replica.pull()
      expect(replica.ids('qrCode')).toEqual([code.id, id])
    },
  )

  test.if(inProcess)(
    'a client that was away for 100 days must start again once, also while nobody writes',
    async () => {
      await using idle = await startServer()
      const user = await idle.person()
      const replica = await startedNow(user)
      idle.clock.advance(100 * DAY)
      await renew(idle.url, user)
      expect((await replica.page(500, true)).resync).toBe(true)
      const again = await startedNow(user)
      for (const days of [0, 60, 60]) {
        idle.clock.advance(days * DAY)
        await renew(idle.url, user)
        await again.pull()
      }
    },
  )

  test.if(inProcess)('a client behind the tombstones that were deleted early must start again', async () => {
    const user = await server.person()
    await createCode(user)
    const replica = await startedNow(user)
    const horizon = replica.since + 1
    await server.ctx.db.write('test', async (tx) => {
      await tx.insert(syncHorizons).values({ owner: -user.id, stamp: horizon })
      await tx
        .insert(syncTombstones)
        .values({ owner: -user.id, stamp: horizon, entity: 'qrCode', entityId: 1, version: 1 })
    })
    await createCode(user)
    expect((await replica.page(500, true)).resync).toBe(true)
    const other = await startedNow(alice)
    expect((await other.page()).resync).toBe(false)
    const again = await startedNow(user)
    expect((await again.page()).resync).toBe(false)
  })
})
