/** Passwords of administrators: at least 10 characters and not common, from the moment a PLATFORM role is granted. */

import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { users } from '#db/schema/accounts.ts'
import { bindPlatformRole, SYSTEM_ADMIN } from '#domains/access/index.ts'
import { resetPassword } from '#domains/accounts/index.ts'

import { findRole } from '../access/helpers.ts'
import { inProcess, ok } from '../harness/index.ts'
import { type Person, person } from '../harness/people.ts'
import { newDevice, newEmail, useWorld } from './helpers.ts'

const world = useWorld()

const WEAK = 'sh0rt pw'
const STRONG = 'a strong password'

async function register(password: string): Promise<Person> {
  const username = `chief${crypto.randomUUID().slice(0, 8)}`
  const deviceId = newDevice()
  const made = await world.post('/api/auth/register', { username, password }, { deviceId })
  return person(world.server.url, made, username, password, deviceId)
}
const login = (who: Person, password: string, path = '/api/auth/login') =>
  world.post(path, { account: who.username, password }, { deviceId: newDevice() })
const CONSOLE = '/api/admin/auth/login'

async function grant(who: Person) {
  const admin = await world.server.admin()
  const role = await findRole(admin, 'PLATFORM', 0, 'USER_ADMIN')
  return admin.call('access.grantRole', { params: { userId: who.id }, body: { roleId: role.id } })
}

describe('granting a PLATFORM role', () => {
  test('a PLATFORM role is refused for a user with a weak password, and granted once the password is strong', async () => {
    const bob = await register(WEAK)
    const refused = await grant(bob)
    expect([refused.status, refused.message]).toEqual([400, expect.stringContaining('too weak')])
    expect((await login(bob, WEAK, CONSOLE)).status).toBe(403)
    const body = { verifyType: 'OLD_PASSWORD', oldPassword: WEAK, newPassword: STRONG } as const
    ok(await bob.call('auth.changePassword', { body }))
    ok(await grant(bob))
    ok(await login(bob, STRONG, CONSOLE))
  })

  test('a PLATFORM role can be granted to a user without a password, who can then only set a strong one', async () => {
    const bob = await world.byPhone()
    ok(await grant(bob))
    expect((await bob.call('profile.setPassword', { body: { password: WEAK } })).status).toBe(400)
    ok(await bob.call('profile.setPassword', { body: { password: STRONG } }))
  })

  test.if(inProcess)('a password of unknown strength counts as weak until its user has signed in with it', async () => {
    const bob = await register(STRONG)
    // As a row from before passwords were rated.
    await world.server.ctx.db.write('test', async (tx) => {
      await tx.update(users).set({ passwordIsStrong: false }).where(eq(users.id, bob.id))
    })
    expect((await grant(bob)).status).toBe(400)
    ok(await login(bob, STRONG))
    ok(await grant(bob))
  })

  test.if(inProcess)(
    'a password that an administrator chose must be changed first, signing in with it is not enough',
    async () => {
      const bob = await register(STRONG)
      await world.server.ctx.db.write('test', async (tx) => {
        await tx.update(users).set({ passwordIsForeign: true }).where(eq(users.id, bob.id))
      })
      ok(await login(bob, STRONG))
      const refused = await grant(bob)
      expect([refused.status, refused.message]).toEqual([400, expect.stringContaining('chose the password')])
      const body = { verifyType: 'OLD_PASSWORD', oldPassword: STRONG, newPassword: `${STRONG}, my own` } as const
      ok(await bob.call('auth.changePassword', { body }))
      ok(await grant(bob))
    },
  )
})

describe.if(inProcess)('administrators with a weak password', () => {
  /** As an installation that granted the role before the rule existed. */
  async function weakAdministrator(email?: string): Promise<Person> {
    const bob = await register(WEAK)
    if (email !== undefined) {
      const code = await world.codeBy(bob, '/api/auth/email/bind-code', { email }, email)
      ok(await bob.call('auth.emailBind', { body: { email, code } }))
    }
    const { ctx } = world.server
    await ctx.db.write('test', (tx) => bindPlatformRole(ctx, tx, bob.id, SYSTEM_ADMIN))
    return bob
  }

  test('they are refused at the console and elsewhere, with the reason, and only if the password was right', async () => {
    const bob = await weakAdministrator()
    for (const path of ['/api/auth/login', CONSOLE]) {
      const refused = await login(bob, WEAK, path)
      expect([refused.status, refused.message]).toEqual([403, expect.stringContaining('at least 10 characters')])
      expect((await login(bob, 'wrong', path)).status).toBe(401)
    }
    const failures = ok(await bob.call('loginRecords.failed')).data.items
    expect(failures.map((r) => r.failureReason)).toContain('weak password')
  })

  test('they can choose a strong password with a forgotten-password code, and then sign in to the console', async () => {
    const email = newEmail()
    const bob = await weakAdministrator(email)
    expect((await login(bob, WEAK, CONSOLE)).status).toBe(403)
    const code = await world.codeBy(undefined, '/api/auth/password/forgot-code', { credential: email }, email)
    const reset = (newPassword: string) =>
      world.post('/api/auth/password/reset', { credential: email, code, newPassword })
    expect((await reset('another1')).status).toBe(400)
    expect((await reset(STRONG)).status).toBe(200)
    ok(await login(bob, STRONG, CONSOLE))
  })

  test('they can be given a strong password on the command line', async () => {
    const bob = await weakAdministrator()
    await expect(resetPassword(world.server.ctx, bob.username, WEAK)).rejects.toThrow('at least 10 characters')
    await resetPassword(world.server.ctx, bob.username, STRONG)
    ok(await login(bob, STRONG, CONSOLE))
  })
})
