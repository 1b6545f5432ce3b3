/**
 * Random histories of everything that signs users in or out, by three people who share a pool of phones and e-mails. After each
 * step: every active account can be signed in to, unless it had nothing but an unconfirmed e-mail that another person confirmed; no
 * identity belongs to two users or to a deleted account, no user has more than 10 active sessions, and tokens work exactly as long as
 * their session does.
 *
 * Each run draws a new seed. A failure prints it with the failing step; `TEST_SEED=<seed>` repeats the history. The default of 600
 * steps runs every kind of step at least four times. `TEST_STEPS=10000` looks deeper, for a change of these rules or a nightly run.
 */

import { describe, expect, test } from 'bun:test'

import { and, eq, sql } from 'drizzle-orm'

import { identities, sessions, users } from '#db/schema/accounts.ts'
import { deviceKey } from '#domains/accounts/login-records/login-records.rules.ts'

import { inProcess, type Reply } from '../harness/index.ts'
import { newIp, otherThan, useWorld, type World } from './helpers.ts'

const SEED = Number(process.env['TEST_SEED'] ?? Date.now() % 1_000_000_000)
const STEPS = Number(process.env['TEST_STEPS'] ?? 600)
/** Enough for the slowest step, hashing a password, on a busy machine. */
const TIMEOUT_MS = 60_000 + STEPS * 500
const DAY = 86_400_000

/** The generator mulberry32: values in [0, 1) that depend on the seed only. */
function generator(seed: number): () => number {
  let a = seed
  return () => {
    a = (a + 0x6d2b79f5) | 0
    let t = Math.imul(a ^ (a >>> 15), 1 | a)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

interface Session {
  userId: number
  sessionId: number
  token: string
  refreshToken: string
  deviceId: string
  expiresAt: number
}

class Run {
  readonly random = generator(SEED)
  readonly phones = Array.from({ length: 6 }, (_, i) => `+8613700000${String(i).padStart(3, '0')}`)
  readonly emails = Array.from({ length: 5 }, (_, i) => `random${i}@example.org`)
  /** More devices for each person than the limit of sessions. */
  readonly devices = [0, 1, 2].map((who) => Array.from({ length: 14 }, (_, i) => `device-of-person-${who}-number-${i}`))
  /** All sessions that were ever answered, by the person who got them. */
  readonly held: Session[][] = [[], [], []]
  readonly passwords = new Map<number, string>()
  /** Accounts that ended with a claim, because they had nothing else. */
  readonly ended = new Set<number>()
  made = 0
  constructor(readonly world: World) {}

  chance = (p: number): boolean => this.random() < p
  pick = <T>(items: readonly T[]): T => items[Math.floor(this.random() * items.length)]!
  get db() {
    return this.world.server.ctx.db.read
  }
  get now() {
    return this.world.server.clock.now()
  }

  send(method: string, path: string, s: Session | undefined, body?: unknown, deviceId?: string): Promise<Reply> {
    const device = s?.deviceId ?? deviceId
    return this.world.server.request(method, path, {
      headers: { 'x-forwarded-for': newIp() },
      ...(s && { token: s.token }),
      ...(device && { deviceId: device }),
      ...(body !== undefined && { body }),
    })
  }

  keep(who: number, reply: Reply, deviceId: string): void {
    const { user, sessionId, accessToken: token, refreshToken, expiresAt } = reply.data
    this.held[who]!.push({ userId: user.id, sessionId, token, refreshToken, deviceId, expiresAt })
  }

  async ownerOf(provider: 'PHONE' | 'EMAIL' | 'DEVICE', credential: string): Promise<number | undefined> {
    const rows = await this.db
      .select({ userId: identities.userId })
      .from(identities)
      .where(and(eq(identities.provider, provider), eq(identities.credential, credential)))
    return rows[0]?.userId
  }

  /** Whether a person who proves the e-mail gets it. Remembers the account that ends, if it has nothing but a claim of it. */
  async freedByProof(email: string, prover?: number): Promise<boolean> {
    const [row] = await this.db
      .select({ id: identities.id, userId: identities.userId, verified: identities.verified, username: users.username })
      .from(identities)
      .innerJoin(users, eq(users.id, identities.userId))
      .where(and(eq(identities.provider, 'EMAIL'), eq(identities.credential, email)))
    if (row === undefined || row.userId === prover) return true
    if (row.verified) return false
    const own = await this.db.select().from(identities).where(eq(identities.userId, row.userId))
    if (own.length === 1 && row.username === null) this.ended.add(row.userId)
    return true
  }

  /** A code, or undefined if a limit or a rule refuses it. Sometimes a wrong one, with which the next request must fail. */
  async code(
    path: string,
    body: object,
    to: string,
    s?: Session,
  ): Promise<{ code: string; right: boolean } | undefined> {
    const sent = await this.send('POST', path, s, body)
    if (sent.status !== 200) return undefined
    const code = await this.world.codeTo(to)
    return this.chance(0.1) ? { code: otherThan(code), right: false } : { code, right: true }
  }

  /** Checks and keeps a login by a credential that belonged to the user `before`, or to no user. */
  signedIn(who: number, reply: Reply, deviceId: string, before: number | undefined, right = true): void {
    if (reply.status !== 200) return
    expect(right, 'a wrong secret opened an account').toBe(true)
    if (before !== undefined) expect(reply.data.user.id).toBe(before)
    else expect(reply.data.isNewUser).toBe(true)
    this.keep(who, reply, deviceId)
  }

  password(): string {
    return `password number ${++this.made}`
  }
}

type Step = (run: Run, who: number, s: Session | undefined) => Promise<void>

/** Relative frequency and action of each kind of step. */
const STEPS_BY_NAME: Record<string, [number, Step]> = {
  phoneLogin: [
    3,
    async (r, who) => {
      const phone = r.pick(r.phones)
      const c = await r.code('/api/auth/sms/send-code', { phone }, phone)
      if (!c) return
      const [deviceId, before] = [r.pick(r.devices[who]!), await r.ownerOf('PHONE', phone)]
      const reply = await r.send('POST', '/api/auth/phone-login', undefined, { phone, code: c.code }, deviceId)
      r.signedIn(who, reply, deviceId, before, c.right)
    },
  ],
  emailLogin: [
    1,
    async (r, who) => {
      const email = r.pick(r.emails)
      const c = await r.code('/api/auth/email/send-code', { email }, email)
      if (!c) return
      const [deviceId, before] = [r.pick(r.devices[who]!), await r.ownerOf('EMAIL', email)]
      const reply = await r.send('POST', '/api/auth/email-login', undefined, { email, code: c.code }, deviceId)
      if (before === undefined) expect(reply.status).toBe(400)
      else r.signedIn(who, reply, deviceId, before, c.right)
    },
  ],
  oneClick: [
    10,
    async (r, who) => {
      const phone = r.pick(r.phones)
      const [deviceId, before] = [r.pick(r.devices[who]!), await r.ownerOf('PHONE', phone)]
      const reply = await r.send('POST', '/api/auth/sms/oneclick-login', undefined, { token: phone }, deviceId)
      expect(reply.status).toBe(200)
      r.signedIn(who, reply, deviceId, before)
    },
  ],
  deviceLogin: [
    10,
    async (r, who) => {
      const deviceId = r.pick(r.devices[who]!)
      const before = await r.ownerOf('DEVICE', deviceKey(deviceId))
      const reply = await r.send('POST', '/api/auth/device-login', undefined, {}, deviceId)
      expect(reply.status).toBe(200)
      r.signedIn(who, reply, deviceId, before)
    },
  ],
  register: [
    0.6,
    async (r, who) => {
      const email = r.chance(0.5) ? r.pick(r.emails) : undefined
      const taken = email !== undefined && (await r.ownerOf('EMAIL', email)) !== undefined
      const [deviceId, password] = [r.pick(r.devices[who]!), r.password()]
      const username = email && r.chance(0.5) ? undefined : `random.${++r.made}`
      const reply = await r.send('POST', '/api/auth/register', undefined, { email, username, password }, deviceId)
      expect(reply.status).toBe(taken ? 400 : 200)
      r.signedIn(who, reply, deviceId, undefined)
      if (reply.status === 200) r.passwords.set(reply.data.user.id, password)
    },
  ],
  registerByCode: [
    1,
    async (r, who) => {
      const email = r.pick(r.emails)
      const c = await r.code('/api/auth/email/send-code', { email }, email)
      if (!c) return
      const free = c.right && (await r.freedByProof(email))
      const [deviceId, password] = [r.pick(r.devices[who]!), r.password()]
      const reply = await r.send('POST', '/api/auth/register', undefined, { email, password, code: c.code }, deviceId)
      expect(reply.status).toBe(free ? 200 : 400)
      r.signedIn(who, reply, deviceId, undefined)
      if (reply.status === 200) r.passwords.set(reply.data.user.id, password)
    },
  ],
  passwordLogin: [
    0.6,
    async (r, who) => {
      const known = r.pick([...r.passwords])
      if (!known) return
      const [userId, password] = known
      const [user] = await r.db.select().from(users).where(eq(users.id, userId))
      if (!user?.username) return
      const [deviceId, right] = [r.pick(r.devices[who]!), !r.chance(0.1)]
      const body = { account: user.username, password: right ? password : `${password}?` }
      r.signedIn(who, await r.send('POST', '/api/auth/login', undefined, body, deviceId), deviceId, userId, right)
    },
  ],
  refresh: [
    10,
    async (r, who, s) => {
      if (!s) return
      const reply = await r.send('POST', '/api/auth/refresh', undefined, { refreshToken: s.refreshToken })
      if (reply.status !== 200) return
      expect(reply.data.user.id).toBe(s.userId)
      r.keep(who, reply, s.deviceId)
    },
  ],
  logout: [2, async (r, _who, s) => void (s && (await r.send('POST', '/api/auth/logout', s)))],
  logoutDevice: [
    3,
    async (r, who, s) => void (s && (await r.send('POST', `/api/auth/logout/${r.pick(r.devices[who]!)}`, s))),
  ],
  revokeDevice: [
    2,
    async (r, who, s) => void (s && (await r.send('DELETE', `/api/auth/devices/${r.pick(r.devices[who]!)}`, s))),
  ],
  revokeSession: [
    3,
    async (r, who, s) => {
      if (s) await r.send('DELETE', `/api/auth/sessions/${r.pick(r.held[who]!).sessionId}`, s)
    },
  ],
  createSession: [
    8,
    async (r, who, s) => {
      if (!s) return
      const deviceId = r.pick(r.devices[who]!)
      const reply = await r.send('POST', '/api/auth/sessions', s, { deviceId })
      if (reply.status !== 200) return
      expect(reply.data.user.id).toBe(s.userId)
      r.keep(who, reply, deviceId)
    },
  ],
  switchSession: [
    4,
    async (r, who, s) => {
      if (!s) return
      const other = r.pick(r.held[who]!)
      const reply = await r.send('POST', `/api/auth/sessions/${other.sessionId}/switch`, s)
      if (reply.status !== 200) return
      expect(reply.data.user.id).toBe(s.userId)
      r.keep(who, reply, other.deviceId)
    },
  ],
  bindPhone: [
    2,
    async (r, _who, s) => {
      const phone = r.pick(r.phones)
      const c = s && (await r.code('/api/auth/sms/bind-code', { phone }, phone, s))
      if (!c) return
      const before = await r.ownerOf('PHONE', phone)
      const reply = await r.send('POST', '/api/auth/phone-bind', s, { phone, code: c.code })
      expect(reply.status).toBe(c.right && (before === undefined || before === s.userId) ? 200 : 400)
    },
  ],
  bindEmail: [
    1,
    async (r, _who, s) => {
      const email = r.pick(r.emails)
      const c = s && (await r.code('/api/auth/email/bind-code', { email }, email, s))
      if (!c) return
      const free = c.right && (await r.freedByProof(email, s.userId))
      const reply = await r.send('POST', '/api/auth/email-bind', s, { email, code: c.code })
      expect(reply.status).toBe(free ? 200 : 400)
    },
  ],
  verifyMobile: [
    8,
    async (r, _who, s) =>
      void (s && (await r.send('POST', '/api/auth/sms/verify-mobile', s, { token: r.pick(r.phones) }))),
  ],
  unbindPhone: [8, async (r, _who, s) => void (s && (await r.send('POST', '/api/auth/phone/unbind', s)))],
  unbindEmail: [6, async (r, _who, s) => void (s && (await r.send('POST', '/api/auth/email/unbind', s)))],
  setUsername: [
    1,
    async (r, _who, s) =>
      void (s && (await r.send('PUT', '/api/users/me/username', s, { username: `named.${++r.made}` }))),
  ],
  setPassword: [
    0.6,
    async (r, _who, s) => {
      if (!s) return
      const password = r.password()
      const reply = await r.send('POST', '/api/auth/password/set', s, { password })
      if (reply.status === 200) r.passwords.set(s.userId, password)
    },
  ],
  changePassword: [
    0.6,
    async (r, _who, s) => {
      const oldPassword = s && r.passwords.get(s.userId)
      if (!s || !oldPassword) return
      const [newPassword, right] = [r.password(), !r.chance(0.2)]
      const body = { verifyType: 'OLD_PASSWORD', oldPassword: right ? oldPassword : 'wrong', newPassword }
      const reply = await r.send('POST', '/api/auth/password/change', s, body)
      if (reply.status !== 200) return
      expect(right).toBe(true)
      r.passwords.set(s.userId, newPassword)
    },
  ],
  changeByCode: [
    0.6,
    async (r, _who, s) => {
      if (!s) return
      const channel = r.pick(['PHONE', 'EMAIL'] as const)
      const own = await r.db
        .select()
        .from(identities)
        .where(and(eq(identities.userId, s.userId), eq(identities.provider, channel)))
      const c = own[0] && (await r.code('/api/auth/password/change-code', { channel }, own[0].credential, s))
      if (!c) return
      const newPassword = r.password()
      const body = { verifyType: `${channel}_CODE`, code: c.code, newPassword }
      const reply = await r.send('POST', '/api/auth/password/change', s, body)
      expect(reply.status).toBe(c.right ? 200 : 400)
      if (c.right) r.passwords.set(s.userId, newPassword)
    },
  ],
  reset: [
    0.6,
    async (r) => {
      const credential = r.pick([...r.phones, ...r.emails])
      const before = await r.ownerOf(credential.includes('@') ? 'EMAIL' : 'PHONE', credential)
      const c = await r.code('/api/auth/password/forgot-code', { credential }, credential)
      if (!c) return
      expect(before).toBeDefined()
      const newPassword = r.password()
      const reply = await r.send('POST', '/api/auth/password/reset', undefined, {
        credential,
        code: c.code,
        newPassword,
      })
      expect(reply.status).toBe(c.right ? 200 : 400)
      if (c.right) r.passwords.set(before!, newPassword)
    },
  ],
  linkByPassword: [
    0.6,
    async (r, _who, s) => {
      const known = r.pick([...r.passwords])
      if (s && known) await r.send('POST', '/api/auth/link', s, { linkedUserId: known[0], password: known[1] })
    },
  ],
  linkByCode: [
    2,
    async (r, _who, s) => {
      const phone = r.pick(r.phones)
      const c = s && (await r.code('/api/auth/sms/link-code', { phone }, phone, s))
      if (!c) return
      const reply = await r.send('POST', '/api/auth/link', s, {
        verifyType: 'PHONE_CODE',
        credential: phone,
        code: c.code,
      })
      if (reply.status === 200) expect([c.right, reply.data.ownerUserId]).toEqual([true, s.userId])
    },
  ],
  switchAccount: [
    6,
    async (r, who, s) => {
      const links = s && (await r.send('GET', '/api/auth/link/list', s)).data?.items
      if (!links?.length) return
      const link = r.pick(links as { id: number; linkedUserId: number }[])
      const reply = await r.send('POST', `/api/auth/link/${link.id}/switch`, s)
      expect([reply.status, reply.data.user.id]).toEqual([200, link.linkedUserId])
      r.keep(who, reply, s!.deviceId)
    },
  ],
  unlink: [
    1,
    async (r, _who, s) => {
      const links = s && (await r.send('GET', '/api/auth/link/list', s)).data?.items
      if (links?.length)
        expect((await r.send('DELETE', `/api/auth/link/${r.pick(links as { id: number }[]).id}`, s)).status).toBe(200)
    },
  ],
  deleteAccount: [0.5, async (r, _who, s) => void (s && (await r.send('POST', '/api/auth/account/delete', s)))],
}

/** A deck of cards in the proportion of the frequencies, with at least one card for each kind of step. */
const DECK = Object.entries(STEPS_BY_NAME).flatMap(([name, [weight]]) =>
  Array.from({ length: Math.ceil(weight) }, () => name),
)

/** Draws steps from shuffled decks, so that every kind of step occurs once per deck. */
function* draws(run: Run): Generator<string> {
  for (;;) {
    const deck = [...DECK]
    while (deck.length > 0) yield deck.splice(Math.floor(run.random() * deck.length), 1)[0]!
  }
}

/** The invariants. */
async function check(run: Run, who: number): Promise<void> {
  const { db, now } = run
  const hasCode = sql`exists (select 1 from identities i where i.user_id = ${users.id} and (i.provider <> 'EMAIL' or i.verified))`
  const hasName = sql`(${users.username} is not null or exists (select 1 from identities i where i.user_id = ${users.id} and i.provider <> 'DEVICE'))`
  const lost = await db
    .select({ id: users.id })
    .from(users)
    .where(
      and(eq(users.status, 'ACTIVE'), sql`not ${hasCode}`, sql`not (${users.passwordHash} is not null and ${hasName})`),
    )
  expect(
    lost.filter(({ id }) => !run.ended.has(id)),
    'active accounts that nobody can sign in to',
  ).toEqual([])

  const shared = await db
    .select({ credential: identities.credential })
    .from(identities)
    .innerJoin(users, eq(users.id, identities.userId))
    .groupBy(identities.provider, identities.credential)
    .having(sql`count(*) > 1 or sum(case when ${users.status} = 'ACTIVE' then 0 else 1 end) > 0`)
  expect(shared, 'identities of two users or of a deleted account').toEqual([])

  const crowded = await db
    .select({ userId: sessions.userId })
    .from(sessions)
    .where(and(eq(sessions.status, 'ACTIVE'), sql`${sessions.expiredAt} > ${now}`))
    .groupBy(sessions.userId)
    .having(sql`count(*) > 10`)
  expect(crowded, 'users with more than 10 active sessions').toEqual([])

  // A step mostly ends sessions of its own person, and sometimes those of another one.
  for (const held of run.chance(0.3) ? run.held : [run.held[who]!]) {
    const s = run.chance(0.5) ? held.at(-1) : run.pick(held)
    if (!s) continue
    const [row] = await db
      .select({
        status: sessions.status,
        expiredAt: sessions.expiredAt,
        user: users.status,
        version: users.tokenVersion,
      })
      .from(sessions)
      .innerJoin(users, eq(users.id, sessions.userId))
      .where(eq(sessions.id, s.sessionId))
    const { tv } = JSON.parse(Buffer.from(s.token.split('.')[1]!, 'base64url').toString()) as { tv: number }
    const lives =
      row?.status === 'ACTIVE' &&
      row.user === 'ACTIVE' &&
      row.version === tv &&
      row.expiredAt > now &&
      s.expiresAt > now
    const reply = await run.send('GET', '/api/auth/userinfo', s)
    expect(reply.status, `a session that is ${row?.status ?? 'gone'}`).toBe(lives ? 200 : 401)
    if (lives) expect(reply.data.id).toBe(s.userId)
  }
}

describe.if(inProcess)('random histories', () => {
  const world = useWorld()

  test(
    `the invariants of accounts, identities and sessions hold after each of ${STEPS} random steps`,
    async () => {
      const run = new Run(world)
      for (const phone of run.phones) world.gateways.tokens.set(phone, phone)
      const steps = draws(run)
      let name = ''
      let step = 0
      console.log(`TEST_SEED=${SEED}`)
      try {
        for (; step < STEPS; step++) {
          const who = Math.floor(run.random() * 3)
          // Mostly a recent session, because most of the old ones have ended.
          const held = run.held[who]!.slice(run.chance(0.8) ? -4 : 0)
          name = steps.next().value as string
          await STEPS_BY_NAME[name]![1](run, who, run.pick(held))
          await check(run, who)
          world.server.clock.advance(Math.floor(run.random() * (run.chance(0.005) ? 3 * DAY : 200_000)))
        }
      } catch (error) {
        console.error(`TEST_SEED=${SEED} TEST_STEPS=${STEPS}: step ${step}, ${name}`)
        throw error
      }

      // The phones and devices that are bound at the end really sign in to their accounts.
      const alive = await run.db.select().from(users).where(eq(users.status, 'ACTIVE'))
      for (const user of alive) {
        const own = await run.db.select().from(identities).where(eq(identities.userId, user.id))
        const phone = own.find((i) => i.provider === 'PHONE')?.credential
        const device = run.devices.flat().find((id) => own.some((i) => i.credential === deviceKey(id)))
        if (phone === undefined && device === undefined) continue
        const reply = phone
          ? await run.send('POST', '/api/auth/sms/oneclick-login', undefined, { token: phone })
          : await run.send('POST', '/api/auth/device-login', undefined, {}, device)
        expect(reply.data?.user.id).toBe(user.id)
      }
    },
    TIMEOUT_MS,
  )
})
