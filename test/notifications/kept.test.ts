/** How many notifications a user keeps, and for how long. */

import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { notificationContents, notifications as table } from '#db/schema/notifications.ts'
import { notifications, notify } from '#domains/notifications/index.ts'
import { insertContent, insertNotifications } from '#domains/notifications/notifications.store.ts'
import { removals } from '#domains/removals/index.ts'

import { inProcess, ok, type Person, useServer } from '../harness/index.ts'
import { until } from '../harness/until.ts'
import { counts, list, sendTo, whenSent } from './helpers.ts'

const DAY = 86_400_000

describe.if(inProcess)('the age and number of notifications', () => {
  const { server, admin, alice, bob } = useServer({ people: ['alice', 'bob'] })

  const titled = (title: string) => ({ en: title, zh: title })
  const notifyOnce = (people: readonly Person[], title: string) =>
    server.ctx.db.write('test', (tx) =>
      notify(server.ctx, tx, {
        userIds: people.map(({ id }) => id),
        type: 'SYSTEM',
        title: titled(title),
        body: titled('text'),
      }),
    )
  /** Past the limit of `notify`, as before there was one. */
  const insert = (person: Person, count: number) =>
    server.ctx.db.write('test', async (tx) => {
      for (let i = 0; i < count; i++) {
        const content = { type: 'SYSTEM' as const, title: 'old', body: 'text', data: {} }
        await insertNotifications(tx, await insertContent(tx, content), 'SYSTEM', [person.id])
      }
    })
  const runJobs = async () => {
    for (const job of [...notifications.jobs, ...removals.jobs]) await job.run(server.ctx)
  }
  const rowsOf = (userId: number) => server.ctx.db.read.select().from(table).where(eq(table.userId, userId))

  test('a user keeps 1,000 notifications: each further one deletes the oldest, also from the list and the counts', async () => {
    await insert(alice, 998)
    const [oldest] = (await rowsOf(alice.id)).toSorted((a, b) => a.id - b.id)
    expect(await counts(alice)).toEqual({ total: 998, unread: 998 })
    for (const title of ['one', 'two', 'three', 'four']) await notifyOnce([alice, bob], title)
    expect(await counts(alice)).toEqual({ total: 1000, unread: 1000 })
    expect((await list(alice, { size: 5 })).items.map((n) => n.title)).toEqual(['four', 'three', 'two', 'one', 'old'])
    expect((await alice.call('notifications.detail', { params: { id: oldest!.id } })).status).toBe(404)
    expect((await list(alice, { page: 10 })).items).toHaveLength(100)
    expect((await list(alice, { page: 11 })).items).toHaveLength(0)
    expect(await counts(bob)).toEqual({ total: 4, unread: 4 })
    const contents = await server.ctx.db.read.select({ id: notificationContents.id }).from(notificationContents)
    expect(contents.map(({ id }) => id)).not.toContain(oldest!.contentId)
  })

  test('a user keeps 1,000 notifications after a send by an administrator, when the job has run', async () => {
    const carol = await server.person()
    await insert(carol, 2500)
    await whenSent(admin, (await sendTo(admin, [carol.id], 'For Carol')).id)
    await runJobs()
    expect(await counts(carol)).toEqual({ total: 1000, unread: 1000 })
    expect((await list(carol)).items[0]!.title).toBe('For Carol')
    expect(await counts(alice)).toEqual({ total: 1000, unread: 1000 })
  })

  test('notifications of deleted accounts are deleted soon, by the next run of the job at the latest', async () => {
    const [dan, eve] = [await server.person(), await server.person()]
    await insert(dan, 1000)
    await insert(eve, 2300)
    ok(await dan.call('auth.deleteAccount'))
    await until(async () => (await rowsOf(dan.id)).length === 0)
    ok(await eve.call('auth.deleteAccount'))
    await runJobs()
    expect(await rowsOf(eve.id)).toEqual([])
  })

  test('notifications are kept for 180 days', async () => {
    server.clock.advance(100 * DAY)
    await notifyOnce([bob], 'newer')
    server.clock.advance(81 * DAY)
    await runJobs()
    // Tokens end after 7 days.
    const rows = await rowsOf(bob.id)
    expect(rows).toHaveLength(1)
    expect(await rowsOf(alice.id)).toEqual([])
    const contents = await server.ctx.db.read.select().from(notificationContents)
    expect(contents.filter((c) => c.title !== 'For Carol').map((c) => c.title)).toEqual(['newer'])
    await runJobs()
    expect(await rowsOf(bob.id)).toHaveLength(1)
  })
})
