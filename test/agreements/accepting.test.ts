/** Acceptances of agreements: the records, and the pending agreements that userinfo lists. */

import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { users } from '#db/schema/accounts.ts'
import { agreementAcceptances as acceptances, agreements } from '#db/schema/agreements.ts'

import { inProcess, ok, race, startServer, useServer } from '../harness/index.ts'
import { accept, activate, countReads, pending, publish, versions } from './helpers.ts'

const { server, admin, alice, bob } = useServer({ people: ['alice', 'bob'] })

const rowsOf = (userId: number) => server.ctx.db.read.select().from(acceptances).where(eq(acceptances.userId, userId))

describe('POST /api/agreement/accept', () => {
  test('records the acceptance of the caller, and of nobody else', async () => {
    const terms = await publish(admin, 'SERVICE')
    const policy = await publish(admin, 'PRIVACY', { title: 'Privacy policy' })
    expect(await pending(alice)).toEqual(await pending(bob))
    const { data } = ok(await accept(alice, terms))
    expect(data).toEqual({ type: 'SERVICE', version: terms.version, acceptedAt: expect.any(Number) })
    expect(await pending(alice)).toEqual([`PRIVACY ${policy.version}`])
    expect((await pending(bob)).toSorted()).toEqual([`PRIVACY ${policy.version}`, `SERVICE ${terms.version}`])
    ok(await accept(alice, policy))
    expect(await pending(alice)).toEqual([])
    expect(await pending(bob)).toHaveLength(2)
  })

  test('again answers the time of the first acceptance', async () => {
    const terms = await publish(admin)
    const first = ok(await accept(alice, terms)).data
    if (inProcess) server.clock.advance(86_400_000)
    expect(ok(await accept(alice, terms)).data).toEqual(first)
    const other = ok(await accept(bob, terms)).data
    expect(other.acceptedAt).toBeGreaterThan(first.acceptedAt)
  })

  test('of a version that is not active, or that does not exist, answers 400 and records nothing', async () => {
    const user = await server.person()
    const old = await publish(admin)
    const active = await publish(admin)
    const before = await pending(user)
    for (const version of [old.version, active.version + 1, 999_999])
      expect((await accept(user, { type: 'SERVICE', version })).status, String(version)).toBe(400)
    ok(await accept(user, active))
    await publish(admin)
    expect((await accept(user, active)).status).toBe(400)
    expect(before).toContain(`SERVICE ${active.version}`)
    if (inProcess) expect((await rowsOf(user.id)).map((row) => row.agreementId)).toEqual([active.id])
  })

  test('with bad input answers 400, and without a token 401', async () => {
    const { version } = await publish(admin)
    for (const body of [
      {},
      { type: 'SERVICE' },
      { version },
      { type: 'COOKIES', version },
      { type: 'SERVICE', version: 0 },
      { type: 'SERVICE', version: 1.5 },
      { type: 'SERVICE', version: 'latest' },
    ])
      expect((await alice.post('/api/agreement/accept', body)).status, JSON.stringify(body)).toBe(400)
    expect((await server.request('POST', '/api/agreement/accept', { body: { type: 'SERVICE', version } })).status).toBe(
      401,
    )
    expect(await pending(alice)).toContain(`SERVICE ${version}`)
  })

  test('takes the user from the token and not from the body', async () => {
    const terms = await publish(admin)
    ok(await alice.post('/api/agreement/accept', { type: 'SERVICE', version: terms.version, userId: bob.id }))
    expect(await pending(alice)).not.toContain(`SERVICE ${terms.version}`)
    expect(await pending(bob)).toContain(`SERVICE ${terms.version}`)
  })

  test('50 times at once records one acceptance, and every answer has its time', async () => {
    const user = await server.person()
    const terms = await publish(admin)
    const replies = await race(50, () => accept(user, terms))
    expect(new Set(replies.map((reply) => ok(reply).data.acceptedAt)).size).toBe(1)
    if (inProcess)
      expect(await rowsOf(user.id)).toEqual([
        { userId: user.id, agreementId: terms.id, acceptedAt: replies[0]!.data.acceptedAt },
      ])
  })

  test('while a new version is published records only versions that were active', async () => {
    const user = await server.person()
    const old = await publish(admin)
    const [published, replies] = await Promise.all([publish(admin), race(20, () => accept(user, old))])
    for (const { status } of replies) expect([200, 400]).toContain(status)
    expect((await accept(user, old)).status).toBe(400)
    expect(await pending(user)).toContain(`SERVICE ${published.version}`)
  })
})

describe('GET /api/auth/userinfo', () => {
  test('lists the active agreements that the user has not accepted, with type, version and title', async () => {
    await using fresh = await startServer()
    const [root, user] = [await fresh.admin(), await fresh.person()]
    const show = async () => ok(await user.call('profile.get')).data.pendingAgreements
    expect(await show()).toEqual([])
    const terms = await publish(root, 'SERVICE', { title: 'House rules' })
    expect(await show()).toEqual([{ type: 'SERVICE', version: 1, title: 'House rules' }])
    ok(await accept(user, terms))
    expect(await show()).toEqual([])
    await publish(root, 'SERVICE', { title: 'New house rules' })
    expect(await show()).toEqual([{ type: 'SERVICE', version: 2, title: 'New house rules' }])
    // The user accepted version 1 before.
    ok(await activate(root, terms))
    expect(await show()).toEqual([])
    // Nothing is blocked meanwhile.
    await publish(root)
    ok(await user.call('qrCodes.create', { body: { name: 'Menu', content: 'Soup' } }))
  })

  test('is the only answer with pendingAgreements: a login and a changed profile show the user without it', async () => {
    await publish(admin)
    const headers = { 'x-device-id': `device-of-${crypto.randomUUID()}` }
    const body = { account: alice.username, password: alice.password }
    const login = ok(await server.request('POST', '/api/auth/login', { headers, body }))
    const profile = ok(await alice.call('profile.get')).data
    // The answer to a login is that of the specification.
    const { pendingAgreements, mailAvailable: _, ...user } = profile
    expect(pendingAgreements).not.toEqual([])
    expect(login.data.user).toEqual(user)
    expect(ok(await alice.put('/api/auth/userinfo', { signature: null })).data).toEqual(user)
  })

  test.if(inProcess)('asks the database nothing about agreements while none is published, and else once', async () => {
    await using fresh = await startServer()
    const user = await fresh.person()
    const readsOfThree = async () => {
      await pending(user)
      const reads = countReads(fresh)
      for (let i = 0; i < 3; i++) await pending(user)
      reads.stop()
      return reads.count
    }
    expect(await readsOfThree()).toBe(0)
    const root = await fresh.admin()
    await publish(root, 'SERVICE')
    expect(await readsOfThree()).toBe(3)
    await publish(root, 'PRIVACY')
    expect(await readsOfThree()).toBe(3)
  })
})

describe('records of acceptance', () => {
  test.if(inProcess)('stay after the account is deleted, without its name', async () => {
    const user = await server.person()
    const terms = await publish(admin)
    const { acceptedAt } = ok(await accept(user, terms)).data
    ok(await user.call('auth.deleteAccount'))
    expect(await rowsOf(user.id)).toEqual([{ userId: user.id, agreementId: terms.id, acceptedAt }])
    const [row] = await server.ctx.db.read.select().from(users).where(eq(users.id, user.id))
    expect([row!.status, row!.username]).toEqual(['DELETED', null])
  })

  test.if(inProcess)('refer to a text that cannot be deleted', async () => {
    const terms = await publish(admin)
    ok(await accept(alice, terms))
    const deleting = server.ctx.db.write('test', (tx) => tx.delete(agreements).where(eq(agreements.id, terms.id)))
    await expect(deleting).rejects.toThrow(/cannot be (changed or )?deleted/)
    expect((await versions(admin, 'SERVICE'))[0]).toEqual(terms)
  })
})
