/** The page of an activity: its button, its state, its links to calendars, and its data for search engines. */

import { describe, expect, test } from 'bun:test'

import type { ActivityView } from '#domains/activities/register/register.model.ts'
import { DAY, HOUR } from '#platform/clock.ts'

import { png, uploaded } from '../files/helpers.ts'
import { ok, startServer, useServer } from '../harness/index.ts'
import { createOrg } from '../orgs/helpers.ts'
import { type ActivityFields, createActivity, setStatus } from './helpers.ts'

const { server, admin, alice, bob } = useServer({ people: ['alice', 'bob'] })

const get = (path: string, locale = 'en') =>
  server.request('GET', path, { headers: { accept: 'text/html', 'accept-language': locale } })
const pageOf = async ({ uuid }: Pick<ActivityView, 'uuid'>, query = '', locale = 'en'): Promise<string> =>
  ok(await get(`/s/activity/${uuid}${query}`, locale)).text

const soon = (fields: ActivityFields = {}): Promise<ActivityView> => {
  const startTime = server.clock.now() + 10 * DAY
  const times = { startTime, endTime: startTime + 2 * HOUR }
  return createActivity(alice, { visibility: 'PUBLIC', status: 'ACTIVE', ...times, ...fields })
}

/** The data for search engines. */
function dataIn(page: string): Record<string, unknown> | undefined {
  const [, json] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(page) ?? []
  return json === undefined ? undefined : (JSON.parse(json) as Record<string, unknown>)
}

describe('search engines and previews', () => {
  test('get a PUBLIC activity as an Event, with its zone, place, cover and organizer', async () => {
    const cover = await uploaded(alice, png(), { type: 'activity' })
    const startTime = Date.UTC(2030, 10, 28, 23, 30)
    const activity = await soon({
      name: 'Lake cleanup',
      description: '# Pier\n\nBring **gloves**.',
      descriptionFormat: 'MARKDOWN',
      region: { province: 'Zhejiang', city: 'Hangzhou' },
      location: 'Hall B',
      latitude: 30.25,
      longitude: 120.15,
      coverFileId: cover.id,
      timeZone: 'Asia/Shanghai',
      startTime,
      endTime: startTime + HOUR,
    })
    const page = await get(`/s/activity/${activity.uuid}?tz=Asia/Tokyo&lang=en`)
    expect(page.headers.get('x-robots-tag')).toBeNull()
    expect(page.text).not.toContain('noindex')
    const url = `${new URL(activity.coverUrl!).origin}/s/activity/${activity.uuid}`
    expect(page.text).toContain(`<link rel="canonical" href="${url}" />`)
    expect(page.text).toContain(`<meta property="og:image" content="${activity.coverUrl}" />`)
    expect(page.text).toMatch(
      /og:description" content="Friday, November 29, 2030.*Japan Standard Time, UTC\+9\) · Hall B/,
    )
    expect(dataIn(page.text)).toEqual({
      '@context': 'https://schema.org',
      '@type': 'Event',
      name: 'Lake cleanup',
      url,
      startDate: '2030-11-29T08:30:00+09:00',
      endDate: '2030-11-29T09:30:00+09:00',
      eventStatus: 'https://schema.org/EventScheduled',
      description: 'Pier\nBring gloves.',
      image: [activity.coverUrl],
      location: {
        '@type': 'Place',
        name: 'Hall B',
        address: 'Hall B, Hangzhou, Zhejiang',
        geo: { '@type': 'GeoCoordinates', latitude: 30.25, longitude: 120.15 },
      },
      organizer: { '@type': 'Person', name: activity.ownerName },
    })
    await setStatus(alice, activity.id, 'CANCELLED')
    expect(dataIn(await pageOf(activity))!['eventStatus']).toBe('https://schema.org/EventCancelled')
  })

  test('may not list the page of a DISABLED organization', async () => {
    const org = await createOrg(alice)
    const activity = await soon({ orgId: org.id })
    ok(await admin.call('admin.orgs.update', { params: { orgId: org.id }, body: { status: 'DISABLED' } }))
    expect(await pageOf(activity)).toContain('noindex')
  })

  test('get nothing of an activity by invitation, and may not list its page', async () => {
    const secret = await soon({ visibility: 'INVITE_ONLY', name: 'TopSecret' })
    const page = await get(`/s/activity/${secret.uuid}?code=${secret.inviteCode}`)
    expect(page.headers.get('x-robots-tag')).toBe('noindex')
    expect(page.text).toContain('<meta name="robots" content="noindex" />')
    for (const hidden of ['og:', 'ld+json', 'canonical', 'name="description"']) expect(page.text).not.toContain(hidden)
  })

  for (const name of [
    '</script><script>alert(1)</script>',
    '<!-- <script>',
    ']]> --> "quoted" \\u003c',
    'line\u2028and\u2029paragraph'.normalize(),
    '"><img src=x onerror=alert(1)>',
  ])
    test(`a name such as ${JSON.stringify(name)} ends no element`, async () => {
      const reply = await alice.call('activities.create', {
        body: { name, startTime: 1, endTime: 2, visibility: 'PUBLIC', description: name, location: name },
      })
      // The name of one line may not contain these; a description may.
      const isLine = reply.status === 200
      const activity = isLine ? await setStatus(alice, reply.data.id, 'ACTIVE') : await soon({ description: name })
      const page = await pageOf(activity)
      const data = dataIn(page)!
      expect(data['description']).toBe(name)
      if (isLine) expect(data['name']).toBe(name)
      const [, script] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(page)!
      expect(script).not.toMatch(/[<>&\u2028\u2029]/)
      expect(page.match(/<script/g)).toHaveLength(2)
      expect(page).not.toContain('<img src=x')
      expect(page).not.toContain('<!--')
    })
})

describe('the main button', () => {
  const buttonIn = (page: string) => /<a class="button" href="([^"]+)"[^>]*>([^<]+)</.exec(page)?.slice(1)

  test('says what comes next: signing in, registering, waiting, checking in, nothing', async () => {
    const now = server.clock.now()
    const running = { startTime: now - HOUR, endTime: now + HOUR }
    const cases: [fields: ActivityFields, label: string, says?: string][] = [
      [{}, 'Sign in'],
      [{ registration: {} }, 'Register'],
      [{ registration: { capacity: 5 } }, 'Register', '5 of 5 places left'],
      [{ registration: { opensAt: now + DAY } }, 'Sign in', 'Registration opens on '],
      [{ registration: { closesAt: now - HOUR, opensAt: now - DAY } }, 'Sign in', 'Registration is closed.'],
      [{ hasCheckIn: true, registration: {} }, 'Register'],
      [{ hasCheckIn: true, registration: {}, ...running }, 'Check in'],
      [{ hasCheckIn: true, checkInConfig: { opensAt: now - HOUR } }, 'Check in'],
      [{ hasCheckIn: true, ...running, checkInConfig: { closesAt: now - 1 } }, 'Sign in'],
    ]
    for (const [fields, label, says = ''] of cases) {
      const activity = await soon(fields)
      const page = await pageOf(activity)
      expect(buttonIn(page)).toEqual([`/console/s/activity/${activity.uuid}`, label])
      expect(page).toContain(says)
      expect(page.match(/class="button/g)).toHaveLength(1)
    }
    const over = await pageOf(await soon({ status: 'ENDED' }))
    expect(over).not.toContain('class="button')
    expect(over).not.toContain('calendar.ics')
  })

  test('follows the places that are left', async () => {
    for (const [waitlist, label, says] of [
      [true, 'Join the waiting list', 'All 1 places are taken. You can join the waiting list.'],
      [false, 'Sign in', 'All 1 places are taken'],
    ] as const) {
      const activity = await soon({ registration: { capacity: 1, waitlist } })
      ok(await bob.call('registrations.register', { params: { id: activity.id }, body: {} }))
      const page = await pageOf(activity)
      expect(buttonIn(page)![1]).toBe(label)
      expect(page).toContain(says)
    }
  })
})

test('the state is in words, in both languages', async () => {
  const activity = await soon({ status: 'CANCELLED' })
  expect(await pageOf(activity)).toContain('<b>Cancelled</b>')
  expect(await pageOf(activity, '', 'zh')).toContain('<b>已取消</b>')
})

test('the organizer has the picture that was uploaded to this server, and no other', async () => {
  const outside = { name: 'Garden club', avatarUrl: 'https://elsewhere.example.org/logo.png' }
  const org = await createOrg(alice, outside)
  const ofOrg = await pageOf(await soon({ orgId: org.id }))
  expect(ofOrg).toContain('<span aria-hidden="true">G</span>')
  expect(ofOrg).not.toContain('elsewhere')
  expect(dataIn(ofOrg)!['organizer']).toEqual({ '@type': 'Organization', name: 'Garden club' })
  const person = await server.person()
  const avatar = await uploaded(person, png(), { type: 'avatar' })
  ok(await person.call('profile.update', { body: { avatarFileId: avatar.id } }))
  const activity = await createActivity(person, { visibility: 'PUBLIC', status: 'ACTIVE' })
  expect(await pageOf(activity)).toMatch(/<img src="\/public\/images\/[\w-]+" alt="" width="28"/)
  // The name of an INTERNAL organization is for its members, and pages do not know who reads them.
  const internal = await createOrg(alice, { name: 'TopSecret', visibility: 'INTERNAL' })
  const ofInternal = await pageOf(await soon({ orgId: internal.id, name: 'Fair' }))
  expect(ofInternal).not.toContain('TopSecret')
  expect(ofInternal).not.toContain('class="by"')
})

describe('the calendar file of the page', () => {
  test('is that of the interface, and needs no token', async () => {
    const activity = await soon({ location: 'Pier' })
    const own = (await alice.call('activities.calendar', { params: { id: activity.id } })).text
    const file = await get(`/s/activity/${activity.uuid.toUpperCase()}/calendar.ics`)
    expect(file.text).toBe(own)
    expect(file.headers.get('content-disposition')).toStartWith('attachment; filename="activity-')
    expect(await pageOf(activity)).toContain(`href="/s/activity/${activity.uuid}/calendar.ics"`)
  })

  test('needs the invite code of an INVITE_ONLY activity, which the links of the page carry', async () => {
    const { uuid, inviteCode } = await soon({ visibility: 'INVITE_ONLY', name: 'TopSecret' })
    const path = `/s/activity/${uuid}/calendar.ics`
    expect((await get(`${path}?code=${inviteCode}`)).text).toContain('SUMMARY:TopSecret')
    for (const query of ['', '?code=WRONGCODE2']) {
      const refused = await get(path + query)
      expect(refused.status).toBe(403)
      expect(refused.text).not.toContain('TopSecret')
    }
    const page = await pageOf({ uuid }, `?code=${inviteCode}&lang=zh`)
    expect(page).toContain(`${path}?code=${inviteCode}&amp;lang=zh`)
    // Other services get the address without the code.
    const [google] = /https:\/\/calendar\.google[^"]+/.exec(page)!
    expect(google).not.toContain(inviteCode!)
  })

  test('does not exist for DRAFTs, RESTRICTED and unknown activities; members get it with their token', async () => {
    const org = await createOrg(alice)
    const draft = await soon({ status: 'DRAFT' })
    const restricted = await soon({ visibility: 'RESTRICTED', orgId: org.id })
    for (const uuid of [draft.uuid, restricted.uuid, crypto.randomUUID(), 'x', String(draft.id)])
      expect((await get(`/s/activity/${uuid}/calendar.ics`)).status).toBe(404)
    const path = `/s/activity/${restricted.uuid}/calendar.ics`
    expect((await alice.send('GET', path)).status).toBe(200)
    expect((await bob.send('GET', path)).status).toBe(404)
  })

  test('the 21st wrong invite code in a minute is refused, together with those of the page', async () => {
    await using limited = await startServer({ rateLimit: true, noAdmin: true })
    const owner = await limited.person()
    const { uuid } = await createActivity(owner, { status: 'ACTIVE' })
    const path = `/s/activity/${uuid}`
    for (let i = 0; i < 20; i++)
      expect((await limited.request('GET', `${path}${i % 2 ? '' : '/calendar.ics'}?code=G${i}`)).status).toBe(403)
    expect((await limited.request('GET', `${path}/calendar.ics?code=G21`)).status).toBe(429)
  })
})

test('the links to calendars on the web have the moments, the zone, the place and the text', async () => {
  const startTime = Date.UTC(2030, 10, 28, 23, 30)
  const fields = { name: 'A & B', location: 'Pier', timeZone: 'Asia/Shanghai', startTime, endTime: startTime + HOUR }
  const page = await pageOf(await soon({ ...fields, description: `Bring gloves ${'x'.repeat(1900)}` }))
  const linkTo = (host: string) =>
    new URL(new RegExp(`https://${host}[^"]+`).exec(page)![0].replaceAll('&amp;', '&')).searchParams
  const google = linkTo('calendar.google.com')
  expect(Object.fromEntries(google)).toMatchObject({
    action: 'TEMPLATE',
    text: 'A & B',
    dates: '20301128T233000Z/20301129T003000Z',
    ctz: 'Asia/Shanghai',
    location: 'Pier',
  })
  expect(google.get('details')).toHaveLength(500)
  expect(Object.fromEntries(linkTo('outlook.live.com'))).toMatchObject({
    subject: 'A & B',
    startdt: '2030-11-28T23:30:00Z',
    enddt: '2030-11-29T00:30:00Z',
    location: 'Pier',
  })
})
