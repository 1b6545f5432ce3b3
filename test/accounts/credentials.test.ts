/** The access that ends when a credential of an account changes: each row of credentials.rules.ts, by its operations. */

import { describe, expect, test } from 'bun:test'

import { and, eq } from 'drizzle-orm'

import { accountLinks, identities, sessions, verificationCodes } from '#db/schema/accounts.ts'
import { resetPassword } from '#domains/accounts/index.ts'
import { stepAt, totp } from '#lib/totp.ts'

import { inProcess, ok } from '../harness/index.ts'
import { type Person, person } from '../harness/people.ts'
import { fromBase32, newDevice, newEmail, useWorld } from './helpers.ts'

const world = useWorld()

const NEW = 'an entirely new one'

/** An account with every way in that there is, with a secret link, and with sessions of another account that it opened. */
interface Household {
  email: string
  /** The account was created by this device, which can sign in by itself. */
  phone: Person
  /** The secret link to its calendar of assets. */
  calendar: string
  /** Signed in by e-mail. */
  laptop: Person
  /** Another account that can switch to this one, and its session of it. */
  friend: Person
  byFriend: number
  friendLink: number
  /** An account that this one can switch to, and its sessions there. */
  work: Person
  workLink: number
  workOnPhone: number
  workOnLaptop: number
}

const onDevice = async (deviceId: string, path: string, body: object): Promise<Person> =>
  person(world.server.url, ok(await world.post(path, body, { deviceId })), '', '', deviceId)

async function household({ password = true } = {}): Promise<Household> {
  const email = newEmail()
  const phone = await onDevice(newDevice(), '/api/auth/device-login', {})
  const bind = await world.codeBy(phone, '/api/auth/email/bind-code', { email }, email)
  ok(await phone.call('auth.emailBind', { body: { email, code: bind } }))
  const friend = await world.server.person()
  const linkCode = await world.codeBy(friend, '/api/auth/email/link-code', { email }, email)
  const byCode = { verifyType: 'EMAIL_CODE', credential: email, code: linkCode } as const
  const friendLink = ok(await friend.call('auth.link', { body: byCode })).data.id
  const byFriend = ok(await friend.call('auth.switchLink', { params: { linkId: friendLink } })).data.sessionId
  const work = await world.server.person()
  const byPassword = { verifyType: 'PASSWORD', linkedUserId: work.id, password: work.password } as const
  const workLink = ok(await phone.call('auth.link', { body: byPassword })).data.id
  const code = await world.codeBy(undefined, '/api/auth/email/send-code', { email }, email)
  const laptop = await onDevice(newDevice(), '/api/auth/email-login', { email, code })
  const [workOnPhone, workOnLaptop] = [
    ok(await phone.call('auth.switchLink', { params: { linkId: workLink } })).data.sessionId,
    ok(await laptop.call('auth.switchLink', { params: { linkId: workLink } })).data.sessionId,
  ]
  if (password) {
    ok(await phone.call('profile.setPassword', { body: { password: 'the first password' } }))
    for (const who of [phone, laptop]) who.password = 'the first password'
  }
  await world.codeBy(phone, '/api/auth/password/change-code', { channel: 'EMAIL' }, email)
  const calendar = new URL(ok(await phone.call('assetCalendars.create', { body: {} })).data.url).pathname
  return { email, phone, calendar, laptop, friend, byFriend, friendLink, work, workLink, workOnPhone, workOnLaptop }
}

const ALL = {
  phone: true,
  laptop: true,
  byFriend: true,
  deviceSignsIn: true,
  friendLink: true,
  workLink: true,
  workOnPhone: true,
  workOnLaptop: true,
  code: true,
  calendar: true,
}
type Ways = typeof ALL

/** The ways in that the database still has. */
async function waysLeft(h: Household): Promise<Ways> {
  const db = world.server.ctx.db.read
  const isActive = async (id: number) =>
    (await db.select().from(sessions).where(eq(sessions.id, id)))[0]?.status === 'ACTIVE'
  const hasLink = async (id: number) => (await db.select().from(accountLinks).where(eq(accountLinks.id, id))).length > 0
  const device = and(eq(identities.userId, h.phone.id), eq(identities.provider, 'DEVICE'))
  const requested = eq(verificationCodes.userId, h.phone.id)
  return {
    phone: await isActive(h.phone.sessionId),
    laptop: await isActive(h.laptop.sessionId),
    byFriend: await isActive(h.byFriend),
    deviceSignsIn: (await db.select().from(identities).where(device)).length > 0,
    friendLink: await hasLink(h.friendLink),
    workLink: await hasLink(h.workLink),
    workOnPhone: await isActive(h.workOnPhone),
    workOnLaptop: await isActive(h.workOnLaptop),
    code: (await db.select().from(verificationCodes).where(requested)).length > 0,
    calendar: (await world.server.request('GET', h.calendar)).status === 200,
  }
}

const change = (who: Person) =>
  who.call('auth.changePassword', {
    body: { verifyType: 'OLD_PASSWORD', oldPassword: who.password, newPassword: NEW },
  })

async function reset({ email }: Household, deviceId?: string) {
  const code = await world.codeBy(undefined, '/api/auth/password/forgot-code', { credential: email }, email)
  const body = { credential: email, code, newPassword: NEW }
  return world.post('/api/auth/password/reset', body, deviceId === undefined ? {} : { deviceId })
}

/** After a new password: all sessions, links into the account, codes and secret links are gone. */
const newPassword = { phone: false, laptop: false, byFriend: false, friendLink: false, code: false, calendar: false }

interface Row {
  name: string
  act(h: Household): Promise<unknown>
  /** The ways in that end; all others must stay. */
  ended: Partial<Ways>
}

const rows: Row[] = [
  {
    name: 'a password change ends the sessions, the links into the account, and the devices and switches of others',
    act: async ({ laptop }) => ok(await change(laptop)),
    ended: { ...newPassword, deviceSignsIn: false, workOnPhone: false },
  },
  {
    name: 'a password change spares the device that asks for it: it can sign in by itself and keeps its switches',
    act: async ({ phone }) => ok(await change(phone)),
    ended: { ...newPassword, workOnLaptop: false },
  },
  {
    name: 'a password reset that names no device ends the access of every device',
    act: async (h) => ok(await reset(h)),
    ended: { ...newPassword, deviceSignsIn: false, workOnPhone: false, workOnLaptop: false },
  },
  {
    name: 'a password reset spares the device that asks for it',
    act: async (h) => ok(await reset(h, h.phone.deviceId)),
    ended: { ...newPassword, workOnLaptop: false },
  },
  {
    name: 'a new password from the command line ends the access of every device',
    async act({ phone }) {
      ok(await phone.call('profile.setUsername', { body: { username: `owner${phone.id}` } }))
      await resetPassword(world.server.ctx, `owner${phone.id}`, NEW)
    },
    ended: { ...newPassword, deviceSignsIn: false, workOnPhone: false, workOnLaptop: false },
  },
  {
    name: 'the undo link of a replaced e-mail ends the access of every device',
    async act({ email, laptop }) {
      await world.passDays(3)
      const next = newEmail()
      const code = await world.codeBy(laptop, '/api/auth/email/bind-code', { email: next }, next)
      ok(await laptop.call('auth.emailBind', { body: { email: next, code } }))
      await world.mailArrived(email, 'undo-email?token=')
      const mail = world.gateways.mails.findLast((m) => m.to === email && m.text.includes('undo-email'))!
      const token = /token=([\w-]+)/.exec(mail.text)![1]!
      expect((await world.post('/account/undo-email', { token })).status).toBe(200)
    },
    ended: { ...newPassword, deviceSignsIn: false, workOnPhone: false, workOnLaptop: false },
  },
  {
    name: 'enabling a second factor ends the sessions and switches on other devices, and secret links',
    async act({ laptop }) {
      const { secret } = ok(await laptop.call('auth.startTotp')).data
      const code = totp(fromBase32(secret), stepAt(world.server.clock.now()))
      ok(await laptop.call('auth.confirmTotp', { body: { totp: code } }))
    },
    ended: { phone: false, byFriend: false, workOnPhone: false, calendar: false },
  },
  {
    name: 'disabling an account ends its sessions, codes and secret links, also for the time after it is enabled again',
    async act({ phone }) {
      const root = await world.server.admin()
      for (const status of ['DISABLED', 'ACTIVE'] as const)
        ok(await root.call('admin.users.changeStatus', { params: { userId: phone.id }, body: { status } }))
    },
    ended: {
      phone: false,
      laptop: false,
      byFriend: false,
      workOnPhone: false,
      workOnLaptop: false,
      code: false,
      calendar: false,
    },
  },
  {
    name: 'removing a device ends its session, its DEVICE identity and its switches',
    act: async ({ laptop, phone }) => ok(await laptop.call('devices.revoke', { params: { deviceId: phone.deviceId } })),
    ended: { phone: false, deviceSignsIn: false, workOnPhone: false },
  },
  {
    name: 'signing out and forgetting a device ends its session, its DEVICE identity and its switches',
    act: async ({ laptop, phone }) =>
      ok(await laptop.call('auth.logoutDevice', { params: { deviceId: phone.deviceId } })),
    ended: { phone: false, deviceSignsIn: false, workOnPhone: false },
  },
  {
    name: 'revoking a session ends its switches, but the device can still sign in by itself',
    act: async ({ laptop, phone }) =>
      ok(await laptop.call('sessions.revoke', { params: { sessionId: phone.sessionId } })),
    ended: { phone: false, workOnPhone: false },
  },
  {
    name: 'removing a link as its owner ends the sessions that it opened on all devices',
    act: async ({ laptop, workLink }) => ok(await laptop.call('auth.unlink', { params: { linkId: workLink } })),
    ended: { workLink: false, workOnPhone: false, workOnLaptop: false },
  },
  {
    name: 'removing a link as the linked account ends the sessions that it opened',
    act: async ({ laptop, friendLink }) => ok(await laptop.call('auth.unlink', { params: { linkId: friendLink } })),
    ended: { friendLink: false, byFriend: false },
  },
  {
    name: 'deleting the account ends everything, and the sessions of other accounts that it opened',
    act: async ({ laptop }) => ok(await laptop.call('auth.deleteAccount')),
    ended: Object.fromEntries(Object.keys(ALL).map((way) => [way, false])),
  },
]

describe.if(inProcess)('the end of access', () => {
  for (const { name, act, ended } of rows)
    test(name, async () => {
      const h = await household()
      expect(await waysLeft(h)).toEqual(ALL)
      await act(h)
      expect(await waysLeft(h)).toEqual({ ...ALL, ...ended })
    })

  test('setting a first password ends nothing', async () => {
    const h = await household({ password: false })
    ok(await h.laptop.call('profile.setPassword', { body: { password: NEW } }))
    expect(await waysLeft(h)).toEqual(ALL)
  })
})

describe('devices that can sign in by themselves', () => {
  const deviceLogin = (deviceId: string) => world.post('/api/auth/device-login', {}, { deviceId })

  async function withName(): Promise<{ found: Person; phone: Person }> {
    const found = await onDevice(newDevice(), '/api/auth/device-login', {})
    const username = `found${found.id}`
    ok(await found.call('profile.setUsername', { body: { username } }))
    ok(await found.call('profile.setPassword', { body: { password: 'the first password' } }))
    const phone = await onDevice(newDevice(), '/api/auth/login', { account: username, password: 'the first password' })
    phone.password = 'the first password'
    return { found, phone }
  }

  test('a stranger who finds an old phone cannot sign in with it after the password was changed on another one', async () => {
    const { found, phone } = await withName()
    ok(await change(phone))
    const stranger = await deviceLogin(found.deviceId)
    expect(stranger.data.isNewUser).toBe(true)
    expect(stranger.data.user.id).not.toBe(phone.id)
    const back = await world.post('/api/auth/login', { account: `found${found.id}`, password: NEW })
    expect(back.data.user.id).toBe(phone.id)
  })

  test('a stranger who finds an old phone cannot sign in with it after it was removed', async () => {
    const { found, phone } = await withName()
    const removed = ok(await phone.call('devices.revoke', { params: { deviceId: found.deviceId } }))
    expect(removed.data).toEqual({ hint: null })
    expect((await deviceLogin(found.deviceId)).data.isNewUser).toBe(true)
  })

  test('a device that is the only way to sign in keeps its identity when it is removed, and the answer says so', async () => {
    const phone = await onDevice(newDevice(), '/api/auth/device-login', {})
    const removed = ok(await phone.call('devices.revoke', { params: { deviceId: phone.deviceId } }))
    expect(removed.data.hint).toContain('the only way to sign in')
    expect((await phone.call('profile.get')).status).toBe(401)
    expect((await deviceLogin(phone.deviceId)).data.user.id).toBe(phone.id)
  })

  test('a password change does not take the only device from an account without a name for its password', async () => {
    const phone = await onDevice(newDevice(), '/api/auth/device-login', {})
    ok(await phone.call('profile.setPassword', { body: { password: 'the first password' } }))
    const opened = ok(await phone.call('sessions.create', { body: {} })).data
    const tablet = { token: opened.accessToken, deviceId: opened.deviceId }
    const body = { verifyType: 'OLD_PASSWORD', oldPassword: 'the first password', newPassword: NEW }
    ok(await world.server.request('POST', '/api/auth/password/change', { ...tablet, body }))
    expect((await deviceLogin(phone.deviceId)).data.user.id).toBe(phone.id)
  })
})

describe('removed account links', () => {
  test('removing a link ends the switched session for both sides, is recorded for both, and the other side is notified', async () => {
    for (const side of ['owner', 'linked'] as const) {
      const [ann, bob] = [await world.server.person(), await world.withEmail()]
      const by = { verifyType: 'PASSWORD', linkedUserId: bob.id, password: bob.password } as const
      const linkId = ok(await ann.call('auth.link', { body: by })).data.id
      const switched = ok(await ann.call('auth.switchLink', { params: { linkId } }))
      const annAsBob = person(world.server.url, switched, '', '', ann.deviceId)
      expect((await annAsBob.call('profile.get')).data.id).toBe(bob.id)
      const [actor, other] = side === 'owner' ? [ann, bob] : [bob, ann]
      ok(await actor.call('auth.unlink', { params: { linkId } }))
      expect((await annAsBob.call('profile.get')).status).toBe(401)
      expect((await world.post('/api/auth/refresh', { refreshToken: annAsBob.refreshToken })).status).toBe(401)
      for (const who of [ann, bob]) {
        expect((await who.call('profile.get')).status).toBe(200)
        const records = ok(await who.call('loginRecords.ofUser', { params: { userId: who.id } })).data.items
        expect(records.filter((r) => r.loginType === 'account_unlink')).toHaveLength(1)
      }
      const told = async (who: Person) =>
        ok(await who.call('notifications.list')).data.items.filter((n) => n.data['event'] === 'ACCOUNT_UNLINKED')
      expect(await told(other)).toHaveLength(1)
      expect(await told(actor)).toEqual([])
      if (side === 'owner') await world.mailArrived(bob.email, 'link was removed')
    }
  })

  test('removing a link spares the session that the linked user opened on the same device themselves', async () => {
    const [ann, bob] = [await world.server.person(), await world.server.person()]
    const by = { verifyType: 'PASSWORD', linkedUserId: bob.id, password: bob.password } as const
    const linkId = ok(await ann.call('auth.link', { body: by })).data.id
    ok(await ann.call('auth.switchLink', { params: { linkId } }))
    const account = { account: bob.username, password: bob.password }
    const own = await onDevice(ann.deviceId, '/api/auth/login', account)
    ok(await ann.call('auth.unlink', { params: { linkId } }))
    expect((await own.call('profile.get')).status).toBe(200)
  })

  test('removing a link also ends sessions that were opened from its sessions by further links', async () => {
    const [ann, bob, carol] = [await world.server.person(), await world.server.person(), await world.server.person()]
    const link = async (from: Person, to: Person) =>
      ok(await from.post('/api/auth/link', { linkedUserId: to.id, password: to.password })).data.id as number
    const [first, second] = [await link(ann, bob), await link(bob, carol)]
    const asBob = ok(await ann.call('auth.switchLink', { params: { linkId: first } }))
    const annAsBob = person(world.server.url, asBob, '', '', ann.deviceId)
    // A session that was opened from a switched one belongs to the link as well.
    const further = ok(await annAsBob.call('sessions.create', { body: {} })).data
    const asCarol = ok(await annAsBob.call('auth.switchLink', { params: { linkId: second } }))
    const annAsCarol = person(world.server.url, asCarol, '', '', ann.deviceId)
    const bobAsCarol = ok(await bob.call('auth.switchLink', { params: { linkId: second } }))
    ok(await bob.call('auth.unlink', { params: { linkId: first } }))
    const furtherToken = { token: further.accessToken, deviceId: further.deviceId }
    expect((await world.server.request('GET', '/api/auth/userinfo', furtherToken)).status).toBe(401)
    expect((await annAsCarol.call('profile.get')).status).toBe(401)
    const own = person(world.server.url, bobAsCarol, '', '', bob.deviceId)
    expect((await own.call('profile.get')).status).toBe(200)
  })
})

describe('unproved e-mails', () => {
  test('proving an e-mail ends the links of the person who registered with it, and the sessions they opened', async () => {
    const email = newEmail()
    const squatter = await onDevice(newDevice(), '/api/auth/register', { email, password: 'waiting for you' })
    const target = await world.server.person()
    const by = { verifyType: 'PASSWORD', linkedUserId: target.id, password: target.password } as const
    const linkId = ok(await squatter.call('auth.link', { body: by })).data.id
    const opened = ok(await squatter.call('auth.switchLink', { params: { linkId } }))
    const switched = person(world.server.url, opened, '', '', squatter.deviceId)
    const code = await world.codeBy(undefined, '/api/auth/email/send-code', { email }, email)
    const owner = await onDevice(newDevice(), '/api/auth/email-login', { email, code })
    expect(owner.id).toBe(squatter.id)
    expect((await switched.call('profile.get')).status).toBe(401)
    expect((await owner.call('auth.links')).data.items).toEqual([])
  })
})
