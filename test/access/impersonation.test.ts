/**
 * No operation of administrators lets them into the account of another user. Every operation under /api/admin and /api/rbac is called as
 * SYSTEM_ADMIN with the ids of a victim and with fields that would take the account over. The victim's ways to sign in must stay as they
 * were, and no answer may contain a secret of theirs.
 */

import { beforeAll, describe, expect, test } from 'bun:test'

import { and, eq, inArray } from 'drizzle-orm'

import { allEndpoints } from '#app'
import {
  accountLinks,
  identities,
  knownDevices,
  recoveryCodes,
  refreshTokens,
  sessions,
  totpSecrets,
  users,
  verificationCodes,
} from '#db/schema/accounts.ts'
import { deviceKey } from '#domains/accounts/login-records/login-records.rules.ts'
import type { AnyEndpoint } from '#http/endpoint.ts'

import { FIXTURES } from '../contract/fixtures.ts'
import { rowOfField, withObject } from '../contract/isolation-fixture.ts'
import { sample } from '../contract/samples.ts'
import { inProcess, type Reply, useServer } from '../harness/index.ts'

const { server, admin, victim, accomplice } = useServer({ people: ['victim', 'accomplice'] })
const owned: Record<string, number | string> = {}
/** Texts that no answer may contain. */
const secrets: string[] = []

const TOTP_SECRET = 'sealed-secret-of-the-victim'
const RECOVERY_HASH = 'hash-of-a-recovery-code'
const CODE_HASH = 'hash-of-a-verification-code'
const EMAIL = 'victim@example.org'

beforeAll(async () => {
  if (!inProcess) return
  for (const { make } of FIXTURES)
    Object.assign(owned, await make({ server, admin, victim, mark: 'victims-text', owned }))
  const { ctx } = server
  const userId = victim.id
  await ctx.db.write('test', async (tx) => {
    await tx.insert(identities).values({ userId, provider: 'EMAIL', credential: EMAIL, verified: true, createdAt: 1 })
    await tx.insert(totpSecrets).values({ userId, secret: TOTP_SECRET, confirmedAt: 1, createdAt: 1 })
    await tx.insert(recoveryCodes).values({ userId, hash: RECOVERY_HASH })
    await tx
      .insert(verificationCodes)
      .values({ purpose: 'LOGIN', credential: EMAIL, hash: CODE_HASH, expiresAt: ctx.clock.now() + 1e9 })
  })
  const state = await stateOf(victim.id)
  secrets.push(
    TOTP_SECRET,
    RECOVERY_HASH,
    CODE_HASH,
    victim.deviceId,
    victim.refreshToken,
    victim.token,
    victim.password,
  )
  secrets.push(state.user!.passwordHash!, ...state.refreshTokens.map((token) => token.hash))
  expect(secrets.length).toBeGreaterThan(8)
})

/** Everything that decides who can sign in to the account, or is signed in to it. Sessions may end, so their status is left out. */
async function stateOf(userId: number) {
  const db = server.ctx.db.read
  const { username, passwordHash, passwordIsStrong, passwordIsForeign, tokenVersion } = users
  const fields = { username, passwordHash, passwordIsStrong, passwordIsForeign, tokenVersion }
  const [user] = await db.select(fields).from(users).where(eq(users.id, userId))
  const { id, deviceKey: key, openedByUserId, generation, confirmedAt } = sessions
  const own = await db
    .select({ id, key, openedByUserId, generation, confirmedAt })
    .from(sessions)
    .where(eq(sessions.userId, userId))
    .orderBy(id)
  const ids = own.map((session) => session.id)
  return {
    user,
    sessions: own,
    identities: await db.select().from(identities).where(eq(identities.userId, userId)).orderBy(identities.id),
    totp: await db.select().from(totpSecrets).where(eq(totpSecrets.userId, userId)),
    recoveryCodes: await db.select().from(recoveryCodes).where(eq(recoveryCodes.userId, userId)),
    devices: (await db.select().from(knownDevices).where(eq(knownDevices.userId, userId))).map((row) => row.deviceKey),
    refreshTokens: await db
      .select()
      .from(refreshTokens)
      .where(inArray(refreshTokens.sessionId, ids))
      .orderBy(refreshTokens.hash),
    linksIntoIt: await db
      .select()
      .from(accountLinks)
      .where(and(eq(accountLinks.linkedUserId, userId), eq(accountLinks.status, 'ACTIVE'))),
  }
}

const codesOf = async (credential: string): Promise<string[]> =>
  (await server.ctx.db.read.select().from(verificationCodes).where(eq(verificationCodes.credential, credential))).map(
    (row) => row.hash,
  )

const fieldRow = rowOfField(FIXTURES)
const pathRow = (path: string): string | undefined =>
  FIXTURES.flatMap(({ paths }) => paths).find(([pattern]) => pattern.test(path))?.[1]

/** The ids of the victim and of their rows; 1 where the fixtures have none. */
function idOf(path: string, name: string): number | string {
  if (name === 'userId') return victim.id
  const row = fieldRow(path, name) ?? pathRow(path)
  return (row === undefined ? undefined : owned[row]) ?? 1
}

/** Fields with which an operation that wrote too much would take the account over. */
const TAKE_OVER = {
  username: 'taken.over',
  password: 'known to the attacker',
  newPassword: 'known to the attacker',
  passwordHash: 'known to the attacker',
  email: 'attacker@example.org',
  phone: '13812345678',
  credential: 'attacker@example.org',
  identities: [{ provider: 'EMAIL', credential: 'attacker@example.org', verified: true }],
  verified: true,
  totp: null,
  totpSecret: null,
  tokenVersion: 0,
  deviceId: 'device-of-the-attacker-0123456789',
  nickname: 'renamed',
}

function bodyOf(endpoint: AnyEndpoint): object {
  const body = sample(endpoint.body!) as object
  const names = Object.keys((endpoint.body!['properties'] ?? {}) as object)
  const ids = names.filter((name) => /(?:^|[a-z])Id$/.test(name)).map((name) => [name, idOf(endpoint.path, name)])
  const known = FIXTURES.flatMap(({ bodies = [] }) => bodies).find(([pattern]) => pattern.test(endpoint.path))?.[1]
  return {
    ...body,
    ...TAKE_OVER,
    ...Object.fromEntries(ids),
    ...known,
    ...(names.includes('ownerUserId') && { ownerUserId: accomplice.id }),
    ...(names.includes('linkedUserId') && { linkedUserId: victim.id }),
    ...(endpoint.id === 'admin.users.changeStatus' && { status: 'DISABLED' }),
    userId: victim.id,
  }
}

const ORDER = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const operations = allEndpoints
  .filter(({ path }) => /^\/api\/(admin|rbac)\//.test(path))
  .toSorted((a, b) => ORDER.indexOf(a.method) - ORDER.indexOf(b.method))

/** Sessions, login records and devices that work offline are named by the keys of their devices, which sign nobody in. */
const SHOWS_DEVICE_KEYS = /^(admin\.(sessions|loginRecords)|sync)\./

async function call(endpoint: AnyEndpoint): Promise<Reply> {
  const path = withObject(endpoint.path).replaceAll(/:(\w+)/g, (_, name: string) => String(idOf(endpoint.path, name)))
  return admin.send(endpoint.method, path, {
    ...(endpoint.body && { body: bodyOf(endpoint) }),
    ...(endpoint.method === 'GET' && endpoint.query && 'userId' in endpoint.query['properties']
      ? { query: { userId: victim.id } }
      : {}),
  })
}

describe.if(inProcess)('administrators and the accounts of other users', () => {
  for (const endpoint of operations)
    test(`${endpoint.method} ${endpoint.path} changes no way to sign in of another user and shows no secret of theirs`, async () => {
      const [before, codes] = [await stateOf(victim.id), await codesOf(EMAIL)]
      const reply = await call(endpoint)
      expect(reply.status, reply.text).toBeLessThan(500)
      expect(await stateOf(victim.id)).toEqual(before)
      // A disabled account loses its codes.
      for (const code of await codesOf(EMAIL)) expect(codes).toContain(code)
      for (const secret of secrets) expect(reply.text).not.toContain(secret)
      if (!SHOWS_DEVICE_KEYS.test(endpoint.id)) expect(reply.text).not.toContain(deviceKey(victim.deviceId))
    })

  test('the operations about one user were called with the id of the victim, and had their effect', async () => {
    const view = await admin.get(`/api/admin/users/${victim.id}`)
    expect(view.data).toMatchObject({ username: 'victim', email: EMAIL, nickname: 'renamed', status: 'DISABLED' })
    for (const action of ['USER_UPDATE', 'USER_STATUS', 'USER_ROLE_GRANT', 'USER_ROLE_REVOKE'])
      expect((await admin.get('/api/admin/logs', { action, targetId: victim.id })).data.total).toBeGreaterThan(0)
  })

  test('a changed password, a new session and a new device would have been noticed', async () => {
    const before = await stateOf(accomplice.id)
    const password = 'a new one of my own'
    const change = { verifyType: 'OLD_PASSWORD', oldPassword: accomplice.password, newPassword: password } as const
    await accomplice.call('auth.changePassword', { body: change })
    const deviceId = 'another-device-0123456789'
    await server.request('POST', '/api/auth/login', { deviceId, body: { account: accomplice.username, password } })
    const after = await stateOf(accomplice.id)
    for (const part of ['user', 'sessions', 'devices', 'refreshTokens'] as const)
      expect(after[part]).not.toEqual(before[part])
  })
})
