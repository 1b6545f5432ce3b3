/** Designs, and the pictures of codes that have one. */

import { and, asc, count, eq, gt, inArray, isNotNull, isNull, lt, or, sql } from 'drizzle-orm'

import { orgOf, type OwnerKey } from '#db/owner-key.ts'
import { type Page, type PageInput, pageOf } from '#db/paging.ts'
import { prepared } from '#db/prepared.ts'
import { versionIn } from '#db/row-version.ts'
import { qrBatches } from '#db/schema/qr-blanks.ts'
import { qrCodes } from '#db/schema/qr-codes.ts'
import { type PictureSource, qrDesigns, qrPictures } from '#db/schema/qr-designs.ts'
import { deleteSome } from '#db/slices.ts'
import type { Db, Tx } from '#db/store.ts'
import { randomCode } from '#platform/ids.ts'

export type DesignRow = typeof qrDesigns.$inferSelect
export type PictureRow = typeof qrPictures.$inferSelect
export type DesignValues = Pick<DesignRow, 'name' | 'look' | 'isDefault'>

export const versionOfDesign = versionIn(qrDesigns)

const p = sql.placeholder
const byId = prepared((db) =>
  db
    .select()
    .from(qrDesigns)
    .where(eq(qrDesigns.id, p('id'))),
)

/** Any owner's: the caller checks whose it is. */
export const findAnyDesign = async (db: Db | Tx, id: number): Promise<DesignRow | undefined> =>
  (await byId(db, { id }))[0]

/** Undefined if it belongs to another owner. */
export async function findDesign(db: Db | Tx, owner: OwnerKey, id: number): Promise<DesignRow | undefined> {
  const row = await findAnyDesign(db, id)
  return row?.owner === owner ? row : undefined
}

/** The organization of a design: 0 for a personal one, undefined for an unknown id. */
export async function organizationOfDesign(db: Db, id: number): Promise<number | undefined> {
  const row = await findAnyDesign(db, id)
  return row && orgOf(row.owner)
}

const isDefault = sql`${qrDesigns.isDefault}`
const defaultOf = prepared((db) =>
  db
    .select()
    .from(qrDesigns)
    .where(and(eq(qrDesigns.owner, p('owner')), isDefault)),
)

export const findDefaultDesign = async (db: Db | Tx, owner: OwnerKey): Promise<DesignRow | undefined> =>
  (await defaultOf(db, { owner }))[0]

/** In the order of their names. An owner has at most 50. */
export const designsPage = (db: Db, owner: OwnerKey, page: PageInput): Promise<Page<DesignRow>> =>
  pageOf(db, qrDesigns, {
    where: eq(qrDesigns.owner, owner),
    orderBy: [asc(qrDesigns.name), asc(qrDesigns.id)],
    page,
  })

export async function countDesigns(tx: Tx, owner: OwnerKey): Promise<number> {
  const [row] = await tx.select({ n: count() }).from(qrDesigns).where(eq(qrDesigns.owner, owner))
  return row!.n
}

export async function hasDesigns(db: Db | Tx, userId: number): Promise<boolean> {
  const rows = await db.select({ id: qrDesigns.id }).from(qrDesigns).where(eq(qrDesigns.owner, -userId)).limit(1)
  return rows.length > 0
}

const RAISED = (tx: Tx) => ({ version: sql`${qrDesigns.version} + 1`, updatedAt: tx.stamp })

/** The default design of the owner becomes an ordinary one. */
async function clearDefault(tx: Tx, owner: OwnerKey): Promise<void> {
  await tx
    .update(qrDesigns)
    .set({ isDefault: false, ...RAISED(tx) })
    .where(and(eq(qrDesigns.owner, owner), isDefault))
}

export async function insertDesign(tx: Tx, owner: OwnerKey, values: DesignValues): Promise<DesignRow> {
  if (values.isDefault) await clearDefault(tx, owner)
  const [row] = await tx
    .insert(qrDesigns)
    .values({ ...values, owner, createdAt: tx.stamp, updatedAt: tx.stamp })
    .returning()
  return row!
}

/** `row` must have been read in this write. Without a value that differs nothing is written, and the version stays. */
export async function updateDesign(tx: Tx, row: DesignRow, values: Partial<DesignValues>): Promise<DesignRow> {
  const change = Object.fromEntries(
    Object.entries(values).filter(([name, value]) => !Bun.deepEquals(value, row[name as keyof DesignRow])),
  ) as Partial<DesignValues>
  if (Object.keys(change).length === 0) return row
  if (change.isDefault === true) await clearDefault(tx, row.owner)
  const looks = change.look && { lookVersion: row.lookVersion + 1 }
  const [after] = await tx
    .update(qrDesigns)
    .set({ ...change, ...looks, ...RAISED(tx) })
    .where(and(eq(qrDesigns.owner, row.owner), eq(qrDesigns.id, row.id)))
    .returning()
  return after!
}

const batchesWith = ({ owner, id }: DesignRow) => and(eq(qrBatches.owner, owner), eq(qrBatches.designId, id))

/** Whether batches of labels have this design. */
export async function isOfLabels(db: Db, design: DesignRow): Promise<boolean> {
  const rows = await db.select({ id: qrBatches.id }).from(qrBatches).where(batchesWith(design)).limit(1)
  return rows.length > 0
}

/** Batches of labels that have the design become plain. */
export async function deleteDesign(tx: Tx, design: DesignRow): Promise<void> {
  const { owner, id } = design
  await tx.update(qrBatches).set({ designId: null }).where(batchesWith(design))
  await tx.delete(qrDesigns).where(and(eq(qrDesigns.owner, owner), eq(qrDesigns.id, id)))
}

/** Deletes all designs of an owner. Codes that have one of them are left to the caller. */
export const deleteDesignsOf = (tx: Tx, owner: OwnerKey): Promise<DesignRow[]> =>
  tx.delete(qrDesigns).where(eq(qrDesigns.owner, owner)).returning()

export const designsWithIds = (tx: Tx, ids: readonly number[]): Promise<DesignRow[]> =>
  tx
    .select()
    .from(qrDesigns)
    .where(inArray(qrDesigns.id, [...ids]))

const isCurrent = isNull(qrPictures.replacedAt)

/** The number of codes outside the trash that have each of these designs. Designs without codes are left out. */
export async function codeCounts(db: Db | Tx, ids: readonly number[]): Promise<Map<number, number>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .select({ id: qrPictures.designId, n: count() })
    .from(qrPictures)
    .innerJoin(qrCodes, eq(qrCodes.id, qrPictures.qrCodeId))
    .where(and(inArray(qrPictures.designId, [...ids]), isCurrent, isNull(qrCodes.deletedAt)))
    .groupBy(qrPictures.designId)
  return new Map(rows.map((row) => [row.id, row.n]))
}

/** At most `limit` codes, also in the trash, that have this design and a greater id than `after`. `before`: only those whose picture has an earlier look. */
export async function codesWith(
  db: Db | Tx,
  designId: number,
  { after = 0, limit, before }: { readonly after?: number; readonly limit: number; readonly before?: number },
) {
  const { id, uuid, name, slug, content, isDynamic } = qrCodes
  return db
    .select({ id, uuid, name, slug, content, isDynamic, pictureKey: qrPictures.key })
    .from(qrPictures)
    .innerJoin(qrCodes, eq(qrCodes.id, qrPictures.qrCodeId))
    .where(
      and(
        eq(qrPictures.designId, designId),
        isCurrent,
        gt(qrPictures.qrCodeId, after),
        before === undefined ? undefined : lt(qrPictures.lookVersion, before),
      ),
    )
    .orderBy(asc(qrPictures.qrCodeId))
    .limit(limit)
}

/** A design that changed after the pictures of some of its codes were made. */
export async function firstOutdated(db: Db): Promise<DesignRow | undefined> {
  const [row] = await db
    .select({ id: qrDesigns.id })
    .from(qrDesigns)
    .innerJoin(
      qrPictures,
      and(eq(qrPictures.designId, qrDesigns.id), isCurrent, lt(qrPictures.lookVersion, qrDesigns.lookVersion)),
    )
    .limit(1)
  return row && findAnyDesign(db, row.id)
}

const KEY_ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** Unguessable: 22 of 62 characters have 130 bits. */
export const newPictureKey = (): string => randomCode(KEY_ALPHABET, 22)

export type NewPicture = Pick<PictureRow, 'key' | 'qrCodeId'> & { readonly source: PictureSource }

/** The pictures that codes have from now on. */
export async function insertPictures(
  tx: Tx,
  { id, lookVersion, look }: DesignRow,
  pictures: readonly NewPicture[],
): Promise<void> {
  await tx.insert(qrPictures).values(
    pictures.map(({ key, qrCodeId, source }) => ({
      key,
      qrCodeId,
      designId: id,
      lookVersion,
      source: sourceOf(source),
      look,
    })),
  )
}

/** A code as its picture needs it. */
export type Drawn = PictureSource & Pick<typeof qrCodes.$inferSelect, 'id' | 'designId' | 'pictureKey'>

const sourceOf = ({ isDynamic, uuid, slug, content }: PictureSource): PictureSource => ({
  isDynamic,
  uuid,
  slug,
  content,
})

/** Gives a code the picture of its design. Returns its key: null for a plain code. */
export async function insertPicture(tx: Tx, code: Drawn): Promise<string | null> {
  const design = code.designId === null ? undefined : await findAnyDesign(tx, code.designId)
  if (design === undefined) return null
  const key = newPictureKey()
  await insertPictures(tx, design, [{ key, qrCodeId: code.id, source: code }])
  return key
}

/** The columns that follow from a change of a code: a new picture if the design, or what the picture may hold, has changed. */
export async function changePicture(tx: Tx, before: Drawn, after: Drawn): Promise<{ pictureKey?: string | null }> {
  const isSame = before.designId === after.designId && Bun.deepEquals(sourceOf(before), sourceOf(after))
  if (isSame || (before.designId ?? after.designId) === null) return {}
  if (before.pictureKey !== null) await replacePictures(tx, [before.pictureKey])
  return { pictureKey: await insertPicture(tx, after) }
}

/** Pictures that codes no longer have. Their addresses work for a while. */
export async function replacePictures(tx: Tx, keys: readonly string[]): Promise<void> {
  await tx
    .update(qrPictures)
    .set({ replacedAt: tx.stamp })
    .where(inArray(qrPictures.key, [...keys]))
}

const byKey = prepared((db) =>
  db
    .select()
    .from(qrPictures)
    .where(and(eq(qrPictures.key, p('key')), or(isCurrent, gt(qrPictures.replacedAt, p('since'))))),
)

/** A picture that a code has, or that was replaced after `since`. */
export const findPicture = async (db: Db, key: string, since: number): Promise<PictureRow | undefined> =>
  (await byKey(db, { key, since }))[0]

/** Deletes the pictures of codes that are deleted permanently. */
export async function deletePictures(tx: Tx, qrCodeIds: readonly number[]): Promise<void> {
  await tx.delete(qrPictures).where(inArray(qrPictures.qrCodeId, [...qrCodeIds]))
}

/** Deletes at most `limit` pictures that were replaced before `before`. Returns their number. */
export const deleteReplaced = (tx: Tx, before: number, limit: number): Promise<number> =>
  deleteSome(tx, qrPictures, and(isNotNull(qrPictures.replacedAt), lt(qrPictures.replacedAt, before))!, limit)
