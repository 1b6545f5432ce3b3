/** What every way of making or changing a code has in common: the checks, and what a row is made of. */

import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import * as access from '#domains/access/index.ts'
import type { FieldProblem } from '#http/errors.ts'
import { contentTypeOf } from '#lib/content-type.ts'
import { uuid } from '#platform/ids.ts'

import { categoryTree } from '../categories/store.ts'
import type { Owner } from '../owner.ts'
import { contentTooLong, mayNotPublish } from './errors.ts'
import type { NewQrCode, UpdateQrCode } from './model.ts'
import { cleanStyle, cleanTags, tooLongFor } from './rules.ts'
import type { Change, NewRow, QrCodeRow } from './store.ts'

/** The problem with a content at the level it would be drawn with, if any. */
export function contentProblem(
  content: string,
  level: 'L' | 'M' | 'Q' | 'H' | null | undefined,
  path: string,
): FieldProblem | undefined {
  const max = tooLongFor(content, level ?? undefined)
  return max === undefined ? undefined : contentTooLong(path, content, max)
}

export const newRow = (input: NewQrCode): NewRow => ({
  uuid: uuid(),
  name: input.name,
  content: input.content,
  contentType: input.contentType ?? contentTypeOf(input.content),
  categoryId: input.categoryId ?? null,
  tags: cleanTags(input.tags),
  remark: input.remark ?? '',
  style: cleanStyle(input.style),
  isPublic: input.isPublic ?? false,
})

/** Only what the request names. A new content brings its own type unless the request gives one. */
export function changeOf(row: QrCodeRow, input: UpdateQrCode): Change {
  const content = input.content ?? row.content
  const change: Change = {}
  if (input.name !== undefined) change.name = input.name
  if (input.content !== undefined) change.content = content
  if (input.contentType != null) change.contentType = input.contentType
  else if (input.contentType === null || content !== row.content) change.contentType = contentTypeOf(content)
  if (input.categoryId !== undefined) change.categoryId = input.categoryId
  if (input.tags !== undefined) change.tags = cleanTags(input.tags)
  if (input.remark !== undefined) change.remark = input.remark ?? ''
  if (input.style !== undefined) change.style = cleanStyle(input.style)
  if (input.isPublic !== undefined) change.isPublic = input.isPublic ?? false
  if (input.pinned !== undefined) change.pinned = input.pinned
  if (input.sortOrder !== undefined) change.sortOrder = input.sortOrder
  return change
}

/** Categories are personal: an organization's code is in none. */
export async function isOwnCategory(tx: Tx, owner: Owner, categoryId: number): Promise<boolean> {
  return owner.orgId === 0 && (await categoryTree.find(tx, owner.userId, categoryId)) !== undefined
}

/** Making a code public takes its own permission, whichever request does it. */
export async function checkMayPublish(ctx: AppContext, owner: Owner): Promise<void> {
  const domain = owner.orgId === 0 ? 'APP' : 'ORG'
  if (!(await access.can(ctx, owner.userId, domain, owner.orgId, 'qr_code:publish'))) throw mayNotPublish()
}
