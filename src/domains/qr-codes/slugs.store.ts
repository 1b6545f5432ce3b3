/** Slugs: the last part of short links, `/q/{slug}`. One that was given once is never given again. */

import { and, count, eq, inArray, sql } from 'drizzle-orm'

import { prepared } from '#db/prepared.ts'
import { qrSlugs } from '#db/schema/qr-links.ts'
import type { Db, Tx } from '#db/store.ts'
import type { Owner } from '#http/endpoint.ts'
import { randomCode } from '#platform/ids.ts'

/** Without letters and digits that are taken for one another. */
const ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz'
const LENGTH = 8

/** What a slug leads to: a code, or a label, which has a row of its own. */
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

/** Takes a slug for a code or a label of the owner. Returns false if it was ever given. */
export async function claimSlug(tx: Tx, owner: Owner, slug: string, { qrCodeId, isCustom = false }: Holder) {
  const { userId, orgId } = owner
  return (await claim(tx, { slug, qrCodeId, userId, orgId, isCustom, now: tx.stamp })).length > 0
}

/** Takes a new slug, which nobody can guess. */
export async function newSlug(tx: Tx, owner: Owner, qrCodeId: number | null): Promise<string> {
  for (;;) {
    const slug = randomCode(ALPHABET, LENGTH)
    if (await claimSlug(tx, owner, slug, { qrCodeId })) return slug
  }
}

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

/** Leaves the slugs of codes that are deleted permanently without a code, so that nobody gets them. */
export async function leaveSlugs(tx: Tx, qrCodeIds: readonly number[]): Promise<void> {
  await tx
    .update(qrSlugs)
    .set({ qrCodeId: null })
    .where(inArray(qrSlugs.qrCodeId, [...qrCodeIds]))
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
