/** Helpers for the tests of gates. */

import type { Verification, VerifyPass } from '#domains/activities/gates/gates.model.ts'
import type { RedemptionItem } from '#domains/activities/gates/offline.model.ts'
import type { PassView } from '#domains/activities/passes/passes.model.ts'

import { ok, type Person, type Reply, type TestServer } from '../harness/index.ts'
import { issued } from './pass-helpers.ts'

/** Asks as a person, or as anyone with the server itself. */
export const verify = (who: Pick<Person | TestServer, 'call'>, id: number, body: VerifyPass) =>
  who.call('passes.verify', { params: { id }, body })

export const verified = async (
  who: Pick<Person | TestServer, 'call'>,
  id: number,
  body: VerifyPass,
): Promise<Verification> => ok(await verify(who, id, body)).data

export const redeem = (gate: Person, id: number, body: VerifyPass) => verify(gate, id, { ...body, redeem: true })
export const redeemed = async (gate: Person, id: number, body: VerifyPass): Promise<Verification> =>
  ok(await redeem(gate, id, body)).data

/** `valid`, or the reason. */
export const verdict = ({ valid, reason }: Pick<Verification, 'valid' | 'reason'>): string =>
  valid ? 'valid' : reason!
/** How often each verdict, or each other status, is among the answers. */
export function verdicts(replies: readonly Reply<Verification>[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const reply of replies) {
    const name = reply.status === 200 ? verdict(reply.data) : String(reply.status)
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

export async function issueOne(
  person: Person,
  id: number,
  fields: { maxUses?: number; validFrom?: number; validTo?: number; userId?: number } = {},
): Promise<PassView> {
  const holder = fields.userId === undefined ? { holderName: 'Lin Mei' } : {}
  const [pass] = await issued(person, id, { ...holder, ...fields })
  return pass!
}

export const revoke = async (person: Person, passId: number) =>
  ok(await person.call('passes.revoke', { params: { passId }, body: { reason: 'Lost' } })).data

export const upload = async (gate: Person, id: number, items: RedemptionItem[]) =>
  ok(await gate.call('passes.uploadRedemptions', { params: { id }, body: { items } })).data.items

export const usesOf = async (person: Person, id: number, query: object = {}) =>
  ok(await person.call('passes.activityRecords', { params: { id }, query: { size: 100, ...query } })).data

let nonces = 0
export const nonce = (): string => `nonce-${String(++nonces).padStart(6, '0')}`
