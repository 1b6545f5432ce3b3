/** Activities of a club from the first draft to the last statistics, as the phones of visitors, gates with and without a network, and managers use them. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { HOUR } from '#platform/clock.ts'

import { createRole } from '../access/helpers.ts'
import { pathOf, png, uploaded } from '../files/helpers.ts'
import { ok, passed, type Person, race, type Reply, useServer } from '../harness/index.ts'
import { addMembers, createOrg, leave, type Org, setRole } from '../orgs/helpers.ts'

const { server, admin, owner, manager, volunteer, member, guest, former, stranger, visitor } = useServer({
  people: ['owner', 'manager', 'volunteer', 'member', 'guest', 'former', 'stranger', 'visitor'],
})
let org: Org
let orgId: number

beforeAll(async () => {
  org = await createOrg(owner, { name: 'Green Lake Club' })
  orgId = org.id
  await addMembers(owner, org, manager, volunteer, member, guest, former)
  await createRole(admin, {
    domain: 'ORG',
    scopeId: orgId,
    code: 'GATE',
    name: 'Gate',
    permissions: ['org:read', 'pass:verify'],
  })
  await setRole(owner, org, manager, 'ADMIN')
  await setRole(owner, org, volunteer, 'GATE')
  await setRole(owner, org, guest, 'GUEST')
  await setRole(owner, org, former, 'ADMIN')
  ok(await leave(former, org))
})

const LAKE = { latitude: 30.25, longitude: 120.15 }

interface Activity {
  id: number
  uuid: string
  name: string
  inviteCode: string | null
  qrContent: string | null
}
interface Pass {
  id: number
  uuid: string
  qrContent: string
  publicUrl: string
  holderUserId: number | null
}

/** An activity that has begun and ends tomorrow, with check-in and passes. */
async function publish(creator: Person, fields: object = {}, status = 'ACTIVE'): Promise<Activity> {
  const now = Date.now()
  const body = { name: 'Lake run', startTime: now - HOUR, endTime: now + 24 * HOUR, hasCheckIn: true, hasPass: true }
  const { data } = ok(await creator.post('/api/activities', { ...body, ...fields }))
  const states = status === 'DRAFT' ? [] : status === 'ACTIVE' ? ['ACTIVE'] : ['ACTIVE', status]
  for (const next of states) ok(await creator.patch(`/api/activities/${data.id}/status`, { status: next }))
  return data
}

const at = ({ id }: { id: number }, rest = ''): string => `/api/activities/${id}${rest}`
const issue = async (issuer: Person, activity: Activity, body: object): Promise<Pass[]> =>
  ok(await issuer.post(at(activity, '/pass/issue'), body)).data.items
const redeem = (gate: Person, activity: Activity, content: string, more: object = {}) =>
  gate.post(at(activity, '/pass/verify'), { content, redeem: true, ...more })
const verify = (activity: { id: number }, content: string) =>
  server.request('POST', at(activity, '/pass/verify'), { body: { content } })
/** `valid`, or the reason why not. */
const verdict = ({ data }: Reply): string => (data.valid ? 'valid' : data.reason)
const page = (path: string, headers: Record<string, string> = {}) =>
  server.request('GET', path, { headers: { accept: 'text/html', ...headers } })
const titles = async (user: Person, type: string): Promise<string[]> =>
  ok(await user.get('/api/notifications', { size: 100 }))
    .data.items.filter((each: { type: string }) => each.type === type)
    .map((each: { title: string }) => each.title)
const discovered = async (user: Person, query: Record<string, string | number> = {}): Promise<string[]> =>
  ok(await user.get('/api/discover/activities', { size: 100, ...query })).data.items.map(
    ({ name }: { name: string }) => name,
  )

describe('a public event of a club', () => {
  test('is published, discovered, registered for, entered with passes, and shows up in the statistics', async () => {
    const cover = await uploaded(manager, png(), { type: 'activity', orgId })
    const now = Date.now()
    const draft = ok(
      await manager.post('/api/activities', {
        orgId,
        name: 'Night run around the lake',
        description: 'Bring a headlamp',
        region: { province: 'Zhejiang', city: 'Hangzhou', district: 'Xihu' },
        location: 'Broken Bridge',
        ...LAKE,
        startTime: now + HOUR,
        endTime: now + 5 * HOUR,
        visibility: 'PUBLIC',
        coverFileId: cover.id,
        hasCheckIn: true,
        hasPass: true,
        checkInConfig: { radiusMeters: 500, shortCode: 'RUN24' },
        registration: { capacity: 2, waitlist: true, questions: [{ key: 'size', label: 'T-shirt', required: true }] },
      }),
    ).data
    expect(draft).toMatchObject({ status: 'DRAFT', ownerType: 'ORGANIZATION', ownerId: orgId, canManage: true })
    expect(await discovered(visitor, { keyword: 'night RUN' })).toEqual([])
    expect((await visitor.get(at(draft))).status).toBe(404)
    ok(await manager.patch(at(draft, '/status'), { status: 'ACTIVE' }))

    const queries: Record<string, string | number>[] = [
      { keyword: 'night RUN' },
      { province: 'Zhejiang', city: 'Hangzhou' },
      { from: now + 2 * HOUR },
    ]
    for (const query of queries) expect(await discovered(visitor, query)).toContain(draft.name)
    expect(await discovered(visitor, { city: 'Ningbo' })).not.toContain(draft.name)
    const { data: seen } = ok(await visitor.get(at(draft)))
    expect(seen).toMatchObject({ canManage: false, stats: null, checkInConfig: { shortCode: null } })
    const picture = await server.request('GET', pathOf(seen.coverUrl))
    expect([picture.status, picture.headers.get('cache-control')]).toEqual([
      200,
      expect.stringContaining('immutable') as never,
    ])

    // Two places and a waiting list of one.
    expect((await visitor.post(at(draft, '/registration'), {})).status).toBe(400)
    const register = (user: Person) => user.post(at(draft, '/registration'), { answers: { size: 'M' } })
    const replies = [await register(visitor), await register(stranger), await register(member)]
    expect(replies.map((reply) => [ok(reply).data.status, reply.data.position])).toEqual([
      ['CONFIRMED', null],
      ['CONFIRMED', null],
      ['WAITING', 1],
    ])
    ok(await stranger.delete(at(draft, '/registration')))
    expect(ok(await member.get(at(draft, '/registration'))).data).toMatchObject({ status: 'CONFIRMED', position: null })
    expect((await titles(member, 'SYSTEM')).length).toBe(1)
    const calendar = await visitor.send('GET', at(draft, '/calendar.ics'))
    expect(ok(calendar).text).toContain('SUMMARY:Night run around the lake')

    const registered = ok(await manager.get(at(draft, '/registrations'), { status: 'CONFIRMED' })).data.items
    const holders = registered.map(({ userId }: { userId: number }) => ({ userId }))
    const passes = await issue(manager, draft, { holders: [...holders, { name: 'Ms Chen' }], maxUses: 1 })
    expect(passes.map(({ holderUserId }) => holderUserId)).toEqual([
      ...holders.map((h: { userId: number }) => h.userId),
      null,
    ])
    for (const user of [visitor, member]) expect((await titles(user, 'SYSTEM')).length).toBeGreaterThan(0)

    const pass = passes.find(({ holderUserId }) => holderUserId === visitor.id)!
    const own = ok(await visitor.get(at(draft, '/qr-code'))).data
    expect(own.map(({ type, content }: { type: string; content: string }) => [type, content])).toEqual([
      ['ACTIVITY', `activity:${draft.id}`],
      ['PASS', pass.qrContent],
    ])
    const shown = await page(pathOf(pass.publicUrl))
    expect(ok(shown).text).toContain(draft.name)

    expect(verdict(await verify(draft, pass.qrContent))).toBe('valid')
    const entry = ok(await redeem(volunteer, draft, pass.qrContent, { nonce: 'gate-1-000001' }))
    expect(entry.data).toMatchObject({
      valid: true,
      pass: { status: 'USED', usedCount: 1, holderUserId: visitor.id },
      use: { result: 'ACCEPTED', verifierUserId: volunteer.id },
    })
    expect(verdict(await redeem(volunteer, draft, pass.qrContent, { nonce: 'gate-1-000001' }))).toBe('valid')
    expect(verdict(await redeem(volunteer, draft, pass.qrContent, { nonce: 'gate-2-000001' }))).toBe('USED')
    expect(verdict(await verify(draft, pass.qrContent))).toBe('USED')

    const here = { latitude: LAKE.latitude + 0.001, longitude: LAKE.longitude, accuracy: 20 }
    expect((await visitor.post(at(draft, '/check-in'), { ...here, shortCode: 'nope' })).status).toBe(400)
    expect(
      (await visitor.post(at(draft, '/check-in'), { latitude: 31, longitude: 120, shortCode: 'RUN24' })).status,
    ).toBe(400)
    const checkedIn = ok(await visitor.post(at(draft, '/check-in'), { ...here, shortCode: 'run24' })).data
    expect(checkedIn).toMatchObject({ method: 'CODE', sequence: 1, distance: 111 })
    expect((await visitor.post(at(draft, '/check-in'), { ...here, shortCode: 'run24' })).status).toBe(400)
    const codes = ok(await manager.get(at(draft, '/qr-code'))).data
    const door = codes.find(({ type }: { type: string }) => type === 'CHECK_IN').content
    expect(ok(await member.post(at(draft, '/check-in'), { ...here, code: door })).data.method).toBe('GPS')

    expect(ok(await manager.get(at(draft, '/check-in/stats'))).data).toMatchObject({
      total: 2,
      users: 2,
      repeated: 0,
      byMethod: { GPS: 1, CODE: 1, QR: 0 },
    })
    expect(ok(await manager.get(at(draft))).data.stats).toMatchObject({
      checkIns: 2,
      checkedInUsers: 2,
      passes: 3,
      passUses: 1,
      registrations: { confirmed: 2, waiting: 0 },
    })
    const sheet = await manager.send('GET', at(draft, '/check-in/records?format=xlsx'))
    expect(ok(sheet).headers.get('content-type')).toContain('spreadsheetml')
    const records = ok(await manager.get(at(draft, '/pass/records'))).data.items
    expect(records.map(({ result }: { result: string }) => result).toSorted()).toEqual([
      'ACCEPTED',
      'REFUSED',
      'REFUSED',
    ])

    ok(await manager.put(`/api/passes/${passes[2]!.id}/revoke`, { reason: 'not paid' }))
    expect(verdict(await redeem(volunteer, draft, passes[2]!.qrContent))).toBe('REVOKED')
    ok(await manager.patch(at(draft, '/status'), { status: 'ENDED' }))
    expect(await discovered(visitor, { keyword: 'night RUN' })).toEqual([])
    expect((await visitor.post(at(draft, '/check-in'), here)).status).toBe(400)
    expect(verdict(await verify(draft, passes.find(({ holderUserId }) => holderUserId === member.id)!.qrContent))).toBe(
      'ACTIVITY_NOT_ACTIVE',
    )
    ok(await manager.delete(at(draft)))
    for (const user of [manager, visitor]) expect((await user.get(at(draft))).status).toBe(404)
    expect((await verify(draft, pass.qrContent)).status).toBe(404)
    expect((await page(pathOf(pass.publicUrl))).status).toBe(404)
  })

  test('exports passes of many guests as CSV and as a ZIP of codes, which the gate accepts', async () => {
    const activity = await publish(manager, { orgId, visibility: 'PUBLIC' })
    const template = ok(
      await manager.post('/api/pass/templates', {
        orgId,
        name: 'Season ticket',
        color: '#1f6feb',
        fields: [{ key: 'seat', label: 'Seat' }],
        maxUses: 3,
      }),
    ).data
    const holders = Array.from({ length: 40 }, (_, i) => ({ name: `客人 ${i + 1}`, fields: { seat: `A-${i + 1}` } }))
    const request = { activityId: activity.id, holders, requestId: 'print-run-1' }
    const path = `/api/pass/templates/${template.id}/issue`
    const passes: Pass[] = ok(await manager.post(path, request)).data.items
    const again: Pass[] = ok(await manager.post(path, request)).data.items
    expect(again.map(({ id }) => id)).toEqual(passes.map(({ id }) => id))
    const exported = async (format: string) =>
      ok(await manager.send('GET', at(activity, `/pass/passes?format=${format}`)))
    const csv = await exported('csv')
    for (const { qrContent } of passes) expect(csv.text).toContain(qrContent)
    expect(csv.text).toContain('客人 40')
    expect((await exported('zip')).text.startsWith('PK')).toBe(true)
    for (const use of [1, 2, 3])
      expect(ok(await redeem(volunteer, activity, passes[7]!.qrContent)).data.pass.usedCount).toBe(use)
    expect(verdict(await redeem(volunteer, activity, passes[7]!.qrContent))).toBe('USED')
    ok(await manager.delete(`/api/pass/templates/${template.id}`))
    expect(verdict(await redeem(volunteer, activity, passes[8]!.qrContent))).toBe('valid')
  })

  test('lets fifty gates admit a pass once', async () => {
    const activity = await publish(manager, { orgId, visibility: 'PUBLIC' })
    const [pass] = await issue(manager, activity, { holders: [{ name: 'Ann' }] })
    const replies = await race(50, (i) => redeem(volunteer, activity, pass!.qrContent, { nonce: `gate-${i}-0001` }))
    expect(replies.map(verdict).filter((each) => each === 'valid')).toHaveLength(1)
    expect(replies.map(verdict).filter((each) => each === 'USED')).toHaveLength(49)
    expect(ok(await manager.get(at(activity, '/pass/records'))).data.total).toBe(50)
  })
})

describe('gates without a network', () => {
  test('check passes with the published keys and the revocation list, and upload what they admitted later', async () => {
    const activity = await publish(manager, { orgId, visibility: 'RESTRICTED' })
    const holders = [{ name: 'Ann' }, { name: 'Ben' }, { name: 'Cleo' }]
    const [ann, ben, cleo] = (await issue(manager, activity, { holders })) as [Pass, Pass, Pass]
    ok(await manager.put(`/api/passes/${ben.id}/revoke`, { reason: 'lost' }))
    const { keys } = ok(await server.request('GET', at(activity, '/pass/keys'))).data
    const revocations = ok(await volunteer.get(at(activity, '/pass/revocations'), { since: 0 })).data
    expect(revocations.revoked.map(({ uuid }: { uuid: string }) => uuid)).toEqual([ben.uuid])
    for (const user of [member, stranger])
      expect((await user.get(at(activity, '/pass/revocations'))).status).not.toBe(200)

    const read = await tokenReader(keys)
    expect(revocations.activity.endTime).toBeGreaterThan(Date.now())
    for (const pass of [ann, ben, cleo]) {
      const token = await read(pass.qrContent)
      expect(token).toMatchObject({ uuid: pass.uuid, activityId: activity.id, isSigned: true })
      // They follow the activity, whose end is in the list.
      expect(token.validTo).toBe(0)
    }
    const altered = ann.qrContent.slice(0, -9) + (ann.qrContent.at(-9) === 'A' ? 'B' : 'A') + ann.qrContent.slice(-8)
    expect((await read(altered)).isSigned).toBe(false)

    // Two gates without a network admit Ann; the second one, and a repeated upload, are reported.
    const item = (pass: Pass, nonce: string, minutes: number) => ({
      content: pass.qrContent,
      nonce,
      usedAt: Date.now() - minutes * 60_000,
    })
    const upload = async (items: object[]): Promise<string[]> =>
      ok(await volunteer.post(at(activity, '/pass/redemptions'), { items })).data.items.map(
        ({ result }: { result: string }) => result,
      )
    const first = [item(ann, 'east-0001', 20), item(cleo, 'east-0002', 19)]
    expect(await upload(first)).toEqual(['ACCEPTED', 'ACCEPTED'])
    expect(await upload(first)).toEqual(['DUPLICATE', 'DUPLICATE'])
    // Stamps run ahead of the clock after many writes, and a scan is judged as of its time.
    await passed(revocations.revoked[0].revokedAt)
    expect(await upload([item(ann, 'west-0001', 10), item(ben, 'west-0002', 0)])).toEqual(['DOUBLE_USE', 'REFUSED'])
    expect(verdict(await redeem(volunteer, activity, ann.qrContent))).toBe('USED')
    const uses = ok(await manager.get(`/api/passes/${ann.id}/records`)).data.items
    expect(uses.filter(({ offline }: { offline: boolean }) => offline)).toHaveLength(2)
    expect(ok(await manager.get(at(activity))).data.stats.passUses).toBe(2)
    for (const [user, status] of [
      [member, 403],
      [stranger, 404],
    ] as const)
      expect((await user.post(at(activity, '/pass/redemptions'), { items: first })).status).toBe(status)
  })
})

describe('an activity by invitation', () => {
  test('is open to holders of the code only, until the code is reset, and its pages tell nothing to others', async () => {
    const activity = await publish(visitor, { name: 'Secret dinner', location: 'Cellar 7', visibility: 'INVITE_ONLY' })
    const code = activity.inviteCode!
    expect(activity.qrContent).toBe(`activity:${activity.id}:${code}`)
    expect((await stranger.get(at(activity))).status).toBe(403)
    expect((await stranger.get(at(activity), { code: 'ABCDEFGHJK' })).status).toBe(403)
    const { data } = ok(await stranger.get(at(activity), { code: code.toLowerCase() }))
    expect(data).toMatchObject({ name: 'Secret dinner', inviteCode: null, qrContent: null })
    expect((await stranger.get(at(activity))).status).toBe(403)

    const landing = `/s/activity/${activity.uuid}`
    for (const accept of ['text/html', 'application/json']) {
      const closed = await server.request('GET', landing, { headers: { accept } })
      expect([closed.status, closed.text.includes('dinner'), closed.text.includes('Cellar')]).toEqual([
        403,
        false,
        false,
      ])
      const open = await server.request('GET', `${landing}?code=${code}`, { headers: { accept } })
      expect([open.status, open.text.includes('Secret dinner')]).toEqual([200, true])
    }
    const scanned = async (user: Person, content: string) =>
      ok(await user.post('/api/scan-records', { content })).data.resolved
    expect(await scanned(visitor, activity.qrContent!)).toMatchObject({ kind: 'ACTIVITY', id: activity.id })
    expect((await scanned(stranger, `activity:${activity.id}`)).title ?? null).toBeNull()

    expect((await stranger.post(at(activity, '/check-in'), {})).status).toBe(403)
    expect(ok(await stranger.post(at(activity, '/check-in'), { code: activity.qrContent })).data.method).toBe('QR')
    const { data: renewed } = ok(await visitor.patch(at(activity, '/invite-code')))
    expect(renewed.inviteCode).not.toBe(code)
    expect(renewed.qrContent).toBe(`activity:${activity.id}:${renewed.inviteCode}`)
    for (const old of [{ code }, { code: activity.qrContent! }])
      expect((await member.get(at(activity), old)).status).toBe(403)
    expect((await member.post(at(activity, '/check-in'), { code: activity.qrContent })).status).toBe(403)
    expect((await server.request('GET', `${landing}?code=${code}`)).status).toBe(403)
    ok(await visitor.put(at(activity), { visibility: 'PUBLIC' }))
    expect(ok(await member.get(at(activity))).data).toMatchObject({
      inviteCode: null,
      qrContent: `activity:${activity.id}`,
    })
    expect((await visitor.patch(at(activity, '/invite-code'))).status).toBe(400)
  })

  test('of one person cannot be restricted to members, and is cancelled when the account is deleted', async () => {
    const me = await server.person()
    const fields = { name: 'x', startTime: Date.now(), endTime: Date.now() + HOUR }
    expect((await me.post('/api/activities', { ...fields, visibility: 'RESTRICTED' })).status).toBe(400)
    expect((await me.post('/api/activities', { ...fields, endTime: fields.startTime })).status).toBe(400)
    const activity = await publish(me, { visibility: 'PUBLIC' })
    expect((await me.put(at(activity), { visibility: 'RESTRICTED' })).status).toBe(400)
    ok(await me.call('auth.deleteAccount'))
    expect(ok(await stranger.get(at(activity))).data.status).toBe('CANCELLED')
    expect((await stranger.post(at(activity, '/check-in'), {})).status).toBe(400)
  })
})

describe('members and roles', () => {
  test('a RESTRICTED activity exists for members only, and leaving the organization ends the access', async () => {
    const activity = await publish(manager, { orgId, name: 'General assembly', visibility: 'RESTRICTED' })
    const passing = await server.person()
    await addMembers(owner, org, passing)
    for (const user of [member, guest, passing]) expect(ok(await user.get(at(activity))).data.name).toBe(activity.name)
    ok(await passing.post(at(activity, '/check-in'), {}))
    ok(await leave(passing, org))
    for (const user of [passing, former, stranger, admin]) {
      expect((await user.get(at(activity))).status).toBe(404)
      expect((await user.post(at(activity, '/check-in'), {})).status).toBe(404)
      expect((await user.post(at(activity, '/registration'), {})).status).toBe(404)
      expect((await user.send('GET', at(activity, '/calendar.ics'))).status).toBe(404)
    }
    const unknown = crypto.randomUUID()
    const missing = await page(`/s/activity/${unknown}`)
    const hidden = await page(`/s/activity/${activity.uuid}`)
    // Both link to the sign-in with their own address.
    expect([hidden.status, hidden.text]).toEqual([404, missing.text.replaceAll(unknown, activity.uuid)])
  })

  test('each role can do what it holds points for, and learns nothing else', async () => {
    const activity = await publish(manager, { orgId, name: 'Regatta', visibility: 'PUBLIC' })
    const [pass] = await issue(manager, activity, { holders: [{ userId: visitor.id }] })
    const path = `/api/passes/${pass!.id}`
    const tries: [string, (user: Person) => Promise<Reply>, Partial<Record<string, number>>][] = [
      [
        'create',
        (user) => user.post('/api/activities', { orgId, name: 'x', startTime: 1, endTime: 2 }),
        { manager: 200 },
      ],
      ['update', (user) => user.put(at(activity), { description: user.username }), { manager: 200 }],
      ['publish', (user) => user.patch(at(activity, '/status'), { status: 'ACTIVE' }), { manager: 200 }],
      ['issue', (user) => user.post(at(activity, '/pass/issue'), { holders: [{ name: 'x' }] }), { manager: 200 }],
      ['redeem', (user) => redeem(user, activity, pass!.qrContent), { manager: 200, volunteer: 200 }],
      ['revocations', (user) => user.get(at(activity, '/pass/revocations')), { manager: 200, volunteer: 200 }],
      ['statistics', (user) => user.get(at(activity, '/check-in/stats')), { manager: 200 }],
      ['registrations', (user) => user.get(at(activity, '/registrations')), { manager: 200 }],
      ['records of a pass', (user) => user.get(`${path}/records`), { manager: 200, visitor: 200, other: 404 }],
      ['revoke', (user) => user.put(`${path}/revoke`), { visitor: 403, other: 404, manager: 200 }],
      ['delete', (user) => user.delete(at(activity)), { manager: 400 }],
    ]
    const users = { volunteer, member, guest, former, stranger, visitor, manager }
    for (const [name, call, expected] of tries)
      for (const [role, user] of Object.entries(users)) {
        const { status } = await call(user)
        expect([name, role, status]).toEqual([name, role, expected[role] ?? expected['other'] ?? 403])
      }
    // They see the activity and their own rows.
    for (const user of [member, guest, former, stranger]) {
      expect(ok(await user.get(at(activity))).data.canManage).toBe(false)
      for (const own of ['/pass/passes', '/pass/records', '/check-in/records'])
        expect([own, ok(await user.get(at(activity, own))).data.total]).toEqual([own, 0])
    }
    expect(ok(await visitor.get(at(activity, '/pass/passes'))).data.items[0]).toMatchObject({
      status: 'REVOKED',
      id: pass!.id,
    })
    ok(await owner.patch(at(activity, '/status'), { status: 'CANCELLED' }))
    expect((await owner.patch(at(activity, '/status'), { status: 'ACTIVE' })).status).toBe(400)
    expect((await owner.put(at(activity), { name: 'Regatta 2' })).status).toBe(400)
    ok(await owner.delete(at(activity)))
  })
})

describe('in Chinese', () => {
  test('errors, pages and notifications speak Chinese, and Chinese names are found', async () => {
    const zh = { 'accept-language': 'zh-CN,zh;q=0.9' }
    const activity = await publish(manager, {
      orgId,
      name: '西湖夜跑',
      location: '断桥',
      visibility: 'PUBLIC',
      checkInConfig: { shortCode: 'XIHU' },
    })
    expect(await discovered(stranger, { keyword: '夜跑' })).toEqual(['西湖夜跑'])
    const refused = await stranger.send('POST', at(activity, '/check-in'), { headers: zh, body: { shortCode: 'nein' } })
    expect([refused.status, refused.message]).toEqual([400, expect.stringMatching(/[\u4e00-\u9fff]/) as never])
    const [pass] = await issue(manager, activity, { holders: [{ name: '陈静' }] })
    const uuids = [`/s/activity/${activity.uuid}`, pathOf(pass!.publicUrl)]
    for (const path of uuids) {
      const [chinese, english] = [await page(path, zh), await page(path, { 'accept-language': 'en' })]
      for (const shown of [chinese, english])
        expect([shown.status, shown.text.includes('西湖夜跑')]).toEqual([200, true])
      expect([chinese.text.includes('lang="zh'), english.text.includes('lang="en')]).toEqual([true, true])
      // Data of search engines, and the clock of the visitor.
      for (const [tag] of chinese.text.matchAll(/<script[^>]*>/g)) expect(tag).toMatch(/ld\+json|local-time\.js/)
    }
    expect((await verify(activity, pass!.qrContent)).data.pass.holderName).toBe('陈**')
    const missing = await page(`/s/pass/${crypto.randomUUID()}`, zh)
    expect([missing.status, /[\u4e00-\u9fff]{4}/.test(missing.text)]).toEqual([404, true])
  })
})

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Reads and checks tokens as docs describe them, with nothing of the server but its public keys. */
async function tokenReader(keys: { keyId: number; publicKey: string }[]) {
  const opened = new Map<number, CryptoKey>()
  for (const { keyId, publicKey } of keys)
    opened.set(
      keyId,
      await crypto.subtle.importKey('raw', Buffer.from(publicKey, 'base64url'), 'Ed25519', false, ['verify']),
    )
  return async (content: string) => {
    const text = content.slice(content.lastIndexOf('/') + 1)
    const bits = [...text].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('')
    const bytes = Buffer.from(bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)))
    const [payload, signature] = [bytes.subarray(0, 32), bytes.subarray(32)]
    const signed = Buffer.concat([Buffer.from('tessera pass v1\n'), payload])
    const key = opened.get(payload[1]!)
    return {
      uuid: payload.toString('hex', 2, 18).replace(/(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
      activityId: payload.readUIntBE(18, 6),
      validTo: payload.readUInt32BE(28),
      isSigned: key !== undefined && (await crypto.subtle.verify('Ed25519', key, signature, signed)),
    }
  }
}
