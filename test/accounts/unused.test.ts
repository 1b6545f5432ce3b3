/** Accounts that only a device can sign in to end after 30 days, unless somebody uses them. */

import { describe, expect, test } from 'bun:test'

import { users } from '#db/schema/accounts.ts'
import { accounts } from '#domains/accounts/index.ts'
import { domain } from '#domains/domain.ts'
import { badRequest } from '#http/errors.ts'

import { checkIn, openActivity } from '../activities/check-in-helpers.ts'
import { createTemplate, issued, withPasses } from '../activities/pass-helpers.ts'
import { inProcess, ok, type Person } from '../harness/index.ts'
import { person } from '../harness/people.ts'
import { newDevice, useWorld } from './helpers.ts'

const DAY = 86_400_000

describe.if(inProcess)('accounts that only a device can sign in to', () => {
  const deleted: number[] = []
  const needed = new Set<number>()
  const listening = domain({
    name: 'listening',
    on: {
      'user.deleting': (_ctx, tx, { userId }) => {
        if (needed.has(userId)) throw badRequest('This account is needed', '需要此账号')
        tx.afterCommit(() => deleted.push(userId))
      },
    },
    userContent: async (_db, userId) => userId === contributor?.id,
  })
  let contributor: Person | undefined
  const world = useWorld({ domains: (product) => [...product, listening] })

  async function byDevice(): Promise<Person> {
    const deviceId = newDevice()
    const login = await world.post('/api/auth/device-login', {}, { deviceId })
    return person(world.server.url, ok(login), '', '', deviceId)
  }
  const signInAgain = (who: Person) => world.post('/api/auth/device-login', {}, { deviceId: who.deviceId })
  const runJobs = async () => {
    for (const job of accounts.jobs) await job.run(world.server.ctx)
  }
  const statusOf = async (who: Person) =>
    (await world.server.ctx.db.read.select({ id: users.id, status: users.status }).from(users)).find(
      ({ id }) => id === who.id,
    )!.status

  test('end after 30 days without use, with their events, and the device can then begin again', async () => {
    const unused = await byDevice()
    world.server.clock.advance(29 * DAY)
    await runJobs()
    expect(await statusOf(unused)).toBe('ACTIVE')
    world.server.clock.advance(2 * DAY)
    const younger = await byDevice()
    deleted.length = 0
    await runJobs()
    expect(deleted).toEqual([unused.id])
    expect([await statusOf(unused), await statusOf(younger)]).toEqual(['DELETED', 'ACTIVE'])
    const again = ok(await signInAgain(unused)).data
    expect(again.isNewUser).toBe(true)
    expect(again.user.id).not.toBe(unused.id)
  })

  test('stay if anything was made or set, or if another way to sign in was added', async () => {
    const made: [string, (who: Person) => Promise<unknown>][] = [
      ['a QR code', async (who) => ok(await who.post('/api/qr-codes', { name: 'n', content: 'x' }))],
      [
        'a QR code in the trash for a day',
        async (who) => {
          const { data } = ok(await who.post('/api/qr-codes', { name: 'n', content: 'x' }))
          ok(await who.delete(`/api/qr-codes/${data.id}`))
        },
      ],
      ['a category', async (who) => ok(await who.post('/api/categories', { name: 'n' }))],
      ['a scan record', async (who) => ok(await who.post('/api/scan-records', { content: 'x' }))],
      ['an organization', async (who) => ok(await who.post('/api/orgs', { name: 'Climbers' }))],
      [
        'a membership',
        async (who) => {
          const owner = await world.server.person()
          const org = ok(await owner.post('/api/orgs', { name: 'Divers', joinPolicy: 'FREE' })).data
          ok(await who.post('/api/orgs/join-by-code', { code: org.code }))
        },
      ],
      [
        'a check-in',
        async (who) => {
          const activity = await openActivity(world.server, await world.server.person())
          ok(await checkIn(who, activity))
        },
      ],
      [
        'a pass',
        async (who) => {
          const owner = await world.server.person()
          await issued(owner, (await withPasses(owner)).id, { userId: who.id })
        },
      ],
      ['a pass template', async (who) => void (await createTemplate(who))],
      [
        'an account link',
        async (who) => {
          const other = await world.server.person()
          ok(await who.post('/api/auth/link', { linkedUserId: other.id, password: other.password }))
        },
      ],
      ['a signature', async (who) => ok(await who.put('/api/auth/userinfo', { signature: 'here' }))],
      ['a username', async (who) => ok(await who.put('/api/users/me/username', { username: `device${who.id}` }))],
      ['a password', async (who) => ok(await who.post('/api/auth/password/set', { password: 'a long secret' }))],
      ['content of another domain', async (who) => void (contributor = who)],
      ['a listener that needs it', async (who) => void needed.add(who.id)],
    ]
    const people: Person[] = []
    for (const [, make] of made) {
      const who = await byDevice()
      await make(who)
      people.push(who)
    }
    const phone = await world.byPhone()
    const unused = await byDevice()
    world.server.clock.advance(40 * DAY)
    await runJobs()
    for (const [i, [what]] of made.entries()) expect([what, await statusOf(people[i]!)]).toEqual([what, 'ACTIVE'])
    expect([await statusOf(phone), await statusOf(unused)]).toEqual(['ACTIVE', 'DELETED'])
  })

  test('stay while their device signs in', async () => {
    const used = await byDevice()
    for (let i = 0; i < 3; i++) {
      world.server.clock.advance(20 * DAY)
      expect(ok(await signInAgain(used)).data.user.id).toBe(used.id)
      await runJobs()
      expect(await statusOf(used)).toBe('ACTIVE')
    }
  })
})
