/** Rows of links, and the query of a scan. */

import { and, eq, isNull, or, sql } from 'drizzle-orm'

import { announceWrites } from '#db/column-watch.ts'
import { isNotErasedPersonal } from '#db/erasures.ts'
import { prepared } from '#db/prepared.ts'
import { contentErasures } from '#db/schema/exports.ts'
import { organizations } from '#db/schema/orgs.ts'
import { qrBlanks } from '#db/schema/qr-blanks.ts'
import { qrCodes } from '#db/schema/qr-codes.ts'
import { type LinkRule, qrLinks, qrSlugs } from '#db/schema/qr-links.ts'
import type { Builders, Db, Tx } from '#db/store.ts'
import { isProvedUser, proofs } from '#domains/accounts/index.ts'
import { topic } from '#platform/bus.ts'

import { type Link, type LinkChange, PLAIN } from './links.rules.ts'

const p = sql.placeholder

/** Of a left join: all null for a code without a row. `LinkColumns` is what a row of them is. */
export const linkColumns = {
  forwardQuery: qrLinks.forwardQuery,
  warn: qrLinks.warn,
  rules: qrLinks.rules,
  rulesLeft: qrLinks.rulesLeft,
  fallbackUrl: qrLinks.fallbackUrl,
  expiresAt: qrLinks.expiresAt,
  maxScans: qrLinks.maxScans,
  scansLeft: qrLinks.scansLeft,
  passwordHash: qrLinks.passwordHash,
}
export interface LinkColumns {
  readonly forwardQuery: boolean | null
  readonly warn: boolean | null
  readonly rules: LinkRule[] | null
  readonly rulesLeft: (number | null)[] | null
  readonly fallbackUrl: string | null
  readonly expiresAt: number | null
  readonly maxScans: number | null
  readonly scansLeft: number | null
  readonly passwordHash: string | null
}

export const linkIn = (row: LinkColumns): Link => (row.rules === null ? PLAIN : (row as Link))

/** Published by each write that may change what `findLead` reads of a code without limits of scans, except its name, or what `isOwnerProved` does. */
export const leadsChanged = announceWrites(topic<'all'>('qrCodes.leadsChanged'), {
  columns: [
    qrSlugs.qrCodeId,
    qrCodes.userId,
    qrCodes.orgId,
    qrCodes.slug,
    qrCodes.content,
    qrCodes.isPublic,
    qrCodes.isDynamic,
    qrCodes.opens,
    qrCodes.blockedAt,
    qrCodes.deletedAt,
    // A limit is set together with the others of the link. Scans, which use it up, change `scansLeft` and `rulesLeft` only.
    qrLinks.forwardQuery,
    qrLinks.warn,
    qrLinks.rules,
    qrLinks.fallbackUrl,
    qrLinks.expiresAt,
    qrLinks.maxScans,
    qrLinks.passwordHash,
    organizations.ownerId,
    ...proofs.columns,
  ],
  inserts: [qrLinks, contentErasures, ...proofs.inserts],
})

const leadBySlug = (db: Builders, where: ReturnType<typeof eq>) =>
  db
    .select({
      asked: qrSlugs.slug,
      holder: qrSlugs.qrCodeId,
      label: qrBlanks.slug,
      id: qrCodes.id,
      uuid: qrCodes.uuid,
      slug: qrCodes.slug,
      name: qrCodes.name,
      content: qrCodes.content,
      isDynamic: qrCodes.isDynamic,
      opens: qrCodes.opens,
      blockedAt: qrCodes.blockedAt,
      createdAt: qrCodes.createdAt,
      ...linkColumns,
    })
    .from(qrSlugs)
    .leftJoin(qrBlanks, eq(qrBlanks.slug, qrSlugs.slug))
    .leftJoin(
      qrCodes,
      and(
        eq(qrCodes.id, qrSlugs.qrCodeId),
        eq(qrCodes.isPublic, true),
        isNull(qrCodes.deletedAt),
        isNotErasedPersonal(qrCodes.userId, qrCodes.orgId),
      ),
    )
    .leftJoin(qrLinks, eq(qrLinks.qrCodeId, qrCodes.id))
    .where(where)

const bySlug = prepared((db) => leadBySlug(db, eq(qrSlugs.slug, p('slug'))))
const byEitherSlug = prepared((db) => leadBySlug(db, or(eq(qrSlugs.slug, p('slug')), eq(qrSlugs.slug, p('lower')))!))

/** The slug with its public code, exactly or else in lower case. `id` is null if the code is not public, or deleted, or if there is none. */
export async function findLead(db: Db, slug: string) {
  const lower = slug.toLowerCase()
  const rows = slug === lower ? await bySlug(db, { slug }) : await byEitherSlug(db, { slug, lower })
  return rows.find((row) => row.asked === slug) ?? rows[0]
}

const byCode = prepared((db) =>
  db
    .select({ ...linkColumns, earlierScans: qrLinks.earlierScans })
    .from(qrLinks)
    .where(eq(qrLinks.qrCodeId, p('qrCodeId'))),
)

export async function findLink(db: Db | Tx, qrCodeId: number): Promise<Link & { readonly earlierScans: number }> {
  return (await byCode(db, { qrCodeId }))[0] ?? { ...PLAIN, earlierScans: 0 }
}

/** `link`: the row as it was read in this write. */
export async function saveLink(tx: Tx, qrCodeId: number, link: Link, change: LinkChange): Promise<void> {
  const { forwardQuery, warn, fallbackUrl, expiresAt, maxScans, scansLeft, passwordHash, ...next } = {
    ...link,
    ...change,
  }
  const columns = {
    forwardQuery,
    warn,
    fallbackUrl,
    expiresAt,
    maxScans,
    scansLeft,
    passwordHash,
    rules: [...next.rules],
    rulesLeft: [...next.rulesLeft],
  }
  await tx
    .insert(qrLinks)
    .values({ qrCodeId, ...columns })
    .onConflictDoUpdate({ target: qrLinks.qrCodeId, set: columns })
}

const takeOne = prepared((db) =>
  db
    .update(qrLinks)
    .set({ scansLeft: p('scansLeft') as never, rulesLeft: p('rulesLeft') as never })
    .where(
      and(
        eq(qrLinks.qrCodeId, p('qrCodeId')),
        // NULL equals NULL here, on both databases.
        sql`coalesce(${qrLinks.scansLeft}, -1) = ${p('scansBefore')}`,
        sql`cast(${qrLinks.rulesLeft} as text) = ${p('rulesBefore')}`,
      ),
    )
    .returning({ id: qrLinks.qrCodeId }),
)

/** Sets the scans that are left of the limits, unless that has changed since it was read. Returns whether it did. */
export async function takeScans(tx: Tx, qrCodeId: number, before: Link, after: Link): Promise<boolean> {
  const rows = await takeOne(tx, {
    qrCodeId,
    scansLeft: after.scansLeft,
    rulesLeft: after.rulesLeft,
    scansBefore: before.scansLeft ?? -1,
    rulesBefore: JSON.stringify(before.rulesLeft),
  })
  return rows.length > 0
}

const ownerOfCode = prepared((db) =>
  db
    .select({
      isProved: sql`${isProvedUser(db, sql`coalesce(${organizations.ownerId}, ${qrCodes.userId})`)}`.mapWith(Boolean),
    })
    .from(qrCodes)
    .leftJoin(organizations, eq(organizations.id, qrCodes.orgId))
    .where(eq(qrCodes.id, p('qrCodeId'))),
)

/** Whether the owner of a code (of an organization: its owner) is a proved user. */
export const isOwnerProved = async (db: Db, qrCodeId: number): Promise<boolean> =>
  (await ownerOfCode(db, { qrCodeId }))[0]?.isProved === true
