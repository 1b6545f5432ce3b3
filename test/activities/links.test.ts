/** QR codes, scans and calendar files of activities. */

import { describe, expect, test } from 'bun:test'

import type { ActivityView } from '#domains/activities/register/register.model.ts'

import { ok, type Person, startServer, useServer } from '../harness/index.ts'
import { addMembers, createOrg } from '../orgs/helpers.ts'
import { createActivity, END, START } from './helpers.ts'

const { server, alice, bob } = useServer({ people: ['alice', 'bob'] })

const codesOf = async (person: Person, id: number, query: { code?: string; orgId?: number } = {}) =>
  ok(await person.call('activities.qrCodes', { params: { id }, query })).data
const typesOf = async (person: Person, id: number, query: { code?: string } = {}) =>
  (await codesOf(person, id, query)).map(({ type }) => type)

describe('GET /activities/:id/qr-code', () => {
  test('lists the code of the activity for all who see it, and that of the check-in for managers', async () => {
    const activity = await createActivity(alice, { visibility: 'PUBLIC', status: 'ACTIVE', hasCheckIn: true })
    const codes = await codesOf(alice, activity.id)
    const [shown, checkIn] = codes
    const base = shown!.publicUrl.slice(0, -`/s/activity/${activity.uuid}`.length)
    expect(codes).toHaveLength(2)
    expect(shown).toEqual({
      type: 'ACTIVITY',
      title: activity.name,
      content: `activity:${activity.id}`,
      publicUrl: `${base}/s/activity/${activity.uuid}`,
      imageUrl: `${base}/api/qrcode/render?content=activity%3A${activity.id}`,
    })
    expect(checkIn).toMatchObject({
      type: 'CHECK_IN',
      title: `Check-in: ${activity.name}`,
      content: checkIn!.publicUrl,
    })
    expect(checkIn!.publicUrl).toStartWith(`${base}/s/check-in/`)
    expect(checkIn!.publicUrl).not.toContain(activity.uuid)
    expect(await typesOf(bob, activity.id)).toEqual(['ACTIVITY'])
    const picture = await server.request('GET', checkIn!.imageUrl.slice(base.length))
    expect(picture.headers.get('content-type')).toBe('image/png')
  })

  test('shows the code with the invite code to managers only', async () => {
    const activity = await createActivity(alice, { status: 'ACTIVE', hasCheckIn: true })
    const code = activity.inviteCode!
    const [shown] = await codesOf(alice, activity.id)
    expect(shown!.content).toBe(`activity:${activity.id}:${code}`)
    expect(await codesOf(bob, activity.id, { code })).toEqual([])
    for (const wrong of [undefined, 'WRONGCODE2']) {
      const query = wrong === undefined ? {} : { code: wrong }
      const reply = await bob.call('activities.qrCodes', { params: { id: activity.id }, query })
      expect(reply.status).toBe(403)
      expect(reply.text).not.toContain(code)
    }
  })

  test('answers 404 for activities that the caller may not know of, and 401 without a token', async () => {
    const owner = await server.person()
    const member = await server.person()
    const org = await createOrg(owner)
    await addMembers(owner, org, member)
    const draft = await createActivity(alice, { visibility: 'PUBLIC' })
    const restricted = await createActivity(owner, { visibility: 'RESTRICTED', orgId: org.id, status: 'ACTIVE' })
    for (const { id } of [draft, restricted]) {
      expect((await bob.get(`/api/activities/${id}/qr-code`)).status).toBe(404)
      expect((await bob.get(`/api/activities/${id}/calendar.ics`)).status).toBe(404)
      expect((await server.request('GET', `/api/activities/${id}/qr-code`)).status).toBe(401)
    }
    expect(await typesOf(member, restricted.id)).toEqual(['ACTIVITY'])
    expect(await typesOf(alice, draft.id)).toEqual(['ACTIVITY'])
  })
})

describe('scans', () => {
  const resolved = async (person: Person, content: string) =>
    ok(await person.post('/api/scan-records', { content })).data.resolved
  const linkOf = async (person: Person, activity: ActivityView, type: 'ACTIVITY' | 'CHECK_IN') =>
    (await codesOf(person, activity.id)).find((code) => code.type === type)!.publicUrl.split('?')[0]!

  test('the content, the landing page and the check-in page of an activity lead to it', async () => {
    const activity = await createActivity(alice, { visibility: 'PUBLIC', status: 'ACTIVE', hasCheckIn: true })
    const target = { id: activity.id, title: activity.name }
    const page = await linkOf(alice, activity, 'ACTIVITY')
    const checkIn = await linkOf(alice, activity, 'CHECK_IN')
    for (const person of [alice, bob]) {
      for (const content of [`activity:${activity.id}`, ` activity:${activity.id}:ABCDEFGHJK `, page, `${page}?code=1`])
        expect(await resolved(person, content)).toEqual({ kind: 'ACTIVITY', ...target })
      expect(await resolved(person, checkIn)).toEqual({ kind: 'CHECK_IN', ...target })
      expect(await resolved(person, checkIn.replace('/s/', '/S/'))).toEqual({ kind: 'CHECK_IN', ...target })
    }
    // The uuid of the check-in is not that of the activity.
    const swapped = checkIn.replace('/check-in/', '/activity/')
    expect(await resolved(bob, swapped)).toEqual({ kind: 'ACTIVITY' })
    expect(await resolved(bob, `https://elsewhere.example/s/activity/${activity.uuid}`)).toEqual({ kind: 'URL' })
  })

  test('of an activity that the user may not see, only the kind is known', async () => {
    const owner = await server.person()
    const org = await createOrg(owner)
    const hidden = [
      await createActivity(owner, { visibility: 'PUBLIC', hasCheckIn: true }),
      await createActivity(owner, { visibility: 'RESTRICTED', orgId: org.id, status: 'ACTIVE', hasCheckIn: true }),
      await createActivity(owner, { visibility: 'INVITE_ONLY', status: 'ACTIVE', hasCheckIn: true }),
    ]
    for (const activity of hidden) {
      const page = await linkOf(owner, activity, 'ACTIVITY')
      const checkIn = await linkOf(owner, activity, 'CHECK_IN')
      for (const content of [`activity:${activity.id}`, `activity:${activity.id}:WRONGCODE2`, page])
        expect(await resolved(bob, content)).toEqual({ kind: 'ACTIVITY' })
      expect(await resolved(bob, checkIn)).toEqual({ kind: 'CHECK_IN' })
      expect(await resolved(owner, checkIn)).toMatchObject({ kind: 'CHECK_IN', id: activity.id })
    }
    expect(await resolved(bob, 'activity:999999999')).toEqual({ kind: 'ACTIVITY' })
  })

  test('the right invite code in the content shows the activity, as long as it is right', async () => {
    const activity = await createActivity(alice, { status: 'ACTIVE' })
    const content = activity.qrContent!
    const page = `${await linkOf(alice, activity, 'ACTIVITY')}?code=${activity.inviteCode!.toLowerCase()}`
    const [shared] = await codesOf(alice, activity.id)
    expect(shared!.publicUrl.toLowerCase()).toBe(page.toLowerCase())
    const target = { kind: 'ACTIVITY', id: activity.id, title: activity.name }
    for (const scanned of [content, content.toLowerCase(), page]) expect(await resolved(bob, scanned)).toEqual(target)
    expect(await resolved(bob, `activity:${activity.id}`)).toEqual({ kind: 'ACTIVITY' })
    ok(await alice.call('activities.resetInviteCode', { params: { id: activity.id } }))
    for (const scanned of [content, page]) expect(await resolved(bob, scanned)).toEqual({ kind: 'ACTIVITY' })
  })

  test('after 20 wrong invite codes in a minute, a scan no longer says whether a code is right', async () => {
    await using limited = await startServer({ rateLimit: true, noAdmin: true })
    const [owner, guesser] = [await limited.person(), await limited.person()]
    const activity = await createActivity(owner, { status: 'ACTIVE' })
    for (let i = 0; i < 20; i++)
      expect(await resolved(guesser, `activity:${activity.id}:GUESS${i}`)).toEqual({ kind: 'ACTIVITY' })
    expect(await resolved(guesser, activity.qrContent!)).toEqual({ kind: 'ACTIVITY' })
  })
})

describe('GET /activities/:id/calendar.ics', () => {
  const calendarOf = (person: Person, id: number, query: Record<string, string> = {}) =>
    person.get(`/api/activities/${id}/calendar.ics`, query)
  /** Lines with their continuations. */
  const linesOf = (text: string) => text.replaceAll(/\r\n[ \t]/g, '').split('\r\n')

  test('is one event with the times, the place and the page', async () => {
    const activity = await createActivity(alice, {
      name: 'Fair; with, cake',
      description: 'First\nsecond',
      visibility: 'PUBLIC',
      status: 'ACTIVE',
      region: { province: 'Zhejiang', city: 'Hangzhou' },
      location: 'Hall B',
      latitude: 30.25,
      longitude: 120.15,
    })
    const reply = await calendarOf(bob, activity.id)
    expect(reply.status).toBe(200)
    expect(reply.headers.get('content-type')).toBe('text/calendar; charset=utf-8')
    expect(reply.headers.get('content-disposition')).toBe(`attachment; filename="activity-${activity.id}.ics"`)
    const lines = linesOf(reply.text)
    const stamp = (at: number) => new Date(at).toISOString().replaceAll(/[-:]|\.\d+/g, '')
    for (const line of [
      'BEGIN:VEVENT',
      `DTSTART:${stamp(START)}`,
      `DTEND:${stamp(END)}`,
      String.raw`SUMMARY:Fair\; with\, cake`,
      String.raw`DESCRIPTION:First\nsecond`,
      String.raw`LOCATION:Hall B\, Hangzhou\, Zhejiang`,
      'GEO:30.25;120.15',
      'STATUS:CONFIRMED',
    ])
      expect(lines).toContain(line)
    expect(lines.filter((line) => line === 'BEGIN:VEVENT')).toHaveLength(1)
    expect(lines.find((line) => line.startsWith('URL'))).toEndWith(`/s/activity/${activity.uuid}`)
    ok(await alice.patch(`/api/activities/${activity.id}/status`, { status: 'CANCELLED' }))
    expect(linesOf((await calendarOf(bob, activity.id)).text)).toContain('STATUS:CANCELLED')
  })

  test('has the position of an activity without an address, and no empty lines', async () => {
    const fields = { visibility: 'PUBLIC', status: 'ACTIVE' } as const
    const bare = await createActivity(alice, fields)
    const lines = linesOf((await calendarOf(bob, bare.id)).text)
    expect(lines.filter((line) => /^(DESCRIPTION|LOCATION|GEO)/.test(line))).toEqual([])
    const { id } = await createActivity(alice, { ...fields, latitude: 30.25, longitude: 120.15 })
    expect(linesOf((await calendarOf(bob, id)).text)).toContain('GEO:30.25;120.15')
  })

  test('needs the invite code for an INVITE_ONLY activity, and does not contain it', async () => {
    const activity = await createActivity(alice, { name: 'secret supper', status: 'ACTIVE' })
    for (const query of [{}, { code: 'WRONGCODE2' }] as Record<string, string>[]) {
      const reply = await calendarOf(bob, activity.id, query)
      expect(reply.status).toBe(403)
      expect(reply.text).not.toContain('supper')
    }
    const reply = await calendarOf(bob, activity.id, { code: activity.inviteCode! })
    expect(reply.text).toContain('secret supper')
    expect(reply.text).not.toContain(activity.inviteCode!)
  })
})
