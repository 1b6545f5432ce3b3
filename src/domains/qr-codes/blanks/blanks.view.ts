import type { AppContext } from '#context'
import { orgOf, type OwnerKey } from '#db/owner-key.ts'
import type { Db } from '#db/store.ts'
import * as access from '#domains/access/index.ts'
import type { LabelledThing, RefSource } from '#domains/contributions.ts'
import { contributions } from '#domains/domain.ts'

import { codesByIds } from '../codes/codes.store.ts'
import { shortUrlOf } from '../codes/codes.view.ts'
import type { BatchView, BlankView } from './blanks.model.ts'
import type { BatchRow, BlankRow } from './blanks.store.ts'
import { pendingLabelScans } from './label-counter.ts'

export const toBatchView = (row: BatchRow): BatchView => ({
  id: row.id,
  orgId: orgOf(row.owner) || null,
  name: row.name,
  prefix: row.prefix,
  digits: row.digits,
  first: row.first,
  last: row.last,
  count: row.last - row.first + 1,
  bound: row.bound,
  void: row.voided,
  designId: row.designId,
  createdAt: row.createdAt,
})

/** Labels of one owner as the user sees them. */
export async function toViews(
  ctx: AppContext,
  db: Db,
  userId: number,
  rows: readonly BlankRow[],
): Promise<BlankView[]> {
  const titles = await titlesOf(ctx, db, userId, rows)
  return rows.map((row) => ({
    slug: row.slug,
    shortUrl: shortUrlOf(ctx, row.slug),
    number: row.number,
    batchId: row.batchId,
    orgId: orgOf(row.owner) || null,
    status: row.status,
    kind: row.kind,
    targetId: row.targetId,
    title: titles.get(`${row.kind} ${row.targetId}`) ?? null,
    boundBy: row.boundBy,
    boundAt: row.boundAt,
    scanCount: row.scanCount + pendingLabelScans(ctx, row.slug),
  }))
}

async function titlesOf(
  ctx: AppContext,
  db: Db,
  userId: number,
  rows: readonly BlankRow[],
): Promise<Map<string, string>> {
  const titles = new Map<string, string>()
  for (const [kind, some] of Map.groupBy(rows, (row) => row.kind)) {
    if (kind === null) continue
    const { owner } = some[0]!
    const ids = [...new Set(some.map(({ targetId }) => targetId!))]
    const found =
      kind === 'QR_CODE'
        ? (await codesByIds(db, { userId, orgId: orgOf(owner) }, ids)).map(({ id, name }) => [id, name] as const)
        : await titlesElsewhere(ctx, db, { userId, owner }, kind, ids)
    for (const [id, title] of found) titles.set(`${kind} ${id}`, title)
  }
  return titles
}

async function titlesElsewhere(
  ctx: AppContext,
  db: Db,
  { userId, owner }: { readonly userId: number; readonly owner: OwnerKey },
  kind: LabelledThing,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const source = sourceOf(ctx, kind)
  const orgId = orgOf(owner)
  const mayRead = orgId === 0 || (await access.can(ctx, userId, 'ORG', orgId, source.readPoint))
  return mayRead ? source.titles(db, owner, ids) : new Map()
}

export const sourceOf = (ctx: AppContext, kind: LabelledThing): RefSource =>
  contributions(ctx, 'refTargets').find((targets) => targets[kind])![kind]!
