/** Reads and writes many codes with their slugs and links by few statements, for imports. */

import { and, eq, inArray } from 'drizzle-orm'

import { isOneOf } from '#db/dialect.ts'
import { qrCodes } from '#db/schema/qr-codes.ts'
import { qrLinks, qrSlugs } from '#db/schema/qr-links.ts'
import type { Db, Tx } from '#db/store.ts'
import type { Owner } from '#http/endpoint.ts'

import type { NewCode } from '../codes/codes.rules.ts'
import { isLive, listed, ownedBy, type QrCodeRow } from '../codes/codes.store.ts'
import { noteCode } from '../codes/notes.store.ts'
import type { Identity } from './rows.rules.ts'

export type LinkRow = typeof qrLinks.$inferSelect

/** The owner's codes outside the trash that one of `identities` names, by `identityKey`. */
export async function findCodes(
  db: Db | Tx,
  owner: Owner,
  identities: readonly Identity[],
): Promise<Map<string, QrCodeRow>> {
  const slugs = identities.flatMap((one) => ('slug' in one ? [one.slug, one.slug.toLowerCase()] : []))
  const uuids = identities.flatMap((one) => ('uuid' in one ? [one.uuid] : []))
  const ids = identities.flatMap((one) => ('id' in one ? [one.id] : []))
  const found = new Map<string, QrCodeRow>()
  const own = and(ownedBy(owner), isLive)
  if (slugs.length > 0) {
    const rows = await db
      .select({ slug: qrSlugs.slug, code: qrCodes })
      .from(qrSlugs)
      .innerJoin(qrCodes, eq(qrCodes.id, qrSlugs.qrCodeId))
      .where(and(isOneOf(qrSlugs.slug, slugs), own))
    const bySlug = new Map(rows.map(({ slug, code }) => [slug, code]))
    for (const one of identities) {
      if (!('slug' in one)) continue
      // As scans find it: exactly, then in lower case.
      const code = bySlug.get(one.slug) ?? bySlug.get(one.slug.toLowerCase())
      if (code !== undefined) found.set(identityKey(one), code)
    }
  }
  if (uuids.length > 0)
    for (const code of await db
      .select()
      .from(qrCodes)
      .where(and(isOneOf(qrCodes.uuid, uuids), own)))
      found.set(identityKey({ uuid: code.uuid }), code)
  if (ids.length > 0)
    for (const code of await db
      .select()
      .from(qrCodes)
      .where(and(isOneOf(qrCodes.id, ids), own)))
      found.set(identityKey({ id: code.id }), code)
  return found
}

export const identityKey = (one: Identity): string => JSON.stringify(one)

/** Those of `slugs` that were ever given, also in upper or lower case. */
export async function takenSlugs(db: Db | Tx, slugs: readonly string[]): Promise<Set<string>> {
  if (slugs.length === 0) return new Set()
  const forms = slugs.flatMap((slug) => [slug, slug.toLowerCase(), slug.toUpperCase()])
  const rows = await db.select({ slug: qrSlugs.slug }).from(qrSlugs).where(inArray(qrSlugs.slug, forms))
  const taken = new Set(rows.map(({ slug }) => slug))
  const isTaken = (slug: string) =>
    taken.has(slug) ||
    (slug === slug.toLowerCase() && taken.has(slug.toUpperCase())) ||
    (slug === slug.toUpperCase() && taken.has(slug.toLowerCase()))
  return new Set(slugs.filter(isTaken))
}

export async function linksOf(db: Db | Tx, ids: readonly number[]): Promise<Map<number, LinkRow>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .select()
    .from(qrLinks)
    .where(inArray(qrLinks.qrCodeId, [...ids]))
  return new Map(rows.map((row) => [row.qrCodeId, row]))
}

/** Inserts new codes, which have their slugs already. */
export async function insertCodes(
  tx: Tx,
  given: readonly (NewCode &
    Pick<QrCodeRow, 'uuid' | 'userId' | 'orgId' | 'slug' | 'createdAt'> &
    Partial<Pick<QrCodeRow, 'designId' | 'pictureKey'>>)[],
): Promise<QrCodeRow[]> {
  const rows = await tx
    .insert(qrCodes)
    .values(given.map((code) => ({ ...code, updatedAt: tx.stamp })))
    .returning()
  for (const row of rows) {
    listed.inserted(tx, row)
    noteCode(tx, 'created', row)
  }
  const byUuid = new Map(rows.map((row) => [row.uuid, row]))
  return given.map(({ uuid }) => byUuid.get(uuid)!)
}

/** Takes the slugs of new codes. Returns those that another write took first. */
export async function claimSlugs(
  tx: Tx,
  { userId, orgId }: Owner,
  given: readonly { readonly slug: string; readonly qrCodeId: number }[],
): Promise<string[]> {
  if (given.length === 0) return []
  const values = given.map(({ slug, qrCodeId }) => ({ slug, qrCodeId, userId, orgId, createdAt: tx.stamp }))
  const taken = await tx.insert(qrSlugs).values(values).onConflictDoNothing().returning({ slug: qrSlugs.slug })
  const own = new Set(taken.map(({ slug }) => slug))
  return given.filter(({ slug }) => !own.has(slug)).map(({ slug }) => slug)
}

export async function insertLinks(tx: Tx, rows: readonly LinkRow[]): Promise<void> {
  if (rows.length > 0) await tx.insert(qrLinks).values([...rows])
}

export async function updateLink(tx: Tx, { qrCodeId, ...row }: LinkRow): Promise<void> {
  await tx.update(qrLinks).set(row).where(eq(qrLinks.qrCodeId, qrCodeId))
}
