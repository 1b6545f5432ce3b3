/** Reads and writes many codes with their slugs and links by few statements, for imports. */

import { and, eq, getTableColumns, inArray, sql } from 'drizzle-orm'

import { isOneOf, notByIndex } from '#db/dialect.ts'
import { insertFrom, jsonRows, wholeRows } from '#db/json-rows.ts'
import { prepared } from '#db/prepared.ts'
import { qrCodes } from '#db/schema/qr-codes.ts'
import { qrLinks, qrSlugs } from '#db/schema/qr-links.ts'
import type { Db, Tx } from '#db/store.ts'
import type { Owner } from '#http/endpoint.ts'

import { type CodeChange, differences, type NewCode } from '../codes/codes.rules.ts'
import { isLive, listed, ownedBy, type QrCodeRow } from '../codes/codes.store.ts'
import { noteCode } from '../codes/notes.store.ts'
import { changePicture } from '../looks/looks.store.ts'
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

const newCodes = wholeRows('given', qrCodes, ['id'])
const insertGiven = prepared((db) =>
  insertFrom(db, qrCodes, newCodes).returning({ id: qrCodes.id, uuid: qrCodes.uuid }),
)

/** Inserts new codes, which have their slugs already. Returns their rows in the same order. */
export async function insertCodes(
  tx: Tx,
  given: readonly (NewCode &
    Pick<QrCodeRow, 'uuid' | 'userId' | 'orgId' | 'slug' | 'createdAt' | 'designId' | 'pictureKey'>)[],
): Promise<QrCodeRow[]> {
  const values = given.map((code) => ({
    ...code,
    scanCount: 0,
    blockedAt: null,
    version: 1,
    deletedAt: null,
    updatedAt: tx.stamp,
  }))
  const ids = new Map((await insertGiven(tx, newCodes.values(values))).map((row) => [row.uuid, row.id]))
  const rows = values.map((code) => ({ ...code, id: ids.get(code.uuid)! }))
  for (const row of rows) {
    listed.inserted(tx, row)
    noteCode(tx, 'created', row)
  }
  return rows
}

const slugs = jsonRows('given', { slug: 'text', qrCodeId: 'int', userId: 'int', orgId: 'int', createdAt: 'int' })
const claimGiven = prepared((db) =>
  insertFrom(db, qrSlugs, slugs).onConflictDoNothing().returning({ slug: qrSlugs.slug }),
)

/** Takes the slugs of new codes. Returns those that another write took first. */
export async function claimSlugs(
  tx: Tx,
  { userId, orgId }: Owner,
  given: readonly { readonly slug: string; readonly qrCodeId: number }[],
): Promise<string[]> {
  if (given.length === 0) return []
  const values = given.map(({ slug, qrCodeId }) => ({ slug, qrCodeId, userId, orgId, createdAt: tx.stamp }))
  const own = new Set((await claimGiven(tx, slugs.values(values))).map(({ slug }) => slug))
  return given.filter(({ slug }) => !own.has(slug)).map(({ slug }) => slug)
}

export interface CodeUpdate {
  /** As read in the same write. */
  readonly row: QrCodeRow
  readonly change: CodeChange
  /** Whether its link changes. */
  readonly isLinkChanged: boolean
}

/** The columns that a file can change, and those that follow. */
const CHANGED = [
  'name',
  'content',
  'contentType',
  'categoryId',
  'tags',
  'remark',
  'style',
  'isPublic',
  'isDynamic',
  'pinned',
  'sortOrder',
  'opens',
  'pictureKey',
  'version',
  'updatedAt',
] as const
const changedCodes = wholeRows('given', qrCodes)
const updateGiven = prepared((db) =>
  db
    .update(qrCodes)
    .set(Object.fromEntries(CHANGED.map((name) => [name, changedCodes[name]])))
    .from(changedCodes.rows)
    .where(
      and(
        eq(qrCodes.id, changedCodes.id),
        sql`${notByIndex(qrCodes.userId)} = ${changedCodes.userId}`,
        sql`${notByIndex(qrCodes.orgId)} = ${changedCodes.orgId}`,
      ),
    )
    .returning({ id: qrCodes.id }),
)

/** Changes codes of one owner, as `updateCode` changes one. */
export async function updateCodes(tx: Tx, items: readonly CodeUpdate[]): Promise<void> {
  const changes: { readonly row: QrCodeRow; readonly after: QrCodeRow }[] = []
  for (const { row, change, isLinkChanged } of items) {
    const different = differences(row, change)
    if (Object.keys(different).length === 0 && !isLinkChanged) continue
    const picture = await changePicture(tx, row, { ...row, ...different })
    const after = { ...row, ...different, ...picture, version: row.version + 1, updatedAt: tx.stamp }
    changes.push({ row, after })
  }
  if (changes.length === 0) return
  await updateGiven(tx, changedCodes.values(changes.map(({ after }) => after)))
  for (const { row, after } of changes) {
    listed.updated(tx, row, after)
    noteCode(tx, 'updated', row)
  }
}

const links = wholeRows('given', qrLinks)
const { qrCodeId: _, ...settable } = getTableColumns(qrLinks)
const setGiven = prepared((db) =>
  insertFrom(db, qrLinks, links).onConflictDoUpdate({
    target: qrLinks.qrCodeId,
    set: Object.fromEntries(
      Object.entries(settable).map(([name, column]) => [name, sql`excluded.${sql.identifier(column.name)}`]),
    ),
  }),
)

/** Inserts or replaces how codes lead. */
export async function setLinks(tx: Tx, rows: readonly LinkRow[]): Promise<void> {
  if (rows.length > 0) await setGiven(tx, links.values(rows))
}
