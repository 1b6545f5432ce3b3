/** The limits that keep forms of guests from harm, and many guests behind one address from being refused. */

import { describe, expect, test } from 'bun:test'

import { inArray } from 'drizzle-orm'

import { registrations } from '#db/schema/activities.ts'
import { setSetting } from '#domains/settings/index.ts'
import { HOUR, MINUTE, SECOND } from '#platform/clock.ts'

import { useWorld } from '../accounts/helpers.ts'
import { inProcess, ok, type Reply } from '../harness/index.ts'
import { act, newAddress, openToGuests, readPage, ripeToken, secretFor, sendForm } from './guest-helpers.ts'
import { list } from './registering.ts'

const world = useWorld({ rateLimit: true })
let venues = 0
/** Everyone at one place. */
const venue = (): Record<string, string> => ({ 'x-forwarded-for': `203.0.113.${++venues}` })

const refusalOf = ({ status, headers, message }: Reply) => ({
  status,
  waits: Number(headers.get('retry-after')) > 0,
  says: message.length > 10,
})
const REFUSED = { status: 429, waits: true, says: true }

describe.if(inProcess)('forms of guests', () => {
  test('from 1,000 people behind one address in ten minutes are all accepted for 600 places, and their pages too; no more are', async () => {
    const alice = await world.withEmail()
    const activity = await openToGuests(world.server, alice, { capacity: 600, waitlist: true })
    const headers = venue()
    const { server } = world
    const send = (path: string, body?: unknown) =>
      server.request(body === undefined ? 'GET' : 'POST', path, {
        headers: { ...headers, accept: 'application/json' },
        ...(body !== undefined && { body }),
      })
    const people: string[] = []
    for (let minute = 0; minute < 10; minute++) {
      const tokens: string[] = []
      for (let i = 0; i < 100; i++) {
        const page = await fetch(`${server.url}/s/activity/${activity.uuid}`, { headers })
        expect(page.status).toBe(200)
        tokens.push(/name="formToken" value="([^"]+)"/.exec(await page.text())![1]!)
      }
      server.clock.advance(3 * SECOND)
      for (const formToken of tokens) {
        const email = newAddress()
        people.push(email)
        ok(await sendForm(server, activity, { email, formToken }, headers))
      }
      // Their mails are on the way.
      const rows = await server.ctx.db.read
        .select()
        .from(registrations)
        .where(inArray(registrations.email, people.slice(-100)))
      expect(rows).toHaveLength(100)
      for (const row of rows) {
        const secret = server.ctx.seal.open(row.secret!)!
        ok(await send(`/s/registration/${secret}`))
        ok(await send(`/s/registration/${secret}`, { action: 'confirm' }))
        ok(await send(`/s/registration/${secret}`))
      }
      server.clock.advance(57 * SECOND)
    }
    const { stats } = ok(await alice.call('activities.get', { params: { id: activity.id } })).data
    expect(stats!.registrations).toEqual({ confirmed: 600, waiting: 400 })
    // A day's worth, while people elsewhere go on.
    const formToken = await ripeToken(server, activity, headers)
    expect(refusalOf(await sendForm(server, activity, { formToken }, headers))).toEqual(REFUSED)
    ok(await sendForm(server, activity, { formToken }, venue()))
  })

  test('are refused beyond 200 a minute from one address, while others go on', async () => {
    const alice = await world.withEmail()
    const activity = await openToGuests(world.server, alice)
    const headers = venue()
    const formToken = await ripeToken(world.server, activity, headers)
    const statuses: number[] = []
    for (let i = 0; i < 205; i++) {
      const reply = await sendForm(world.server, activity, { formToken }, headers)
      statuses.push(reply.status)
      if (i >= 200) expect(refusalOf(reply)).toEqual(REFUSED)
    }
    // A token is good for five forms, and the others count too.
    expect(statuses.filter((status) => status === 200)).toHaveLength(5)
    const other = venue()
    ok(await sendForm(world.server, activity, { formToken: await ripeToken(world.server, activity, other) }, other))
  })

  test('for one mailbox send three links a day, and the answer is the same with and without a registration', async () => {
    const alice = await world.withEmail()
    const [activity, other] = [await openToGuests(world.server, alice), await openToGuests(world.server, alice)]
    const email = newAddress()
    const replies: Reply[] = []
    for (let i = 0; i < 50; i++) {
      const headers = venue()
      const to = i % 2 === 0 ? activity : other
      const formToken = await ripeToken(world.server, to, headers)
      replies.push(await sendForm(world.server, to, { email, formToken }, headers))
    }
    expect(replies.slice(0, 3).map(({ data }) => data)).toEqual(
      Array.from({ length: 3 }, () => ({ state: 'CHECK_MAIL' })),
    )
    for (const reply of replies.slice(3)) expect(refusalOf(reply)).toEqual(REFUSED)
    await world.allDelivered()
    expect(world.gateways.mails.filter(({ to }) => to === email)).toHaveLength(3)
    const link = (address: string) =>
      world.server.request('POST', `/public/activities/${activity.uuid}/guests/link`, {
        body: { email: address },
        headers: { ...venue(), accept: 'application/json' },
      })
    expect(refusalOf(await link(email))).toEqual(REFUSED)
    const stranger = newAddress()
    const asked: number[] = []
    for (let i = 0; i < 4; i++) asked.push((await link(stranger)).status)
    expect(asked).toEqual([200, 200, 200, 429])
  })

  test('of a flood fill one activity only; its old ones give way, and the organizer is notified once', async () => {
    const alice = await world.withEmail()
    const [activity, calm] = [
      await openToGuests(world.server, alice, { capacity: 1, waitlist: true }),
      await openToGuests(world.server, alice),
    ]
    const { server } = world
    const ask = async () => {
      const headers = venue()
      return sendForm(server, activity, { formToken: await ripeToken(server, activity, headers) }, headers)
    }
    const early = newAddress()
    const headers = venue()
    ok(
      await sendForm(
        server,
        activity,
        { email: early, formToken: await ripeToken(server, activity, headers) },
        headers,
      ),
    )
    const secret = await secretFor(world, early)
    ok(await act(server, secret, { action: 'confirm' }))
    await server.ctx.db.write('test.flood', async (tx) => {
      const times = { createdAt: server.clock.now(), updatedAt: server.clock.now() }
      await tx.insert(registrations).values(
        Array.from({ length: 199 }, (_, i) => ({
          activityId: activity.id,
          userId: null,
          status: 'PENDING' as const,
          source: 'GUEST' as const,
          name: 'flood',
          email: `flood${i}@example.org`,
          answers: {},
          ...times,
        })),
      )
    })
    ok(await ask())
    expect(refusalOf(await ask())).toEqual(REFUSED)
    const { items } = ok(await alice.call('notifications.list', { query: { size: 100 } })).data
    expect(items.filter(({ data }) => data['event'] === 'GUEST_LIMIT')).toHaveLength(1)
    // Who was registered before, and other activities of the organizer, notice nothing.
    expect(ok(await readPage(server, secret)).data.status).toBe('CONFIRMED')
    const elsewhere = venue()
    ok(await sendForm(server, calm, { formToken: await ripeToken(server, calm, elsewhere) }, elsewhere))
    server.clock.advance(HOUR + MINUTE)
    ok(await ask())
    expect((await list(alice, activity, { status: 'PENDING' })).total).toBe(200)
  })

  test('of one organizer wait when their mails of the day are used up, and those of others do not', async () => {
    const [alice, bob] = [await world.withEmail(), await world.withEmail()]
    const [full, free] = [await openToGuests(world.server, alice), await openToGuests(world.server, bob)]
    const set = (limit: number) =>
      world.server.ctx.db.write('test.setting', (tx) => setSetting(tx, 'budget.guestMailsPerOwner', limit))
    await set(2)
    try {
      const ask = async (activity: typeof full) => {
        const headers = venue()
        return sendForm(
          world.server,
          activity,
          { formToken: await ripeToken(world.server, activity, headers) },
          headers,
        )
      }
      ok(await ask(full))
      ok(await ask(full))
      expect(refusalOf(await ask(full))).toEqual(REFUSED)
      ok(await ask(free))
    } finally {
      await set(5000)
    }
  })
})
