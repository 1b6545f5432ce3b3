/** Who is meant by user ids, e-mails and phone numbers. */

import type { AppContext } from '#context'
import { normalizeEmail, normalizePhone } from '#domains/accounts/index.ts'

import { noTargets, tooManyTargets } from '../errors.ts'
import { MAX_TARGETS, type Targets } from '../invitations/model.ts'
import { activeAmong, idsByCredential } from './store.ts'

export interface Target {
  /** As it was given. */
  readonly target: number | string
  /** Undefined: nobody. */
  readonly userId: number | undefined
}

/** In the order given: ids, e-mails, phones. `atLeast` people must be named. */
export async function findTargets(ctx: AppContext, named: Targets, atLeast: 0 | 1): Promise<Target[]> {
  const { userIds = [], emails = [], phones = [] } = named
  const total = userIds.length + emails.length + phones.length
  if (total < atLeast) throw noTargets()
  if (total > MAX_TARGETS) throw tooManyTargets(MAX_TARGETS)
  const { read } = ctx.db
  const known = await activeAmong(read, userIds)
  const addresses = emails.map((email) => normalizeEmail(email) ?? '')
  const byEmail = await idsByCredential(read, 'EMAIL', addresses)
  const numbers = await Promise.all(phones.map(async (phone) => (await normalizePhone(phone)) ?? ''))
  const byPhone = await idsByCredential(read, 'PHONE', numbers)
  return [
    ...userIds.map((id) => ({ target: id, userId: known.has(id) ? id : undefined })),
    ...emails.map((email, i) => ({ target: email, userId: byEmail.get(addresses[i]!) })),
    ...phones.map((phone, i) => ({ target: phone, userId: byPhone.get(numbers[i]!) })),
  ]
}
