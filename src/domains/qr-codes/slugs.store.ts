/** Slugs: the last part of short links, `/q/{slug}`. One that was given once is never given again. */

import { and, count, eq, inArray, isNotNull, sql } from 'drizzle-orm'

import { insertFrom, jsonRows } from '#db/json-rows.ts'
import { prepared } from '#db/prepared.ts'
import { qrBlanks } from '#db/schema/qr-blanks.ts'
import { qrLinks, qrSlugs } from '#db/schema/qr-links.ts'
import type { Db, Tx } from '#db/store.ts'
import type { Owner } from '#http/endpoint.ts'
import { randomCode } from '#platform/ids.ts'

/** Without letters and digits that are taken for one another. */
const ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz'
const LENGTH = 8

export type LinkRow = typeof qrLinks.$inferSelect

/** A slug leads to a code, or to a label, which has a row of its own. */
type Holder = { readonly qrCodeId: number | null; readonly isCustom?: boolean }

const p = sql.placeholder

const claim = prepared((db) =>
  db
    .insert(qrSlugs)
    .values({
      slug: p('slug'),
      qrCodeId: p('qrCodeId'),
      userId: p('userId'),
      orgId: p('orgId'),
      isCustom: p('isCustom'),
      createdAt: p('now'),
    })
    .onConflictDoNothing()
    .returning({ slug: qrSlugs.slug }),
)

const bySlug = prepared((db) =>
  db
    .select({ slug: qrSlugs.slug })
    .from(qrSlugs)
    .where(eq(qrSlugs.slug, p('slug'))),
)

async function take(tx: Tx, { userId, orgId }: Owner, slug: string, { qrCodeId, isCustom = false }: Holder) {
  return (await claim(tx, { slug, qrCodeId, userId, orgId, isCustom, now: tx.stamp })).length > 0
}

/**
 * Takes a slug for a code or a label of the owner. Returns false if it was ever given, also in upper or lower case: pictures hold slugs in upper case,
 * and one that was imported in upper case would be found before the one that the picture is about. In a write without `rowsOf`.
 */
export async function claimSlug(tx: Tx, owner: Owner, slug: string, holder: Holder): Promise<boolean> {
  const [lower, upper] = [slug.toLowerCase(), slug.toUpperCase()]
  const twin = slug === lower ? upper : slug === upper ? lower : slug
  if (twin !== slug && (await bySlug(tx, { slug: twin })).length > 0) return false
  return take(tx, owner, slug, holder)
}

export const randomSlug = (): string => randomCode(ALPHABET, LENGTH)

/** Takes a new slug, which nobody can guess. */
export async function newSlug(tx: Tx, owner: Owner, qrCodeId: Holder['qrCodeId']): Promise<string> {
  for (;;) {
    const slug = randomSlug()
    if (await take(tx, owner, slug, { qrCodeId })) return slug
  }
}

const given = jsonRows('given', { slug: 'text', userId: 'int', orgId: 'int', now: 'int' })
const claimAll = prepared((db) =>
  insertFrom(db, qrSlugs, {
    rows: given.rows,
    slug: given.slug,
    userId: given.userId,
    orgId: given.orgId,
    createdAt: given.now,
  })
    .onConflictDoNothing()
    .returning({ slug: qrSlugs.slug }),
)

/** Takes that many new slugs for labels, by one statement. */
export async function newSlugs(tx: Tx, { userId, orgId }: Owner, count: number): Promise<string[]> {
  const slugs: string[] = []
  while (slugs.length < count) {
    const drawn = new Set(Array.from({ length: count - slugs.length }, () => randomCode(ALPHABET, LENGTH)))
    const rows = Array.from(drawn, (slug) => ({ slug, userId, orgId, now: tx.stamp }))
    for (const { slug } of await claimAll(tx, given.values(rows))) slugs.push(slug)
  }
  return slugs
}

/** Lets the slug of a label lead to a code, or to none. */
export async function leadSlug(tx: Tx, slug: string, qrCodeId: number | null): Promise<void> {
  await tx.update(qrSlugs).set({ qrCodeId }).where(eq(qrSlugs.slug, slug))
}

const codeBySlug = prepared((db) =>
  db
    .select({ qrCodeId: qrSlugs.qrCodeId })
    .from(qrSlugs)
    .where(eq(qrSlugs.slug, p('slug'))),
)

/** The code that a slug leads to, as it is written. */
export const codeOfSlug = async (db: Db | Tx, slug: string): Promise<number | undefined> =>
  (await codeBySlug(db, { slug }))[0]?.qrCodeId ?? undefined

const ofCode = prepared((db) =>
  db
    .select({ slug: qrSlugs.slug })
    .from(qrSlugs)
    .where(eq(qrSlugs.qrCodeId, p('qrCodeId')))
    .orderBy(qrSlugs.createdAt, qrSlugs.slug),
)

/** All slugs that lead to a code, oldest first. */
export const slugsOf = async (db: Db | Tx, qrCodeId: number): Promise<string[]> =>
  (await ofCode(db, { qrCodeId })).map((row) => row.slug)

const labelsOfCode = prepared((db) =>
  db
    .select({ n: count() })
    .from(qrBlanks)
    .where(and(eq(qrBlanks.kind, 'QR_CODE'), eq(qrBlanks.targetId, p('qrCodeId')), isNotNull(qrBlanks.targetId))),
)

/** The labels whose slugs lead to a code. */
export const countLabels = async (db: Db | Tx, qrCodeId: number): Promise<number> =>
  (await labelsOfCode(db, { qrCodeId }))[0]!.n

/** How codes lead, by their ids. Those without a row lead to their content, under no condition. */
export async function linksOf(db: Db | Tx, qrCodeIds: readonly number[]): Promise<Map<number, LinkRow>> {
  const rows = await db
    .select()
    .from(qrLinks)
    .where(inArray(qrLinks.qrCodeId, [...qrCodeIds]))
  return new Map(rows.map((row) => [row.qrCodeId, row]))
}

/** Lets one code lead as another one, without its password and as if no scan had been counted. */
export async function copyLink(tx: Tx, from: number, to: number): Promise<void> {
  const link = (await linksOf(tx, [from])).get(from)
  if (link === undefined) return
  const fresh = { scansLeft: link.maxScans, rulesLeft: link.rules.map(({ firstScans }) => firstScans ?? null) }
  await tx.insert(qrLinks).values({ ...link, ...fresh, qrCodeId: to, passwordHash: null, earlierScans: 0 })
}

/** Before codes are deleted permanently. Their slugs stay without a code, so that nobody gets them. */
export async function removeLinks(tx: Tx, qrCodeIds: readonly number[]): Promise<void> {
  const ids = [...qrCodeIds]
  await tx.delete(qrLinks).where(inArray(qrLinks.qrCodeId, ids))
  await tx.update(qrSlugs).set({ qrCodeId: null }).where(inArray(qrSlugs.qrCodeId, ids))
}

/** Slugs that the owner chose, those of deleted codes too. */
export async function countCustomSlugs(tx: Tx, { userId, orgId }: Owner): Promise<number> {
  const isOwn = orgId === 0 ? and(eq(qrSlugs.userId, userId), eq(qrSlugs.orgId, 0)) : eq(qrSlugs.orgId, orgId)
  const [row] = await tx
    .select({ n: count() })
    .from(qrSlugs)
    .where(and(isOwn, sql`${qrSlugs.isCustom}`))
  return row!.n
}
