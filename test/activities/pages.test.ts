/** The landing pages of activities, check-in and passes. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Browser, BrowserContextOptions, Page } from 'playwright-core'

import { passes, passIssues } from '#db/schema/passes.ts'
import { contentOf, currentKey } from '#domains/activities/pass-keys/pass-keys.service.ts'
import type { ActivityView } from '#domains/activities/register/register.model.ts'
import { LandingContent } from '#domains/qr-codes/public/public.model.ts'
import { answerProblem } from '#http/validate.ts'
import { DAY, HOUR } from '#platform/clock.ts'

import { png, uploaded } from '../files/helpers.ts'
import { hasChromium, launchChromium } from '../harness/chromium.ts'
import { inProcess, ok, type Reply, startServer, until, useServer } from '../harness/index.ts'
import { createOrg } from '../orgs/helpers.ts'
import { type ActivityFields, createActivity, END, START } from './helpers.ts'

const { server, alice } = useServer({ people: ['alice'] })

const get = (path: string, headers: Record<string, string> = {}) =>
  server.request('GET', path, { headers: { accept: 'text/html', ...headers } })
/** Also checks that the API document describes the answer. */
async function getJson(path: string): Promise<Reply> {
  const reply = await server.request('GET', path, { headers: { accept: 'application/json' } })
  if (reply.status === 200) expect(answerProblem(LandingContent, reply.data)).toBeUndefined()
  return reply
}

/** An activity to come, with everything that a page can show. */
const full: ActivityFields = {
  name: 'Lake <b>cleanup</b>',
  description: 'Bring gloves.\nAnd boots.\n\nWe start at the "old" pier & walk.',
  region: { province: 'Zhejiang', city: 'Hangzhou', district: 'Xihu' },
  location: '1 Lake Road',
  latitude: 30.25,
  longitude: 120.15,
  startTime: Date.UTC(2030, 10, 30, 6),
  endTime: Date.UTC(2030, 10, 30, 9, 30),
  hasCheckIn: true,
  hasPass: true,
  visibility: 'PUBLIC',
  status: 'ACTIVE',
}

/** The path of the check-in page. */
async function checkInPath({ id }: ActivityView): Promise<string> {
  const { data } = ok(await alice.call('activities.qrCodes', { params: { id } }))
  return new URL(data.find(({ type }) => type === 'CHECK_IN')!.publicUrl).pathname
}

test('the page of an activity says what, when, where and how to join, escaped, and JSON answers what discovery shows', async () => {
  const activity = await createActivity(alice, full)
  const page = await get(`/s/activity/${activity.uuid}?tz=Asia/Shanghai`)
  expect(page.status).toBe(200)
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(page.headers.get('cache-control')).toBe('no-store')
  for (const shown of [
    '<h1>Lake &lt;b&gt;cleanup&lt;/b&gt;</h1>',
    'Saturday, November 30, 2030',
    'China Standard Time, UTC+8',
    '1 Lake Road, Xihu, Hangzhou, Zhejiang',
    'https://www.openstreetmap.org/?mlat=30.25&amp;mlon=120.15',
    '<p>Bring gloves.<br />\nAnd boots.</p>',
    '<p>We start at the &quot;old&quot; pier &amp; walk.</p>',
    `<code>activity:${activity.id}</code>`,
    `href="/console/s/activity/${activity.uuid}"`,
    `/api/qrcode/render?content=activity%3A${activity.id}`,
    activity.ownerName!,
  ])
    expect(page.text).toContain(shown)
  expect(page.text.replaceAll('\u202f', ' ')).toMatch(/2:00.+5:30 PM/)
  const chinese = await get(`/s/activity/${activity.uuid.toUpperCase()}?tz=Asia/Shanghai`, { 'accept-language': 'zh' })
  for (const shown of [
    'lang="zh-CN"',
    '2030年11月30日',
    '中国标准时间，UTC+8',
    'Zhejiang Hangzhou Xihu 1 Lake Road',
    'uri.amap.com',
  ])
    expect(chinese.text).toContain(shown)
  const json = await getJson(`/s/activity/${activity.uuid}`)
  const found = ok(await alice.get('/api/discover/activities', { keyword: 'lake <b>' })).data.items
  expect(json.data).toEqual(found[0])
})

test('the page of the check-in holds its own link in a large code, and the rules for checking in', async () => {
  const checkInConfig = { radiusMeters: 150, shortCode: 'LAKE24' }
  const activity = await createActivity(alice, { ...full, checkInConfig })
  const path = await checkInPath(activity)
  const page = await get(path)
  expect(page.status).toBe(200)
  for (const shown of ['class="poster"', encodeURIComponent(path), 'within 150 m', `href="/console${path}"`])
    expect(page.text).toContain(shown)
  for (const hidden of ['LAKE24', activity.uuid]) expect(page.text).not.toContain(hidden)
  expect((await getJson(path)).data.id).toBe(activity.id)
  ok(await alice.call('activities.update', { params: { id: activity.id }, body: { hasCheckIn: false } }))
  expect((await get(path)).status).toBe(404)
  // The uuid of one page is not that of the other.
  expect((await get(`/s/check-in/${activity.uuid}`)).status).toBe(404)
  expect((await get(path.replace('check-in', 'activity'))).status).toBe(404)
})

test('unknown, deleted, DRAFT and RESTRICTED activities have the same 404 page, which names nothing', async () => {
  const org = await createOrg(alice)
  const secret = { ...full, name: 'TopSecret', description: 'TopSecret', location: 'TopSecret' }
  const draft = await createActivity(alice, { ...secret, status: 'DRAFT' })
  const restricted = await createActivity(alice, { ...secret, visibility: 'RESTRICTED', orgId: org.id })
  const deleted = await createActivity(alice, { ...secret, status: 'ENDED' })
  const deletedPath = await checkInPath(deleted)
  ok(await alice.delete(`/api/activities/${deleted.id}`))
  // The link to the web application is that of the page itself.
  const textOf = ({ text }: { readonly text: string }, path: string) => text.replace(`href="/console${path}"`, '')
  const unknownPath = `/s/activity/${crypto.randomUUID()}`
  const missing = await get(unknownPath)
  expect(missing.status).toBe(404)
  expect(missing.text).toContain(`href="/console${unknownPath}"`)
  const paths = [
    ...[draft, restricted, deleted].map(({ uuid }) => `/s/activity/${uuid}`),
    await checkInPath(draft),
    await checkInPath(restricted),
    deletedPath,
    `/s/activity/${restricted.id}`,
    '/s/check-in/x',
  ]
  for (const path of paths) {
    const page = await get(path)
    expect(page.status).toBe(404)
    expect(textOf(page, path)).toBe(textOf(missing, unknownPath))
    const json = await getJson(path)
    expect(json.status).toBe(404)
    expect(json.text).not.toContain('Secret')
  }
})

test('a RESTRICTED activity is named in JSON to members with their token, and to nobody else', async () => {
  const org = await createOrg(alice)
  const activity = await createActivity(alice, { ...full, visibility: 'RESTRICTED', orgId: org.id })
  const stranger = await server.person()
  for (const path of [`/s/activity/${activity.uuid}`, await checkInPath(activity)]) {
    const headers = { accept: 'application/json' }
    expect((await alice.send('GET', path, { headers })).data).toMatchObject({ id: activity.id })
    expect((await stranger.send('GET', path, { headers })).status).toBe(404)
    expect((await getJson(path)).status).toBe(404)
  }
})

test('the links of a page keep the language that the visitor has chosen, and the invite code', async () => {
  const { uuid, inviteCode } = await createActivity(alice, { ...full, visibility: 'INVITE_ONLY' })
  const { text } = await get(`/s/activity/${uuid}?code=${inviteCode}&lang=zh`)
  expect(text).toContain(`href="/console/s/activity/${uuid}?code=${inviteCode}&amp;lang=zh"`)
})

test('an INVITE_ONLY activity answers 403 with a form for the invite code, and names nothing without it', async () => {
  const activity = await createActivity(alice, {
    ...full,
    name: 'TopSecret',
    location: 'TopSecret',
    visibility: 'INVITE_ONLY',
  })
  const code = activity.inviteCode!
  for (const path of [`/s/activity/${activity.uuid}`, await checkInPath(activity)]) {
    for (const query of ['', '?code=', '?code=WRONGCODE2']) {
      const page = await get(path + query)
      expect(page.status).toBe(403)
      for (const shown of ['<form method="get"', 'name="code"', 'Enter the invite code'])
        expect(page.text).toContain(shown)
      expect(page.text.includes('This code is wrong')).toBe(query.includes('WRONG'))
      for (const hidden of ['TopSecret', 'alice', code]) expect(page.text).not.toContain(hidden)
      const json = await getJson(path + query)
      expect(json).toMatchObject({ status: 403, code: 403 })
      expect(json.text).not.toContain('Secret')
    }
    for (const given of [code, code.toLowerCase(), `${code.slice(0, 5)}-${code.slice(5)}`]) {
      const page = await get(`${path}?code=${given}`)
      expect(page.status).toBe(200)
      expect(page.text).toContain('TopSecret')
    }
    expect((await getJson(`${path}?code=${code}`)).data.id).toBe(activity.id)
  }
  expect((await get(`/s/activity/${activity.uuid}?code=${code}`)).text).toContain(`activity:${activity.id}:${code}`)
  // Everyone who passes the poster would learn the invite code. The button, which is not printed, has that of the address.
  const poster = (await get(`${await checkInPath(activity)}?code=${code}`)).text
  expect(poster.replace(/<a class="button"[^>]*>/, '')).not.toContain(code)
})

test('the 21st wrong invite code in a minute is answered with a 429 page', async () => {
  await using limited = await startServer({ rateLimit: true, noAdmin: true })
  const owner = await limited.person()
  const { uuid } = await createActivity(owner, { status: 'ACTIVE' })
  for (let i = 0; i < 20; i++) expect((await limited.request('GET', `/s/activity/${uuid}?code=G${i}`)).status).toBe(403)
  const page = await limited.request('GET', `/s/activity/${uuid}?code=G21`)
  expect(page.status).toBe(429)
  expect(page.text).toContain('try again later')
})

test('the page of an activity that was cancelled or is over says so, and no longer how to join', async () => {
  const cases = [
    [{ status: 'CANCELLED' }, 'This activity was cancelled.'],
    [{ status: 'ENDED' }, 'This activity is over.'],
    [{ startTime: START, endTime: END }, 'This activity is over.'],
  ] as const
  for (const [fields, sentence] of cases) {
    const activity = await createActivity(alice, { ...full, ...fields })
    for (const path of [`/s/activity/${activity.uuid}`, await checkInPath(activity)]) {
      const { status, text } = await get(path)
      expect(status).toBe(200)
      expect(text).toContain(sentence)
      expect(text).not.toContain('class="qr"')
    }
  }
})

test('the cover is shown', async () => {
  const cover = await uploaded(alice, png(), { type: 'activity' })
  const { uuid } = await createActivity(alice, { ...full, coverFileId: cover.id })
  expect((await get(`/s/activity/${uuid}`)).text).toMatch(/<img class="cover" src="\/public\/images\/[^"]+"/)
})

describe.if(inProcess)('passes', () => {
  type Fields = Partial<typeof passes.$inferInsert>
  /** Adds a pass without the operation that issues them, which the tests of passes test. */
  const addPass = async ({ id }: { readonly id: number }, fields: Fields = {}) => {
    const key = await currentKey(server.ctx)
    return server.ctx.db.write('test.addPass', async (tx) => {
      const issue = { activityId: id, userId: alice.id, createdAt: tx.stamp }
      const [{ id: issueId }] = (await tx.insert(passIssues).values(issue).returning({ id: passIssues.id })) as [
        { id: number },
      ]
      const times = { createdAt: tx.stamp, updatedAt: tx.stamp }
      const standard = {
        uuid: crypto.randomUUID(),
        holderName: 'Lin <i>Mei</i>',
        fields: [],
        maxUses: 1,
        keyId: key.id,
      }
      const [row] = await tx
        .insert(passes)
        .values({ activityId: id, issueId, ...standard, ...times, ...fields })
        .returning()
      return row!
    })
  }
  const now = () => server.clock.now()

  test('the page of a pass shows the whole name, the fields, the validity and the code; JSON masks the name', async () => {
    const activity = await createActivity(alice, { ...full, visibility: 'INVITE_ONLY' })
    const pass = await addPass(activity, {
      color: '#1f6feb',
      fields: [{ key: 'seat', label: 'Seat', value: 'Row 4 <12>' }],
      validFrom: now() - DAY,
      validTo: Date.UTC(2030, 10, 30, 9, 30),
      maxUses: 3,
      usedCount: 1,
    })
    const content = await contentOf(server.ctx, pass)
    const token = content.slice(content.lastIndexOf('/') + 1)
    const first = await get(`/s/pass/${pass.uuid}`)
    for (const path of [`/s/pass/${pass.uuid}`, `/S/PASS/${token}`, `/s/pass/${token}`]) {
      const page = await get(path)
      expect(page.status).toBe(200)
      expect(page.text).toBe(first.text)
    }
    for (const shown of [
      'Lin &lt;i&gt;Mei&lt;/i&gt;',
      'Seat: Row 4 &lt;12&gt;',
      'fill="#1f6feb"',
      encodeURIComponent(content),
      '<b>Valid</b>',
      '2 of 3 left',
      'Lake &lt;b&gt;',
    ])
      expect(first.text).toContain(shown)
    expect(first.text).not.toContain(activity.inviteCode!)
    expect((await getJson(`/S/PASS/${token}`)).data).toEqual({
      uuid: pass.uuid,
      holderName: 'L**',
      status: 'ISSUED',
      validFrom: pass.validFrom,
      validTo: pass.validTo,
    })
    expect((await get(`/s/pass/${pass.uuid}`, { 'accept-language': 'zh' })).text).toContain('剩余 2 次')
  })

  test('forged tokens, unknown passes and those of a deleted or DRAFT activity have the same 404 page', async () => {
    const activity = await createActivity(alice, full)
    const pass = await addPass(activity)
    const content = await contentOf(server.ctx, pass)
    const token = content.slice(content.lastIndexOf('/') + 1)
    const missing = await get(`/s/pass/${crypto.randomUUID()}`)
    const draft = await addPass(await createActivity(alice, { ...full, status: 'DRAFT' }))
    const flipped = token[100] === 'A' ? 'B' : 'A'
    const paths = [token.slice(0, 100) + flipped + token.slice(101), token.slice(1), String(pass.id), draft.uuid]
    for (const path of paths.map((id) => `/s/pass/${id}`)) {
      const page = await get(path)
      expect(page.status).toBe(404)
      expect(page.text).toBe(missing.text)
      expect((await getJson(path)).status).toBe(404)
    }
    ok(await alice.patch(`/api/activities/${activity.id}/status`, { status: 'ENDED' }))
    expect((await get(`/s/pass/${token}`)).status).toBe(200)
    ok(await alice.delete(`/api/activities/${activity.id}`))
    expect((await get(`/s/pass/${token}`)).text).toBe(missing.text)
  })

  test('a pass that is not valid says so in large letters, and shows no code', async () => {
    const activity = await createActivity(alice, full)
    const cancelled = await createActivity(alice, { ...full, status: 'CANCELLED' })
    const cases: [fields: Fields, state: string, shows: boolean, of?: { id: number }][] = [
      [{}, 'Valid', true],
      [{ validFrom: now() + DAY }, 'Not valid yet', true],
      [{ usedCount: 1 }, 'Used', true],
      [{ validTo: now() - HOUR }, 'Expired', false],
      [{ revokedAt: now() }, 'Revoked', false],
      [{ revokedAt: now(), validTo: now() - HOUR }, 'Revoked', false],
      [{}, 'Cancelled', false, cancelled],
      [{ usedCount: 1, maxUses: 0 }, 'Valid', true],
    ]
    for (const [fields, state, shows, of = activity] of cases) {
      const { text } = await get(`/s/pass/${(await addPass(of, fields)).uuid}`)
      expect(text).toContain(`<b>${state}</b>`)
      expect(text.includes('class="qr"')).toBe(shows)
      expect(text.includes('class="state bad"')).toBe(!['Valid', 'Not valid yet'].includes(state))
    }
  })

  test('GET /activities/:id/qr-code lists the caller’s own live passes, and scans resolve passes for holders and managers only', async () => {
    const [holder, other] = [await server.person(), await server.person()]
    const activity = await createActivity(alice, full)
    const held = { holderUserId: holder.id, holderName: 'Mei' }
    const live = await addPass(activity, { ...held, liveHolderId: holder.id })
    await addPass(activity, { ...held, revokedAt: now() })
    await addPass(activity)
    const codesOf = async (person: typeof holder) =>
      ok(await person.call('activities.qrCodes', { params: { id: activity.id } })).data.filter(
        ({ type }) => type === 'PASS',
      )
    const content = await contentOf(server.ctx, live)
    expect(await codesOf(holder)).toMatchObject([{ title: `${activity.name}: Mei`, content }])
    for (const person of [alice, other]) expect(await codesOf(person)).toEqual([])

    const { publicUrl } = (await codesOf(holder))[0]!
    const forged = content.slice(0, -9) + (content.at(-9) === 'A' ? 'B' : 'A') + content.slice(-8)
    const resolved = async (person: typeof holder, scanned: string) =>
      ok(await person.post('/api/scan-records', { content: scanned })).data.resolved
    for (const scanned of [content, publicUrl]) {
      for (const person of [holder, alice])
        expect(await resolved(person, scanned)).toEqual({ kind: 'PASS', id: live.id, title: `${activity.name}: Mei` })
      expect(await resolved(other, scanned)).toEqual({ kind: 'PASS' })
    }
    expect(await resolved(holder, forged)).toEqual({ kind: 'PASS' })
  })

  describe.if(hasChromium)('in Chromium', () => {
    let browser: Browser
    const paths: Record<string, string> = {}

    beforeAll(async () => {
      browser = await launchChromium()
      const cover = await uploaded(alice, png(600), { type: 'activity' })
      const long = 'Frühjahrsputz am Westsee mit anschließendem Donaudampfschifffahrtsgesellschaftspicknick'
      const activity = await createActivity(alice, { ...full, name: long, coverFileId: cover.id, registration: {} })
      const invite = await createActivity(alice, { ...full, visibility: 'INVITE_ONLY' })
      const seat = [
        { key: 'seat', label: 'Seat', value: 'Row 4, seat 12' },
        { key: 'gate', label: 'Gate', value: 'North' },
      ]
      const good = await addPass(activity, {
        color: '#1f6feb',
        fields: seat,
        holderName: 'Lin Mei 林梅',
        validTo: full.endTime!,
      })
      const used = await addPass(activity, { color: '#b4690e', usedCount: 1 })
      const revoked = await addPass(activity, { color: '#b4690e', revokedAt: now() })
      const content = await contentOf(server.ctx, good)
      Object.assign(paths, {
        activity: `/s/activity/${activity.uuid}`,
        'check-in': await checkInPath(activity),
        code: `/s/activity/${invite.uuid}?code=WRONGCODE2`,
        missing: '/s/pass/x',
        pass: `/S/PASS/${content.slice(content.lastIndexOf('/') + 1)}`,
        used: `/s/pass/${used.uuid}`,
        revoked: `/s/pass/${revoked.uuid}`,
      })
    })
    afterAll(() => browser?.close())

    const shots = process.env['SCREENSHOTS']
    const NAMES = ['activity', 'check-in', 'code', 'missing', 'pass', 'used', 'revoked'] as const

    async function open(name: string, options: BrowserContextOptions): Promise<Page> {
      const page = await browser.newPage(options)
      const problems: string[] = []
      page.on('console', (message) => problems.push(message.text()))
      await page.goto(server.url + paths[name], { waitUntil: 'load' })
      await until(() => page.evaluate<boolean>('[...document.images].every((image) => image.naturalWidth > 0)'))
      const expected = name === 'code' ? 403 : 404
      expect(problems.filter((problem) => !problem.includes(`${expected}`))).toEqual([])
      return page
    }

    for (const name of NAMES)
      for (const [look, options] of [
        ['a phone of 320 pixels', { viewport: { width: 320, height: 640 }, locale: 'en' }],
        ['a dark phone in Chinese', { viewport: { width: 390, height: 844 }, colorScheme: 'dark', locale: 'zh-CN' }],
        ['a desktop', { viewport: { width: 1280, height: 900 }, locale: 'en' }],
      ] as const)
        test(`the page ${name} fits the screen of ${look}`, async () => {
          const page = await open(name, options)
          expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(options.viewport.width)
          if (shots)
            await page.screenshot({ path: `${shots}/${name}-${look.replaceAll(' ', '-')}.png`, fullPage: true })
          await page.close()
        })

    for (const name of ['check-in', 'pass'] as const)
      for (const format of ['A4', 'A6'] as const)
        test(`the page ${name} is printed on one sheet of ${format}, with the code in black on white`, async () => {
          const page = await open(name, { viewport: { width: 390, height: 844 }, colorScheme: 'dark' })
          const margin = { top: '1cm', bottom: '1cm', left: '1cm', right: '1cm' }
          const pdf = await page.pdf({ format, printBackground: true, margin })
          if (shots) await Bun.write(`${shots}/${name}-${format}.pdf`, pdf)
          expect(pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)).toHaveLength(1)
          await page.close()
        })
  })
})
