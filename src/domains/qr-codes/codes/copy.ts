/** Independent copies of people's own codes that belong to an organization, for the shares domain. */

import type { Tx } from '#db/store.ts'
import { notFound } from '#http/errors.ts'
import { uuid } from '#platform/ids.ts'

import { checkRoom } from './quota.ts'
import { findCode, insertCode } from './store.ts'

/**
 * Copies a personal code of the user's into the organization and answers the copy's id. It begins private, as making codes public
 * takes another permission, and in no category, as categories are personal. `quota`: `quotaOf`, read before the write. Throws a 404
 * when the user has no such code, and the refusal of the organization's quota.
 */
export async function copyIntoOrg(
  tx: Tx,
  userId: number,
  sourceId: number,
  orgId: number,
  quota: number,
): Promise<number> {
  const source = await findCode(tx, { userId, orgId: 0 }, sourceId)
  if (source === undefined) throw notFound()
  const owner = { userId, orgId }
  await checkRoom(tx, owner, quota, 1)
  const { name, content, contentType, tags, remark, style } = source
  const values = { uuid: uuid(), name, content, contentType, categoryId: null, tags, remark, style, isPublic: false }
  return (await insertCode(tx, owner, values)).id
}
