/** Decisions about codes: whether a content fits, and the columns that a request sets. */

import type { qrCodes, QrStyle } from '#db/schema/qr-codes.ts'
import type { FieldProblem } from '#http/errors.ts'
import { contentTypeOf } from '#lib/content-type.ts'
import { DAY } from '#platform/clock.ts'

import { contentTooLong, slugMalformed, slugReserved } from './codes.errors.ts'
import { CAPACITY, type Level, type ListQuery, type NewQrCode, type UpdateQrCode } from './codes.model.ts'

type Row = typeof qrCodes.$inferSelect

/** The columns of a new code that a request decides. */
export type NewCode = Pick<
  Row,
  | 'name'
  | 'content'
  | 'contentType'
  | 'categoryId'
  | 'tags'
  | 'remark'
  | 'style'
  | 'isPublic'
  | 'isDynamic'
  | 'pinned'
  | 'sortOrder'
  | 'opens'
>
export type CodeChange = Partial<NewCode & Pick<Row, 'slug' | 'designId' | 'deletedAt'>>

/** How scans of a code are answered. Codes that were dynamic before there were short links open the share page until their owner decides. */
export const opensOf = ({ isDynamic, slug, opens }: Pick<Row, 'isDynamic' | 'slug' | 'opens'>): Row['opens'] =>
  isDynamic || slug !== null ? (opens ?? 'PAGE') : null

const RESERVED: ReadonlySet<string> = new Set(['info', 'new', 'api', 'console', 'public', 's', 'q'])

/** `slug` in lower case. */
export const isReserved = (slug: string): boolean => RESERVED.has(slug)

/** Why nobody can choose this slug, which is in lower case. Undefined if one can. */
export function slugProblem(slug: string, path: string): FieldProblem | undefined {
  if (isReserved(slug)) return slugReserved(path)
  return /^[a-z0-9][a-z0-9-]{1,48}[a-z0-9]$/.test(slug) ? undefined : slugMalformed(path)
}

/** How long a deleted code can be restored (interface: 30 days). */
const TRASH_MS = 30 * DAY

/** Codes that were deleted before this time can no longer be restored. */
export const trashBegins = (now: number): number => now - TRASH_MS

export const bytesOf = (content: string): number => Buffer.byteLength(content)

/** The level a code is drawn with: the requested one, otherwise M, or L if the content does not fit into M. */
export function levelFor(content: string, requested: Level | undefined): Level {
  if (requested !== undefined) return requested
  // A UTF-16 unit takes at most three bytes, so most contents need no counting.
  return content.length * 3 <= CAPACITY.M || bytesOf(content) <= CAPACITY.M ? 'M' : 'L'
}

/** The problem of a content that is too long for the level it would be drawn with. */
export function contentProblem(
  content: string,
  level: Level | null | undefined,
  path: string,
): FieldProblem | undefined {
  const capacity = CAPACITY[levelFor(content, level ?? undefined)]
  const bytes = bytesOf(content)
  return bytes > capacity ? contentTooLong(path, bytes, capacity) : undefined
}

/** `mayPublish`: whether a dynamic code becomes public unless the request says otherwise. */
export const newCode = (
  input: NewQrCode & Pick<UpdateQrCode, 'pinned' | 'sortOrder'>,
  mayPublish: boolean,
): NewCode => ({
  name: input.name,
  content: input.content,
  contentType: input.contentType ?? contentTypeOf(input.content),
  categoryId: input.categoryId ?? null,
  tags: cleanTags(input.tags),
  remark: input.remark ?? '',
  style: cleanStyle(input.style),
  isPublic: input.isPublic ?? (input.isDynamic === true && mayPublish),
  isDynamic: input.isDynamic ?? false,
  pinned: input.pinned ?? false,
  sortOrder: input.sortOrder ?? 0,
  opens: hasShortLink(input) ? (input.opens ?? 'TARGET') : null,
})

/** Whether a new code gets a slug. */
export const hasShortLink = ({ isDynamic, slug }: NewQrCode): boolean => isDynamic === true || slug != null

/**
 * Contains only fields of the request. A new content also sets the type that it has, unless the request names one. `shown` is the style that
 * clients see: one that sends it back does not choose the defaults in it.
 */
export function changeOf(row: { readonly content: string }, input: UpdateQrCode, shown: QrStyle): CodeChange {
  const content = input.content ?? row.content
  const change: CodeChange = {}
  if (input.name !== undefined) change.name = input.name
  if (input.content !== undefined) change.content = content
  if (input.contentType != null) change.contentType = input.contentType
  else if (input.contentType === null || content !== row.content) change.contentType = contentTypeOf(content)
  if (input.categoryId !== undefined) change.categoryId = input.categoryId
  if (input.tags !== undefined) change.tags = cleanTags(input.tags)
  if (input.remark !== undefined) change.remark = input.remark ?? ''
  if (input.style !== undefined) {
    const style = cleanStyle(input.style)
    if (!Bun.deepEquals(style, shown)) change.style = style
  }
  if (input.isPublic !== undefined) change.isPublic = input.isPublic ?? false
  if (input.isDynamic !== undefined) change.isDynamic = input.isDynamic ?? false
  if (input.designId !== undefined) change.designId = input.designId
  if (input.pinned !== undefined) change.pinned = input.pinned
  if (input.sortOrder !== undefined) change.sortOrder = input.sortOrder
  return change
}

/** The values of `change` that the row does not have yet. */
export const differences = (row: Row, change: CodeChange): CodeChange =>
  Object.fromEntries(
    Object.entries(change).filter(([name, value]) => !Bun.deepEquals(value, row[name as keyof CodeChange])),
  )

/** Keeps only the requested properties, so that the others follow the defaults of the renderer. */
export function cleanStyle(style: { [K in keyof QrStyle]: QrStyle[K] | null } | null | undefined): QrStyle {
  const kept: QrStyle = {}
  if (style?.fg != null) kept.fg = style.fg.toLowerCase()
  if (style?.bg != null) kept.bg = style.bg.toLowerCase()
  if (style?.level != null) kept.level = style.level
  if (style?.margin != null) kept.margin = style.margin
  return kept
}

/** Removes duplicates and keeps the order. */
export const cleanTags = (tags: readonly string[] | null | undefined): string[] => [...new Set(tags)]

/** Whether the query asks for all codes of the owner, in any order. */
export const isUnfiltered = (query: ListQuery): boolean =>
  query.categoryId === undefined &&
  query.ids === undefined &&
  !query.keyword &&
  query.contentType === undefined &&
  query.isPublic === undefined &&
  query.pinned === undefined
