/** Who waits for whom when many passwords are hashed at once. */

import { expect, test } from 'bun:test'

import { createPasswords, PasswordQueueFull } from '#platform/passwords.ts'

const outcomes = async (tasks: Promise<unknown>[]) => {
  const settled = await Promise.allSettled(tasks)
  return {
    done: settled.filter((s) => s.status === 'fulfilled').length,
    full: settled.filter((s) => s.status === 'rejected' && s.reason instanceof PasswordQueueFull).length,
  }
}

test('a hash is argon2id of the cost that OWASP recommends, and one of another cost is outdated', async () => {
  const passwords = createPasswords()
  const stored = await passwords.hash('secret')
  expect(stored).toStartWith('$argon2id$v=19$m=19456,t=2,p=1$')
  expect([passwords.outdated(stored), await passwords.verify('secret', stored)]).toEqual([false, true])
  const cheap = await createPasswords({ memoryCost: 64, timeCost: 1 }).hash('secret')
  expect([passwords.outdated(cheap), await passwords.verify('secret', cheap)]).toEqual([true, true])
})

test('a sign-in does not wait for the hashes of signed-in users that are in the queue', async () => {
  const passwords = createPasswords()
  const order: string[] = []
  const tasks = Array.from({ length: 20 }, (_, i) =>
    passwords
      .ofUser(i)
      .hash('secret')
      .then(() => order.push('user')),
  )
  tasks.push(passwords.hash('secret').then(() => order.push('sign-in')))
  await Promise.all(tasks)
  // At most two hashes run at once: those have begun, and one more may come first because the lanes take turns.
  expect(order.indexOf('sign-in')).toBeLessThanOrEqual(4)
})

test('signed-in users fill their part of the queue only', async () => {
  const passwords = createPasswords()
  const users = Array.from({ length: 80 }, (_, i) => passwords.ofUser(i).hash('secret'))
  const signIns = Array.from({ length: 20 }, () => passwords.hash('secret'))
  const { done, full } = await outcomes(users)
  // 50 wait, and one or two run at once, depending on the machine.
  expect(done).toBeWithin(51, 53)
  expect(done + full).toBe(80)
  expect(await outcomes(signIns)).toEqual({ done: 20, full: 0 })
})

test('a signed-in user has one hash at a time, and at most 5 that wait', async () => {
  const passwords = createPasswords()
  const own = Array.from({ length: 40 }, () => passwords.ofUser(7).hash('secret'))
  const other = passwords.ofUser(8).verify('secret', null)
  expect(await outcomes(own)).toEqual({ done: 6, full: 34 })
  expect(await other).toBe(false)
  expect(await outcomes([passwords.ofUser(7).hash('secret')])).toEqual({ done: 1, full: 0 })
})

test('an unknown account can be checked again after the queue was full', async () => {
  const passwords = createPasswords()
  const many = Array.from({ length: 160 }, () => passwords.hash('secret'))
  expect(await outcomes([passwords.verify('secret', null)])).toEqual({ done: 0, full: 1 })
  await Promise.allSettled(many)
  expect(await passwords.verify('secret', null)).toBe(false)
})
