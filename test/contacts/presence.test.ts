/** Who is online, for contacts who share it. */

import { beforeEach, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { contactProfiles } from '#db/schema/contacts.ts'
import { contactAreas } from '#domains/contacts/own-data.store.ts'
import { flushPresence } from '#domains/contacts/presence/presence.service.ts'
import { DAY, MINUTE, SECOND } from '#platform/clock.ts'

import { inProcess, ok, type Person, useServer } from '../harness/index.ts'
import { ask, befriend, block, remove, signInAgain, unblock } from './helpers.ts'

describe.if(inProcess)('presence', () => {
  const { server, mei, tom, ana } = useServer({ people: ['mei', 'tom', 'ana'] })

  const share = async (person: Person, presence: boolean) =>
    ok(await person.call('contacts.updatePrivacy', { body: { presence } }))
  const rowsOf = (person: Person) =>
    server.ctx.db.read.select().from(contactProfiles).where(eq(contactProfiles.userId, person.id))
  const seenAt = async (person: Person) => (await rowsOf(person))[0]?.seenAt ?? null
  /** Says that the user is there, from a socket, and writes it without the wait. */
  const isHere = async (...people: Person[]) => {
    for (const person of people) {
      const socket = await person.socket()
      socket.send('presence')
      await socket.roundTrip()
      await socket.close()
    }
    await flushPresence(server.ctx)
  }
  const asked = async (person: Person, ...about: Person[]) =>
    ok(await person.call('contacts.presence', { query: { userIds: about.map(({ id }) => id) } })).data
  const seenBy = async (person: Person, ...about: Person[]) => (await asked(person, ...about)).items

  let meisRow: number
  let tomsRow: number

  beforeEach(async () => {
    if (meisRow === undefined) [meisRow, tomsRow] = await befriend(mei, tom)
    for (const person of [mei, tom]) await share(person, true)
  })

  test('is off at first: nothing is written, shown or seen', async () => {
    const [lea, max] = [await server.person(), await server.person()]
    await befriend(lea, max)
    await isHere(lea, max)
    expect(await asked(lea, max)).toEqual({ shared: false, items: [] })
    expect([await seenAt(lea), await seenAt(max)]).toEqual([null, null])
    // One of the two is not enough, and a time from before is not shown later.
    await share(lea, true)
    await isHere(lea, max)
    expect(await asked(lea, max)).toEqual({ shared: true, items: [] })
    expect(await asked(max, lea)).toEqual({ shared: false, items: [] })
    await share(max, true)
    expect(await asked(lea, max)).toEqual({ shared: true, items: [] })
  })

  test('is shown to contacts to a minute, first as online and then as the time', async () => {
    await isHere(mei)
    const now = server.clock.now()
    const lastSeenAt = (await seenAt(mei))! - ((await seenAt(mei))! % MINUTE)
    expect(await seenBy(tom, mei, ana)).toEqual([{ userId: mei.id, online: true, lastSeenAt }])
    expect(now - lastSeenAt).toBeLessThan(2 * MINUTE)
    server.clock.advance(140 * SECOND)
    expect(await seenBy(tom, mei)).toMatchObject([{ online: true }])
    server.clock.advance(20 * SECOND)
    expect(await seenBy(tom, mei)).toEqual([{ userId: mei.id, online: false, lastSeenAt }])
    await isHere(mei)
    expect(await seenBy(tom, mei)).toMatchObject([{ online: true }])
    // No frame reports it to others.
    const socket = await tom.socket()
    server.clock.advance(MINUTE)
    await isHere(mei)
    await socket.roundTrip()
    expect(socket.frames.map(({ type }) => type)).toEqual(['hello', 'pong'])
    await socket.close()
  })

  test('is written at most once a minute, however many tabs say so', async () => {
    await share(mei, false)
    await share(mei, true)
    await isHere(mei, mei)
    const first = await seenAt(mei)
    server.clock.advance(59 * SECOND)
    await isHere(mei, mei)
    expect(await seenAt(mei)).toBe(first)
    server.clock.advance(SECOND)
    await Promise.all([isHere(mei), isHere(mei), isHere(tom)])
    expect(await seenAt(mei)).toBeGreaterThanOrEqual(first! + MINUTE)
  })

  test('is for contacts only: not for strangers, not on one side, and not across a block', async () => {
    await share(ana, true)
    await isHere(mei, tom, ana)
    expect((await seenBy(ana, mei, tom)).length).toBe(0)
    expect((await seenBy(mei, tom, ana)).map(({ userId }) => userId)).toEqual([tom.id])
    for (const [person, row] of [
      [mei, meisRow],
      [tom, tomsRow],
    ] as const) {
      ok(await block(person, row))
      expect([await seenBy(mei, tom), await seenBy(tom, mei)]).toEqual([[], []])
      ok(await unblock(person, row))
      expect([(await seenBy(mei, tom)).length, (await seenBy(tom, mei)).length]).toEqual([1, 1])
    }
    ok(await remove(tom, tomsRow))
    expect([await seenBy(mei, tom), await seenBy(tom, mei)]).toEqual([[], []])
    tomsRow = ok(await ask(tom, mei)).data.contactId!
    expect((await seenBy(mei, tom)).length).toBe(1)
  })

  test('ends at once for both when one turns it off, and no earlier time comes back', async () => {
    await isHere(mei, tom)
    await share(tom, false)
    expect(await seenBy(mei, tom)).toEqual([])
    expect(await asked(tom, mei)).toEqual({ shared: false, items: [] })
    expect(await seenAt(tom)).toBeNull()
    // A frame that was sent before, or by a client that does not know, is not kept either.
    await isHere(tom)
    await share(tom, true)
    expect(await seenBy(mei, tom)).toEqual([])
  })

  test('of disabled and deleted accounts is nothing', async () => {
    const [lea, max] = [await server.person(), await server.person()]
    const admin = await server.admin()
    for (const person of [lea, max]) {
      await befriend(mei, person)
      await share(person, true)
    }
    await isHere(lea, max)
    expect((await seenBy(mei, lea, max)).length).toBe(2)
    ok(await admin.call('admin.users.changeStatus', { params: { userId: lea.id }, body: { status: 'DISABLED' } }))
    ok(await max.call('auth.deleteAccount', { body: {} }))
    expect(await seenBy(mei, lea, max)).toEqual([])
    expect(await rowsOf(max)).toEqual([])
  })

  test('is asked by a token, for 1 to 100 users', async () => {
    const path = '/api/contacts/presence'
    expect((await server.request('GET', `${path}?userIds=${tom.id}`)).status).toBe(401)
    const many = Array.from({ length: 101 }, (_, i) => i + 1)
    for (const userIds of ['', 'x', '0', `${tom.id},${tom.id}`, many.join(',')])
      expect((await mei.get(path, { userIds })).status, userIds).toBe(400)
    expect((await mei.get(path)).status).toBe(400)
    // Unknown ids are left out, as those of people whom one may not see are.
    expect(ok(await mei.get(path, { userIds: `999999999,${ana.id}` })).data.items).toEqual([])
    const socket = await mei.socket()
    socket.send('presence', 'here', 'wrong')
    expect(await socket.nextFrame(({ id }) => id === 'wrong')).toMatchObject({ type: 'error', data: { code: 400 } })
    await socket.close()
  })

  test('is in the export of its user, and stays until it is turned off', async () => {
    await isHere(tom)
    const area = contactAreas.find(({ name }) => name === 'contact-settings')!
    for await (const [row] of area.pages(server.ctx.db.read, tom.id))
      expect(row).toMatchObject({ presence: true, seenAt: await seenAt(tom) })
    server.clock.advance(3 * DAY)
    await signInAgain(server, mei, tom)
    expect(await seenBy(mei, tom)).toMatchObject([{ online: false }])
  })
})
