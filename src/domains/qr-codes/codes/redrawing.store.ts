/** Changes of codes that follow from changes of their designs and categories. */

import { and, eq, inArray, isNotNull, sql } from 'drizzle-orm'

import { qrCodes } from '#db/schema/qr-codes.ts'
import { qrPictures } from '#db/schema/qr-designs.ts'
import type { Tx } from '#db/store.ts'

import {
  codesWith,
  type DesignRow,
  insertPicture,
  insertPictures,
  newPictureKey,
  replacePictures,
} from '../looks/looks.store.ts'
import { isLive, listed, ownedBy, type QrCodeRow } from './codes.store.ts'
import { noteCode } from './notes.store.ts'

/** Gives a design to a code that the write has just inserted. Its version stays. */
export async function giveDesign(tx: Tx, row: QrCodeRow, designId: number | null): Promise<QrCodeRow> {
  if (designId === null) return row
  const drawn = { ...row, designId }
  const pictureKey = await insertPicture(tx, drawn)
  await tx.update(qrCodes).set({ designId, pictureKey }).where(eq(qrCodes.id, row.id))
  noteCode(tx, 'updated', row)
  return { ...drawn, pictureKey }
}

type Change = Partial<Pick<QrCodeRow, 'designId'>> & { readonly pictureKey: ReturnType<typeof sql> | null }

async function change(tx: Tx, ids: readonly number[], columns: Change): Promise<void> {
  const among = inArray(qrCodes.id, [...ids])
  const before = await tx.select(listed.columns).from(qrCodes).where(among)
  await tx
    .update(qrCodes)
    .set({ ...columns, version: sql`${qrCodes.version} + 1`, updatedAt: tx.stamp })
    .where(among)
    .returning({ id: qrCodes.id })
  for (const row of before) {
    listed.updated(tx, row, { ...row, updatedAt: tx.stamp })
    if (row.deletedAt === null) noteCode(tx, 'updated', row)
  }
}

/** Gives at most `limit` codes whose picture has an earlier look of the design a new picture. Returns their number. */
export async function redrawCodes(tx: Tx, design: DesignRow, limit: number): Promise<number> {
  const codes = await codesWith(tx, design.id, { limit, before: design.lookVersion })
  if (codes.length === 0) return 0
  await replacePictures(
    tx,
    codes.map(({ pictureKey }) => pictureKey),
  )
  await insertPictures(
    tx,
    design,
    codes.map((code) => ({ key: newPictureKey(), qrCodeId: code.id, source: code })),
  )
  const ids = codes.map(({ id }) => id)
  const key = sql`(select ${qrPictures.key} from ${qrPictures} where ${qrPictures.qrCodeId} = ${qrCodes.id} and ${qrPictures.replacedAt} is null)`
  await change(tx, ids, { pictureKey: key })
  return codes.length
}

/** Makes at most `limit` codes of a design plain. Returns their number. */
export async function makePlain(tx: Tx, designId: number, limit: number): Promise<number> {
  const codes = await codesWith(tx, designId, { limit })
  if (codes.length === 0) return 0
  await replacePictures(
    tx,
    codes.map(({ pictureKey }) => pictureKey),
  )
  const ids = codes.map(({ id }) => id)
  await change(tx, ids, { designId: null, pictureKey: null })
  return codes.length
}

/** Takes at most `limit` of the user's codes, also those in the trash, out of a category. Returns their number. */
export async function clearCategory(tx: Tx, userId: number, categoryId: number, limit: number): Promise<number> {
  let left = limit
  // Two statements, so that each finds its rows with the index that begins with owner and deletion.
  for (const deletion of [isLive, isNotNull(qrCodes.deletedAt)]) {
    const before = await tx
      .select(listed.columns)
      .from(qrCodes)
      .where(and(ownedBy({ userId, orgId: 0 }), deletion, eq(qrCodes.categoryId, categoryId)))
      .limit(left)
    if (before.length === 0) continue
    const ids = before.map((row) => row.id)
    await tx
      .update(qrCodes)
      .set({ categoryId: null, version: sql`${qrCodes.version} + 1`, updatedAt: tx.stamp })
      .where(inArray(qrCodes.id, ids))
      .returning({ id: qrCodes.id })
    for (const row of before) {
      listed.updated(tx, row, { ...row, updatedAt: tx.stamp })
      if (row.deletedAt === null) noteCode(tx, 'updated', row)
    }
    left -= before.length
    if (left === 0) break
  }
  return limit - left
}
