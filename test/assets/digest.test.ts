/** The digest, and mails of notifications about assets, read as they arrive. The jobs of assets are run by the tests. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { dueDigest, queueDigests } from '#domains/assets/digests/digests.service.ts'
import { notifyOfDueLoans } from '#domains/assets/loans/notices.service.ts'
import { remindOfWarranties } from '#domains/assets/reminders.service.ts'
import { notify } from '#domains/notifications/index.ts'

import { useWorld } from '../accounts/helpers.ts'
import { stopPath } from '../activities/mail-helpers.ts'
import { inProcess, ok, type Person, race } from '../harness/index.ts'
import type { SentMail } from '../harness/mail-sink.ts'
import { addMembers, createOrg, leave, setRole } from '../orgs/helpers.ts'
import { addAsset } from './counting.ts'
import { addMany, updateAsset } from './helpers.ts'
import { createCategory } from './places.ts'
import { addCategory, reserve } from './reserving.ts'

const world = useWorld({
  domains: (product) => product.map((domain) => (domain.name === 'assets' ? { ...domain, jobs: [] } : domain)),
})
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

type User = Person & { readonly email: string }

const configure = async (values: object) => {
  const admin = await world.server.admin()
  ok(await admin.send('PUT', '/api/admin/settings', { body: { values } }))
}
const prefer = async (person: Person, body: object) => ok(await person.put('/api/notifications/preferences', body))
const now = () => (inProcess ? world.server.clock.now() : Date.now())
const zoned = (zone: string) => Temporal.Instant.fromEpochMilliseconds(now()).toZonedDateTimeISO(zone)
const dayIn = (days: number, zone = Temporal.Now.timeZoneId()) => zoned(zone).toPlainDate().add({ days }).toString()
const queue = () => queueDigests(world.server.ctx)

/** Moves the clock to the next time at which clocks in the zone show the hour, and queues the digests. */
async function digestsAt(hour: number, zone = Temporal.Now.timeZoneId()): Promise<void> {
  const at = zoned(zone)
  const today = at.toPlainDate().toPlainDateTime({ hour }).toZonedDateTime(zone)
  const next = Temporal.ZonedDateTime.compare(today, at) > 0 ? today : today.add({ days: 1 })
  // A mail that is being sent would be sent again after such a jump, with the same Message-ID.
  await world.allDelivered()
  world.server.clock.advance(next.epochMilliseconds - now() + 1000)
  await queue()
  await world.allDelivered()
}

const mailsTo = ({ email }: User): SentMail[] =>
  world.gateways.mails.filter((mail) => mail.to === email && mail.headers.has('list-unsubscribe'))
const digestsTo = (user: User): SentMail[] => mailsTo(user).filter(({ subject }) => /^(Assets:|资产：)/.test(subject))

const lendTo = async (person: Person, assetId: number, body: object) =>
  ok(await person.call('assets.checkOut', { params: { id: assetId }, body })).data

/** The server writes down the language of the latest request once a minute. */
async function speakChinese(person: Person): Promise<void> {
  world.server.clock.advance(2 * MINUTE)
  for (let i = 0; i < 2; i++) {
    ok(await person.send('GET', '/api/auth/userinfo', { headers: { 'accept-language': 'zh-CN' } }))
    world.server.clock.advance(2 * MINUTE)
  }
}

/** A user with an overdue loan of their own. */
async function debtor(): Promise<User> {
  const user = await world.withEmail()
  const asset = await addAsset(user, { name: 'Ladder' })
  await lendTo(user, asset.id, { personName: 'Ms Chen', dueAt: now() - HOUR })
  return user
}

beforeAll(async () => {
  await configure({ 'mail.assetReminders': true })
  // The tests begin at noon, so that the next hour of most users is tomorrow.
  if (inProcess) await digestsAt(12)
})

const setOrgStatus = async ({ id }: { readonly id: number }, status: 'ACTIVE' | 'DISABLED') => {
  const admin = await world.server.admin()
  ok(await admin.call('admin.orgs.update', { params: { orgId: id }, body: { status } }))
}

describe('the time of a digest', () => {
  const at = (text: string) => Temporal.Instant.from(text).epochMilliseconds
  test.each([
    // Berlin is UTC+1 until 28 March 2027, when clocks skip 2:00 to 3:00, and UTC+2 until 31 October, when they show 2:00 to 3:00 twice.
    ['Europe/Berlin', 7, '2027-03-27T06:00:00Z', '2027-03-27'],
    ['Europe/Berlin', 7, '2027-03-28T05:00:00Z', '2027-03-28'],
    ['Europe/Berlin', 2, '2027-03-28T01:00:00Z', '2027-03-28'],
    ['Europe/Berlin', 2, '2027-03-29T00:00:00Z', '2027-03-29'],
    ['Europe/Berlin', 2, '2027-10-31T00:00:00Z', '2027-10-31'],
    ['Europe/Berlin', 3, '2027-10-31T02:00:00Z', '2027-10-31'],
    // New York changes its clocks at 2:00 on 14 March and 7 November 2027.
    ['America/New_York', 2, '2027-03-14T07:00:00Z', '2027-03-14'],
    ['America/New_York', 1, '2027-11-07T05:00:00Z', '2027-11-07'],
    ['America/New_York', 7, '2027-11-07T12:00:00Z', '2027-11-07'],
    ['Asia/Kathmandu', 7, '2027-05-02T01:15:00Z', '2027-05-02'],
    ['Asia/Kathmandu', 0, '2027-05-01T18:15:00Z', '2027-05-02'],
    // Santiago skips midnight.
    ['America/Santiago', 0, '2027-09-05T04:00:00Z', '2027-09-05'],
  ])('in %s at %i:00 is %s', (zone, hour, moment, day) => {
    const time = { hour, zone }
    const start = at(moment)
    expect(dueDigest(time, start - HOUR, start - 1)).toBeUndefined()
    expect(dueDigest(time, start - 1, start)).toBe(day)
    expect(dueDigest(time, start - 3 * DAY, start + 5 * HOUR)).toBe(day)
    // It comes once, also in the hour that clocks show twice.
    for (let quarter = 1; quarter < 23 * 4; quarter++)
      expect(dueDigest(time, start + (quarter - 1) * (HOUR / 4), start + quarter * (HOUR / 4))).toBeUndefined()
  })

  test('that was missed is made up for on the same day or within twelve hours, and otherwise left out', () => {
    const time = { hour: 23, zone: 'Europe/Berlin' }
    const moment = at('2027-01-10T22:00:00Z')
    expect(dueDigest(time, moment - DAY, moment + 11 * HOUR)).toBe('2027-01-10')
    expect(dueDigest(time, moment - DAY, moment + 13 * HOUR)).toBeUndefined()
    const early = { hour: 7, zone: 'Europe/Berlin' }
    expect(dueDigest(early, 0, at('2027-01-10T22:59:00Z'))).toBe('2027-01-10')
  })
})

describe.if(inProcess)('a digest', () => {
  test('names what is due to its reader, in their language and zone, with a link that stops such mails', async () => {
    const [alice, bob] = [await world.withEmail(), await world.withEmail()]
    const other = await world.withEmail()
    const org = await createOrg(alice)
    await addMembers(alice, org, bob, other)
    await speakChinese(bob)
    const [late, soon, far] = [
      await addAsset(alice, { name: 'Projector' }, org.id),
      await addAsset(alice, { name: 'Camera' }, org.id),
      await addAsset(alice, { name: 'Tripod' }, org.id),
    ]
    await lendTo(alice, late.id, { userId: bob.id, dueAt: now() - HOUR })
    await lendTo(alice, soon.id, { userId: bob.id, dueAt: now() + DAY + HOUR })
    await lendTo(alice, far.id, { userId: bob.id, dueAt: now() + 9 * DAY })
    const kept = await addAsset(alice, { name: 'Boiler', custodianId: bob.id }, org.id)
    const plan = { name: 'Inspection', kind: 'INSPECTION', every: { months: 12 }, firstDue: dayIn(-3) }
    ok(await alice.post('/api/assets/maintenance/plans', { ...plan, assetId: kept.id, orgId: org.id }))
    const free = await addAsset(alice, { name: 'Lift' }, org.id)
    ok(await alice.post('/api/assets/maintenance/plans', { ...plan, assetId: free.id, orgId: org.id }))
    await addAsset(alice, { name: 'Printer', warrantyExpiry: dayIn(20) }, org.id)
    const categoryId = (await createCategory(alice, 'Tablets', { orgId: org.id })).id
    for (let i = 0; i < 3; i++) {
      const tablet = await addAsset(alice, { categoryId }, org.id)
      ok(await updateAsset(alice, tablet.id, { nextCountOn: dayIn(5) }))
    }
    const days = { since: dayIn(-3), until: dayIn(20) }
    await digestsAt(7)
    const [digest] = digestsTo(alice)
    expect(digest!.subject).toBe('Assets: overdue 1, due 1, to be serviced 1, warranties ending 1, counts 1')
    for (const part of [digest!.text, digest!.html]) {
      expect(part).toContain(`Projector (${late.assetNo})`)
      expect(part).toContain(`Camera (${soon.assetNo})`)
      expect(part).toContain(`Inspection, overdue since ${days.since}`)
      expect(part).toContain(`until ${days.until}`)
      expect(part).toContain('Tablets: 3 assets')
      expect(part).toContain('/console/assets/loans')
      for (const foreign of ['Tripod', 'Boiler', '{{', 'undefined', 'null']) expect(part).not.toContain(foreign)
    }
    expect(digest!.html).not.toMatch(/<img|<script|src=/i)
    expect(digest!.headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
    const [hers] = digestsTo(bob)
    expect(hers!.subject).toBe('资产：逾期未还 1，即将到期 1，待维护 1')
    expect(hers!.text).toContain('应由你归还')
    expect(hers!.text).toContain('Boiler')
    for (const foreign of ['Lift', 'Printer', 'Tablets', 'Tripod']) expect(hers!.text).not.toContain(foreign)
    expect(digestsTo(other)).toEqual([])
  })

  test('comes once a day while there is something, and not when there is nothing', async () => {
    const user = await world.withEmail()
    const asset = await addAsset(user)
    await lendTo(user, asset.id, { personName: 'Ms Chen', dueAt: now() - HOUR })
    await digestsAt(7)
    expect(digestsTo(user)).toHaveLength(1)
    for (let hours = 0; hours < 12; hours++) {
      world.server.clock.advance(HOUR)
      await queue()
    }
    expect(digestsTo(user)).toHaveLength(1)
    await digestsAt(7)
    expect(digestsTo(user)).toHaveLength(2)
    ok(await user.call('assets.checkIn', { params: { id: asset.id }, body: {} }))
    await digestsAt(7)
    expect(digestsTo(user)).toHaveLength(2)
    expect(new Set(digestsTo(user).map(({ headers }) => headers.get('message-id'))).size).toBe(2)
  })

  test('is not sent for things that came up after the hour of the user', async () => {
    await digestsAt(7)
    const user = await debtor()
    world.server.clock.advance(HOUR)
    await queue()
    await world.allDelivered()
    expect(digestsTo(user)).toEqual([])
    await digestsAt(7)
    expect(digestsTo(user)).toHaveLength(1)
  })

  test('is sent once by runs at the same time, and by one that goes on after an interruption', async () => {
    const users = [await debtor(), await debtor(), await debtor()]
    await digestsAt(6)
    world.server.clock.advance(HOUR)
    const { db } = world.server.ctx
    const { write } = db
    // As if the process were killed when the digests are queued and the progress is not saved.
    db.write = ((name, ...rest) => {
      if (name === 'assets.saveDigestRun') throw new Error('killed')
      return write.call(db, name, ...rest)
    }) as typeof write
    await expect(queue()).rejects.toThrow('killed')
    db.write = write
    await race(5, queue)
    await world.allDelivered()
    for (const user of users) expect(digestsTo(user)).toHaveLength(1)
  })

  test('comes at the hour of the user in their zone, and once a day if they move to another one', async () => {
    const [nepal, york] = [await debtor(), await debtor()]
    await prefer(nepal, { timeZone: 'Asia/Kathmandu', digestHour: 20 })
    await prefer(york, { timeZone: 'America/New_York', digestHour: 20 })
    await digestsAt(19, 'Asia/Kathmandu')
    expect(digestsTo(nepal)).toEqual([])
    await digestsAt(20, 'Asia/Kathmandu')
    expect([digestsTo(nepal).length, digestsTo(york).length]).toEqual([1, 0])
    await digestsAt(20, 'America/New_York')
    expect([digestsTo(nepal).length, digestsTo(york).length]).toEqual([1, 1])
    await prefer(york, { timeZone: 'America/Los_Angeles' })
    await digestsAt(20, 'America/Los_Angeles')
    expect(digestsTo(york)).toHaveLength(1)
    await digestsAt(20, 'America/Los_Angeles')
    expect(digestsTo(york)).toHaveLength(2)
  })

  test('names ten things of a kind and the number of the others, and hostile names as they are', async () => {
    const user = await world.withEmail()
    const hostile = '<script>alert(1)</script> ]]> & "quoted"'
    const first = await addAsset(user, { name: hostile })
    await lendTo(user, first.id, { personName: '<b>Eve</b>', dueAt: now() - 2 * HOUR })
    for (let i = 0; i < 11; i++) {
      const { id } = await addAsset(user, { name: `Chair ${i}` })
      await lendTo(user, id, { personName: 'Ms Chen', dueAt: now() - HOUR })
    }
    await digestsAt(7)
    const [digest] = digestsTo(user)
    expect(digest!.subject).toBe('Assets: overdue 12')
    expect(digest!.html.match(/<li>/g)).toHaveLength(11)
    expect(digest!.text).toContain('and 2 more')
    expect(digest!.text).toContain(hostile)
    expect(digest!.html).not.toContain('<script')
    expect(digest!.html).not.toContain('<b>')
  })

  test('counts no more than a thousand things of a kind', async () => {
    const user = await world.withEmail()
    const warrantyExpiry = dayIn(3)
    await addMany(
      world.server,
      { userId: user.id, orgId: 0 },
      Array.from({ length: 1005 }, () => ({ warrantyExpiry })),
    )
    await digestsAt(7)
    expect(digestsTo(user)[0]!.subject).toBe('Assets: warranties ending more than 1000')
  })

  test('is not sent to users without a proved address, who want none, or whose account is disabled or deleted', async () => {
    const [without, unwilling, disabled, gone] = [
      await world.server.person(),
      await debtor(),
      await debtor(),
      await debtor(),
    ]
    const asset = await addAsset(without)
    await lendTo(without, asset.id, { personName: 'Ms Chen', dueAt: now() - HOUR })
    await prefer(unwilling, { emailAssets: 'NONE' })
    const admin = await world.server.admin()
    ok(await admin.send('PATCH', `/api/admin/users/${disabled.id}/status`, { body: { status: 'DISABLED' } }))
    ok(await gone.call('auth.deleteAccount'))
    const before = world.gateways.mails.length
    await digestsAt(7)
    for (const user of [unwilling, disabled, gone]) expect(digestsTo(user)).toEqual([])
    expect(world.gateways.mails.slice(before).map(({ to }) => to)).not.toContain(`${without.id}@example.org`)
  })

  test('says nothing of organizations that are disabled or that the user has left', async () => {
    const owner = await world.withEmail()
    const [stays, leaves] = [await world.withEmail(), await world.withEmail()]
    const [first, second] = [await createOrg(owner), await createOrg(owner)]
    await addMembers(owner, first, stays, leaves)
    for (const org of [first, second]) {
      const { id } = await addAsset(owner, { name: 'Projector' }, org.id)
      await lendTo(owner, id, { personName: 'Ms Chen', dueAt: now() - HOUR })
    }
    for (const member of [stays, leaves]) {
      const { id } = await addAsset(owner, { name: 'Camera' }, first.id)
      await lendTo(owner, id, { userId: member.id, dueAt: now() - HOUR })
    }
    ok(await leave(leaves, first))
    await setOrgStatus(second, 'DISABLED')
    await digestsAt(7)
    expect(digestsTo(owner).map(({ subject }) => subject)).toEqual(['Assets: overdue 3'])
    expect(digestsTo(stays)).toHaveLength(1)
    expect(digestsTo(leaves)).toEqual([])
    await setOrgStatus(second, 'ACTIVE')
    await digestsAt(7)
    expect(digestsTo(owner).at(-1)!.subject).toBe('Assets: overdue 4')
  })

  test('names maintenance without an assignee to keepers, also to those who became keepers later', async () => {
    const owner = await world.withEmail()
    const [keeper, member] = [await world.withEmail(), await world.withEmail()]
    const org = await createOrg(owner)
    await addMembers(owner, org, keeper, member)
    const { id } = await addAsset(owner, { name: 'Lift' }, org.id)
    const plan = {
      name: 'Check',
      kind: 'SERVICE',
      every: { days: 30 },
      firstDue: dayIn(-1),
      assetId: id,
      orgId: org.id,
    }
    const { data } = ok(await owner.post('/api/assets/maintenance/plans', plan))
    await digestsAt(7)
    expect([owner, keeper, member].map((one) => digestsTo(one).length)).toEqual([1, 0, 0])
    await setRole(owner, org, keeper, 'ADMIN')
    await digestsAt(7)
    expect([owner, keeper, member].map((one) => digestsTo(one).length)).toEqual([2, 1, 0])
    ok(await owner.put(`/api/assets/maintenance/plans/${data.id}`, { assigneeId: member.id }))
    await digestsAt(7)
    expect([owner, keeper, member].map((one) => digestsTo(one).length)).toEqual([2, 1, 1])
  })

  test('names requests to those who decide, pick-ups to their people, and low supplies to their keepers', async () => {
    const [owner, keeper, member] = [await world.withEmail(), await world.withEmail(), await world.withEmail()]
    const org = await createOrg(owner)
    await addMembers(owner, org, keeper, member)
    const orgId = org.id
    const category = async (booking: object) => addCategory(owner, orgId, { bookable: true, ...booking })
    const asset = async (name: string, booking: object) =>
      addAsset(owner, { name, categoryId: await category(booking) }, orgId)
    const [open, named, free, later] = [
      await asset('Camera', {}),
      await asset('Drone', { keeperIds: [keeper.id] }),
      await asset('Tripod', { approval: 'NONE' }),
      await asset('Lamp', { approval: 'NONE' }),
    ]
    const from = now() + DAY
    for (const { id } of [open, named, free])
      ok(await reserve(member, { orgId, items: [{ assetId: id }], from, to: from + HOUR }))
    const far = now() + 9 * DAY
    ok(await reserve(member, { orgId, items: [{ assetId: later.id }], from: far, to: far + HOUR }))
    const supply = async (fields: object) =>
      ok(await owner.call('supplies.create', { body: { orgId, minimum: 20, ...fields } as never })).data
    const [chalk] = [
      await supply({ name: 'Chalk', target: 50 }),
      await supply({ name: 'Toner', keeperIds: [keeper.id] }),
    ]
    ok(await owner.call('supplies.move', { params: { id: chalk!.id }, body: { type: 'IN', quantity: 3 } as never }))
    const chairs = await supply({ name: 'Chairs', kind: 'POOL', minimum: null })
    const move = (body: object) =>
      owner.call('supplies.move', { params: { id: chairs.id }, body: body as never }).then((reply) => ok(reply))
    await move({ type: 'IN', quantity: 40 })
    await move({ type: 'TAKE', quantity: 12, userId: member.id, dueAt: now() + HOUR })
    await digestsAt(7)
    const [ofOwner] = digestsTo(owner)
    expect(ofOwner!.subject).toBe('Assets: to be decided 1, low 1')
    expect(ofOwner!.text).toMatch(/: Camera \(.+\), .+ \d+:\d\d/)
    expect(ofOwner!.text).toMatch(/Chalk \(.+\): 3 pcs left, 47 to order/)
    for (const foreign of ['Drone', 'Tripod', 'Toner', 'Chairs']) expect(ofOwner!.text).not.toContain(foreign)
    const [ofKeeper] = digestsTo(keeper)
    expect(ofKeeper!.subject).toBe('Assets: to be decided 1, low 1')
    expect(ofKeeper!.text).toContain('Drone')
    expect(ofKeeper!.text).toMatch(/Toner \(.+\): 0 pcs left, 20 to order/)
    const [ofMember] = digestsTo(member)
    expect(ofMember!.subject).toBe('Assets: overdue 1, to be picked up 1')
    expect(ofMember!.text).toContain('12 × Chairs')
    expect(ofMember!.text).toContain('Tripod')
    for (const foreign of ['Lamp', 'Camera', 'Chalk']) expect(ofMember!.text).not.toContain(foreign)
  })

  test('waits for the setting, and is not sent late when it is turned on', async () => {
    await configure({ 'mail.assetReminders': false })
    const user = await debtor()
    await digestsAt(7)
    expect(digestsTo(user)).toEqual([])
    world.server.clock.advance(2 * HOUR)
    await configure({ 'mail.assetReminders': true })
    await queue()
    await world.allDelivered()
    expect(digestsTo(user)).toEqual([])
    await digestsAt(7)
    expect(digestsTo(user)).toHaveLength(1)
  })

  test('counts in the budget of the day', async () => {
    const users = [await debtor(), await debtor()]
    for (const user of users) await prefer(user, { digestHour: 15 })
    // Mails to users of other tests do not count until a day has passed.
    await configure({ 'budget.assetMailsPerDay': 0 })
    for (let day = 0; day < 2; day++) await digestsAt(14)
    world.server.clock.advance(50 * MINUTE)
    await queue()
    await configure({ 'budget.assetMailsPerDay': 1 })
    const before = users.map((user) => digestsTo(user).length)
    await digestsAt(15)
    await configure({ 'budget.assetMailsPerDay': 20_000 })
    expect(users.map((user, i) => digestsTo(user).length - before[i]!).toSorted()).toEqual([0, 1])
  })
})

describe.if(inProcess)('the link that stops mails about assets', () => {
  test('changes the choice of the user by one click or on its page, without a sign-in', async () => {
    const user = await debtor()
    await digestsAt(7)
    const path = stopPath(digestsTo(user)[0]!)
    const { server } = world
    const chosen = async () => ok(await user.call('notifications.preferences')).data.emailAssets
    const page = await server.request('GET', `${path}?lang=en`)
    expect(page.text).toContain('At present: one mail a day')
    expect(page.text).not.toContain(user.email)
    expect(await chosen()).toBe('DAILY')
    const click = async (body: string) =>
      server.request('POST', path, { body, headers: { 'content-type': 'application/x-www-form-urlencoded' } })
    expect((await click('List-Unsubscribe=One-Click')).status).toBe(200)
    expect(await chosen()).toBe('NONE')
    expect((await server.request('GET', `${path}?lang=zh`)).text).toContain('当前：不接收资产邮件')
    await digestsAt(7)
    expect(digestsTo(user)).toHaveLength(1)
    expect((await click('choice=AT_ONCE')).status).toBe(200)
    expect(await chosen()).toBe('AT_ONCE')
    expect((await click('choice=SOMETIMES')).status).toBe(400)
    expect(await chosen()).toBe('AT_ONCE')
    // The choice about activities is another one.
    expect(ok(await user.call('notifications.preferences')).data.emailActivities).toBe('ALL')
    ok(await user.call('auth.deleteAccount'))
    expect((await click('choice=DAILY')).status).toBe(404)
  })
})

describe.if(inProcess)('a notification about assets', () => {
  const noticesTo = (user: User): SentMail[] =>
    mailsTo(user).filter(({ subject }) => /^\[(Assets|资产)\]/.test(subject))

  test('is mailed at once to users who want that, and to no others', async () => {
    const [daily, atOnce] = [await debtor(), await debtor()]
    await prefer(atOnce, { emailAssets: 'AT_ONCE' })
    await notifyOfDueLoans(world.server.ctx)
    await notifyOfDueLoans(world.server.ctx)
    await world.allDelivered()
    expect(noticesTo(daily)).toEqual([])
    const [mail, ...others] = noticesTo(atOnce)
    expect(others).toEqual([])
    expect(mail!.subject).toBe('[Assets] A loan is overdue')
    expect(mail!.text).toMatch(/You have not got back Ladder \(.+\) from Ms Chen/)
    expect(mail!.text).toMatch(/\/console\/assets\/\d+/)
    expect((await world.server.request('POST', stopPath(mail!), { body: {} })).status).toBe(200)
    expect(ok(await atOnce.call('notifications.preferences')).data.emailAssets).toBe('NONE')
  })

  test('is mailed besides the digest, in the language of the user', async () => {
    const user = await debtor()
    await prefer(user, { emailAssets: 'AT_ONCE' })
    await speakChinese(user)
    await addAsset(user, { warrantyExpiry: dayIn(3) })
    await remindOfWarranties(world.server.ctx)
    await digestsAt(7)
    expect(noticesTo(user).map(({ subject }) => subject)).toEqual(['[资产] 保修即将到期'])
    expect(digestsTo(user)).toHaveLength(1)
  })

  test('is not mailed if its write fails, twice for one subject, or beyond fifty a day', async () => {
    const user = await world.withEmail()
    await prefer(user, { emailAssets: 'AT_ONCE' })
    const { ctx } = world.server
    const tell = (n: number, subject?: string) => (tx: Parameters<typeof notify>[1]) =>
      notify(ctx, tx, {
        userIds: [user.id],
        type: 'ASSET',
        title: { en: `Notice ${n}`, zh: `通知 ${n}` },
        body: { en: 'Text', zh: '文字' },
        ...(subject !== undefined && { subject }),
      })
    const failing = ctx.db.write('test.notify', async (tx) => {
      await tell(0)(tx)
      throw new Error('refused')
    })
    await expect(failing).rejects.toThrow('refused')
    for (const n of [1, 2]) await ctx.db.write('test.notify', tell(n, 'ASSET 1'))
    await world.allDelivered()
    expect(noticesTo(user).map(({ subject }) => subject)).toEqual(['[Assets] Notice 1'])
    for (let n = 3; n < 60; n++) await ctx.db.write('test.notify', tell(n))
    await world.allDelivered()
    expect(noticesTo(user)).toHaveLength(50)
  })

  test('of a disabled organization is not mailed', async () => {
    const user = await world.withEmail()
    await prefer(user, { emailAssets: 'AT_ONCE' })
    const org = await createOrg(user)
    const { ctx } = world.server
    const tell = () =>
      ctx.db.write('test.notify', (tx) =>
        notify(ctx, tx, {
          userIds: [user.id],
          type: 'ASSET',
          title: { en: 'Notice', zh: '通知' },
          body: { en: 'Text', zh: '文字' },
          data: { orgId: org.id },
        }),
      )
    await tell()
    await world.allDelivered()
    await setOrgStatus(org, 'DISABLED')
    await tell()
    await world.allDelivered()
    expect(noticesTo(user)).toHaveLength(1)
  })
})
