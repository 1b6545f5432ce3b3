import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import { notFound } from '#http/errors.ts'

import { copyLink, newSlug } from '../slugs.store.ts'
import { opensOf } from './codes.rules.ts'
import { checkRoom, quotaOf } from './codes.service.ts'
import { findCode, insertCode, insertSlug } from './codes.store.ts'

/**
 * Prepares copies of a user's own codes that belong to an organization. The returned function runs in a write, returns the copy's id,
 * and throws 404 if the user has no such code, or the error of the organization's quota. A copy is private, because publishing needs
 * another permission, and has no category, because categories are personal. That of a dynamic code has a slug of its own, and leads as the
 * original does, without its password.
 */
export async function prepareCopy(ctx: AppContext) {
  const quota = await quotaOf(ctx)
  return async (tx: Tx, userId: number, sourceId: number, orgId: number): Promise<number> => {
    const source = await findCode(tx, { userId, orgId: 0 }, sourceId)
    if (source === undefined) throw notFound()
    const owner = { userId, orgId }
    await checkRoom(ctx, tx, owner, quota, 1)
    const { name, content, contentType, tags, remark, style, isDynamic } = source
    const copy = await insertCode(tx, owner, {
      name,
      content,
      contentType,
      categoryId: null,
      tags,
      remark,
      style,
      isPublic: false,
      isDynamic,
      pinned: false,
      sortOrder: 0,
      opens: isDynamic ? opensOf(source) : null,
    })
    if (isDynamic) {
      await insertSlug(tx, copy, await newSlug(tx, owner, copy.id))
      await copyLink(tx, source.id, copy.id)
    }
    return copy.id
  }
}
