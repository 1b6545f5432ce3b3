/** Gates that run the first verifier of docs/ go on, with the passes and lists of today. */

import { expect, test } from 'bun:test'
import { resolve } from 'node:path'

import { DAY } from '#platform/clock.ts'

import { ok, useServer } from '../harness/index.ts'
import { guests, issued, withPasses } from './pass-helpers.ts'

const { verifyPass, verifyRevocations } = (await import(resolve(import.meta.dir, 'first-verifier.js'))) as {
  verifyPass(input: object): Promise<{ valid: boolean; reason: string | null }>
  verifyRevocations(input: object): Promise<boolean>
}
const { server, alice } = useServer({ people: ['alice'] })

test('the first verifier reads the lists of today, accepts passes that follow the activity, and refuses all others', async () => {
  const { id, startTime, endTime } = await withPasses(alice)
  const [following, lost] = await issued(alice, id, { holders: guests(2) })
  const [short] = await issued(alice, id, { holderName: 'Lin', validTo: Date.now() + DAY })
  ok(await alice.call('passes.revoke', { params: { passId: lost!.id }, body: {} }))
  ok(await alice.put(`/api/activities/${id}`, { startTime, endTime: endTime + 10 * DAY }))
  ok(await alice.patch(`/api/passes/${short!.id}`, { validTo: Date.now() + 2 * DAY }))
  const { keys } = ok(await server.call('passes.keys', { params: { id } })).data
  const revocations = ok(await alice.call('passes.revocations', { params: { id } })).data
  expect(revocations.changed).toHaveLength(1)
  expect(await verifyRevocations({ revocations, keys, activityId: id })).toBe(true)
  const altered = { ...revocations, revoked: [] }
  expect(await verifyRevocations({ revocations: altered, keys, activityId: id })).toBe(false)
  const verdict = async (content: string, now = Date.now()) =>
    (await verifyPass({ content, keys, revocations, activityId: id, now })).reason
  expect(await verdict(following!.qrContent!, endTime + DAY)).toBeNull()
  expect(await verdict(lost!.qrContent!)).toBe('REVOKED')
  // It does not know of the changes, so the end that was printed counts.
  expect(await verdict(short!.qrContent!, Date.now() + 1.5 * DAY)).toBe('EXPIRED')
  expect(await verdict(`${following!.qrContent!.slice(0, -4)}aaaa`)).toBe('FORGED')
})
