import type { AppContext } from '#context'
import type { Actor } from '#http/endpoint.ts'

import { findPerson, type PersonRow, upsertPrivacy } from '../contacts.store.ts'
import type { PrivacyView, UpdatePrivacy } from './privacy.model.ts'

export async function getPrivacy(ctx: AppContext, actor: Actor): Promise<PrivacyView> {
  return toView((await findPerson(ctx.db.read, actor.userId))!)
}

export const updatePrivacy = (ctx: AppContext, actor: Actor, change: UpdatePrivacy): Promise<PrivacyView> =>
  ctx.db.write('contacts.updatePrivacy', async (tx) => {
    const { findableByEmail, findableByPhone, whoMayRequest, whoMayMessage, readReceipts, presence } = change
    await upsertPrivacy(tx, actor.userId, {
      ...(findableByEmail !== undefined && { findableByEmail }),
      ...(findableByPhone !== undefined && { findableByPhone }),
      ...(whoMayRequest !== undefined && { whoMayRequest }),
      ...(whoMayMessage !== undefined && { whoMayMessage }),
      ...(readReceipts !== undefined && { readReceipts }),
      ...(presence !== undefined && { presence }),
    })
    return toView((await findPerson(tx, actor.userId))!)
  })

const toView = (row: PersonRow): PrivacyView => ({
  findableByEmail: row.findableByEmail,
  findableByPhone: row.findableByPhone,
  whoMayRequest: row.whoMayRequest,
  whoMayMessage: row.whoMayMessage,
  readReceipts: row.readReceipts,
  presence: row.presence,
})
