/** Start codes, reset codes and initial passwords. */

import { beforeAll, describe, expect, test } from 'bun:test'

import { stepAt, totp } from '#lib/totp.ts'

import { findRole, grant } from '../access/helpers.ts'
import { inProcess, ok, type Person, race } from '../harness/index.ts'
import { person } from '../harness/people.ts'
import { fromBase32, newDevice, newEmail, useWorld } from './helpers.ts'

const world = useWorld()
let admin: Person
/** Holds USER_ADMIN. */
let clerk: Person

const FIRST = 'the first password'
const OWN = 'a password of their own'

const setting = async (key: string, value: boolean) =>
  ok(await admin.call('admin.settings.update', { body: { values: { [key]: value } } }))

beforeAll(async () => {
  admin = await world.server.admin()
  clerk = await world.server.person()
  ok(await grant(admin, clerk, await findRole(admin, 'PLATFORM', 0, 'USER_ADMIN')))
  await setting('security.adminResetCodes', true)
})

const makeCode = (who: Person, userId: number, hours?: number) =>
  who.call('admin.users.resetCode', { params: { userId }, body: hours === undefined ? {} : { hours } })
const redeem = (account: string, code: string, newPassword = OWN) =>
  world.post('/api/auth/password/redeem', { account, code, newPassword })
async function signIn(account: string, password: string): Promise<Person> {
  const deviceId = newDevice()
  const reply = await world.post('/api/auth/login', { account, password }, { deviceId })
  return person(world.server.url, reply, account, password, deviceId)
}
const noticesOf = async (who: Person, event: string) =>
  ok(await who.call('notifications.list')).data.items.filter(({ data }) => data['event'] === event)
const logged = async (action: 'USER_RESET_CODE' | 'SESSION_REVOKE', targetId: number) =>
  ok(await admin.call('operationLog.list', { query: { action, targetId } })).data.items

describe('a reset code by an administrator', () => {
  test('sets a new password once, ends all sessions, and notifies, without the code in the log', async () => {
    const pupil = await world.server.person()
    const { code, expiresAt } = ok(await makeCode(clerk, pupil.id)).data
    expect(code).toMatch(/^([A-HJ-NP-Z2-9]{4}-){3}[A-HJ-NP-Z2-9]{4}$/)
    expect(expiresAt).toBeGreaterThan(0)
    const [notice] = await noticesOf(pupil, 'RESET_CODE_MADE')
    expect(notice!.data['administratorName']).toBe(clerk.username)
    const typed = ` ${code.replaceAll('-', '').toLowerCase()} `
    expect((await redeem(pupil.username, typed, pupil.username)).status).toBe(400)
    ok(await redeem(pupil.username.toUpperCase(), typed))
    expect((await pupil.call('profile.get')).status).toBe(401)
    expect((await redeem(pupil.username, code)).status).toBe(400)
    const again = await signIn(pupil.username, OWN)
    expect(await noticesOf(again, 'PASSWORD_CHANGED')).toHaveLength(1)
    const rows = await logged('USER_RESET_CODE', pupil.id)
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(code.slice(0, 9))
  })

  test('a user who redeemed a code that USER_ADMIN has seen becomes an administrator only after another password', async () => {
    const pupil = await world.server.person()
    const { code } = ok(await makeCode(clerk, pupil.id)).data
    ok(await redeem(pupil.username, code))
    const promote = () =>
      admin.call('admin.users.changeRole', { params: { userId: pupil.id }, body: { role: 'ADMIN' } })
    expect((await promote()).status).toBe(400)
    const again = await signIn(pupil.username, OWN)
    const body = { verifyType: 'OLD_PASSWORD', oldPassword: OWN, newPassword: 'yet another password' } as const
    ok(await again.call('auth.changePassword', { body }))
    ok(await promote())
  })

  test('is refused for root, for oneself, for other administrators, for a disabled user and while the setting is off', async () => {
    const [pupil, chief] = [await world.server.person(), await world.server.person()]
    ok(await grant(admin, chief, await findRole(admin, 'PLATFORM', 0, 'USER_ADMIN')))
    for (const [who, userId] of [
      [clerk, admin.id],
      [clerk, clerk.id],
      [admin, chief.id],
    ] as const)
      expect((await makeCode(who, userId)).status).toBe(403)
    expect((await makeCode(pupil, pupil.id)).status).toBe(403)
    expect((await makeCode(clerk, 999_999)).status).toBe(404)
    for (const hours of [0, 73, 1.5]) expect((await makeCode(clerk, pupil.id, hours)).status).toBe(400)
    await setting('security.adminResetCodes', false)
    expect((await makeCode(admin, pupil.id)).status).toBe(403)
    await setting('security.adminResetCodes', true)
    const status = (value: 'ACTIVE' | 'DISABLED') =>
      admin.call('admin.users.changeStatus', { params: { userId: pupil.id }, body: { status: value } })
    const { code } = ok(await makeCode(clerk, pupil.id)).data
    ok(await status('DISABLED'))
    expect((await makeCode(clerk, pupil.id)).status).toBe(400)
    ok(await status('ACTIVE'))
    expect((await redeem(pupil.username, code)).status).toBe(400)
  })

  test('ends when the user proves an address, becomes an administrator, changes the password or gets a newer code', async () => {
    const pupil = await world.server.person()
    const older = ok(await makeCode(clerk, pupil.id)).data.code
    const newer = ok(await makeCode(clerk, pupil.id)).data.code
    expect((await redeem(pupil.username, older)).status).toBe(400)
    const email = newEmail()
    const code = await world.codeBy(pupil, '/api/auth/email/bind-code', { email }, email)
    ok(await pupil.call('auth.emailBind', { body: { email, code } }))
    expect((await redeem(pupil.username, newer)).status).toBe(400)
    const refused = await makeCode(clerk, pupil.id)
    expect([refused.status, refused.message]).toEqual([400, expect.stringContaining('confirmed e-mail')])

    const second = await world.server.person()
    const early = ok(await makeCode(clerk, second.id)).data.code
    ok(await grant(admin, second, await findRole(admin, 'PLATFORM', 0, 'USER_ADMIN')))
    expect((await redeem(second.username, early)).status).toBe(400)

    const third = await world.server.person()
    const open = ok(await makeCode(clerk, third.id)).data.code
    const body = { verifyType: 'OLD_PASSWORD', oldPassword: third.password, newPassword: OWN } as const
    ok(await third.call('auth.changePassword', { body }))
    expect((await redeem(third.username, open, 'yet another password')).status).toBe(400)
  })

  test('is withdrawn by its user, and the system administrators hear of it once', async () => {
    const pupil = await world.server.person()
    const { code } = ok(await makeCode(clerk, pupil.id)).data
    ok(await pupil.call('auth.withdrawCode'))
    ok(await pupil.call('auth.withdrawCode'))
    expect((await redeem(pupil.username, code)).status).toBe(400)
    const told = (await noticesOf(admin, 'RESET_CODE_WITHDRAWN')).filter(({ data }) => data['userId'] === pupil.id)
    expect(told).toHaveLength(1)
    expect(told[0]!.body).toContain(clerk.username)
  })

  test('of two redemptions at once one succeeds', async () => {
    const pupil = await world.server.person()
    const { code } = ok(await makeCode(clerk, pupil.id)).data
    const replies = await race(2, (i) => redeem(pupil.username, code, `password of ${i}, by a race`))
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 400])
    await signIn(pupil.username, `password of ${replies.findIndex(({ status }) => status === 200)}, by a race`)
  })

  test('keeps the second factor', async () => {
    const pupil = await world.server.person()
    const { secret } = ok(await pupil.call('auth.startTotp')).data
    const shown = totp(fromBase32(secret), stepAt(inProcess ? world.server.clock.now() : Date.now()))
    ok(await pupil.call('auth.confirmTotp', { body: { totp: shown } }))
    ok(await redeem(pupil.username, ok(await makeCode(clerk, pupil.id)).data.code))
    const reply = await world.post('/api/auth/login', { account: pupil.username, password: OWN })
    expect([reply.status, reply.code]).toEqual([403, 4032])
  })
})

describe('guessing a code', () => {
  test('a wrong, used, expired and over-tried code and an unknown account get the same answer', async () => {
    const [used, guessed] = [await world.server.person(), await world.server.person()]
    const { code } = ok(await makeCode(clerk, used.id)).data
    ok(await redeem(used.username, code))
    const right = ok(await makeCode(clerk, guessed.id)).data.code
    const wrong = right.startsWith('A') ? right.replace(/^A/, 'B') : right.replace(/^./, 'A')
    const answers = [
      await redeem(used.username, code),
      await redeem('nobody.here', right),
      await redeem('no@example.org', right),
    ]
    for (let i = 0; i < 5; i++) answers.push(await redeem(guessed.username, wrong))
    answers.push(await redeem(guessed.username, right))
    const [first] = answers
    for (const { status, code: business, message, details } of answers)
      expect([status, business, message, details]).toEqual([400, first!.code, first!.message, first!.details])
  })

  test.if(inProcess)('the same statements run for each of them, so that the time shows nothing', async () => {
    const pupil = await world.server.person()
    const expired = await world.server.person()
    ok(await makeCode(clerk, pupil.id))
    ok(await makeCode(clerk, expired.id, 1))
    world.server.clock.advance(2 * 3_600_000)
    ok(await makeCode(await signIn(admin.username, admin.password), pupil.id))
    const { ctx } = world.server
    const work = async (account: string) => {
      const names: string[] = []
      const { write } = ctx.db
      const verify = ctx.passwords.hash
      let hashes = 0
      ctx.db.write = ((name: string, ...rest: never[]) => {
        if (name.startsWith('accounts.')) names.push(name)
        return (write as (...given: unknown[]) => unknown).call(ctx.db, name, ...rest)
      }) as typeof write
      ctx.passwords.hash = (...given) => (hashes++, verify.apply(ctx.passwords, given))
      try {
        expect((await redeem(account, 'AAAA-AAAA-AAAA-AAAA')).status).toBe(400)
      } finally {
        ctx.db.write = write
        ctx.passwords.hash = verify
      }
      return [...names, hashes]
    }
    const expected = ['accounts.tryResetCode', 0]
    for (const account of [pupil.username, expired.username, clerk.username, 'nobody.at.all', 'no@example.org'])
      expect(await work(account)).toEqual(expected)
  })
})

describe('initial passwords', () => {
  async function created(): Promise<string> {
    const username = `new${crypto.randomUUID().slice(0, 8)}`
    ok(await admin.post('/api/admin/users', { username, password: FIRST }))
    return username
  }
  const login = (account: string, password: string) => world.post('/api/auth/login', { account, password })

  test('change nothing while the setting is off', async () => {
    const username = await created()
    const reply = ok(await login(username, FIRST))
    expect(reply.data.mustChangePassword).toBe(false)
    ok(await (await signIn(username, FIRST)).call('qrCodes.list'))
  })

  test('with the setting, everything but four operations answers 4038 until the password is another', async () => {
    const username = await created()
    const early = await signIn(username, FIRST)
    await setting('password.changeInitial', true)
    try {
      expect(ok(await login(username, FIRST)).data.mustChangePassword).toBe(true)
      for (const reply of [
        await early.call('qrCodes.list'),
        await early.call('devices.list'),
        await early.post('/api/auth/password/change-code', { channel: 'EMAIL' }),
      ])
        expect([reply.status, reply.code]).toEqual([403, 4038])
      ok(await early.call('profile.get'))
      const refreshed = ok(await world.post('/api/auth/refresh', { refreshToken: early.refreshToken }))
      expect(refreshed.data.mustChangePassword).toBe(true)
      ok(await (await signIn(username, FIRST)).post('/api/auth/logout'))
      const change = (newPassword: string) =>
        early.call('auth.changePassword', { body: { verifyType: 'OLD_PASSWORD', oldPassword: FIRST, newPassword } })
      expect((await change(FIRST)).status).toBe(400)
      ok(await change(OWN))
      const after = await signIn(username, OWN)
      expect(ok(await login(username, OWN)).data.mustChangePassword).toBe(false)
      ok(await after.call('qrCodes.list'))
      // Users who chose their own password notice nothing.
      const other = await world.server.person()
      ok(await other.call('qrCodes.list'))
    } finally {
      await setting('password.changeInitial', false)
    }
  })
})

describe('the end of all sessions of a user', () => {
  const end = (who: Person, userId: number) => who.call('admin.users.endSessions', { params: { userId } })

  test('is logged once, and the rank of the user counts', async () => {
    const pupil = await world.server.person()
    await signIn(pupil.username, pupil.password)
    expect(ok(await end(clerk, pupil.id)).data).toEqual({ ended: 2 })
    expect((await pupil.call('profile.get')).status).toBe(401)
    expect(ok(await end(clerk, pupil.id)).data).toEqual({ ended: 0 })
    expect(await logged('SESSION_REVOKE', pupil.id)).toHaveLength(1)
    expect((await end(clerk, admin.id)).status).toBe(403)
    expect((await end(clerk, 999_999)).status).toBe(404)
    expect((await end(pupil, clerk.id)).status).toBe(401)
  })
})
