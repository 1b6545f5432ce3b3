import { and, inArray, isNull } from 'drizzle-orm'

import { qrCodes } from '#db/schema/qr-codes.ts'
import type { Db } from '#db/store.ts'

import { ownedBy, type QrCodeRow } from '../codes/store.ts'
import { type CategoryIds, inCategories, inListOrder } from '../list/store.ts'
import type { Owner } from '../owner.ts'

/** The first `limit` codes of the list, read from one moment. */
export async function codeIds(db: Db, owner: Owner, categoryIds: CategoryIds, limit: number): Promise<number[]> {
  const rows = await db
    .select({ id: qrCodes.id })
    .from(qrCodes)
    .where(and(ownedBy(owner), isNull(qrCodes.deletedAt), inCategories(categoryIds)))
    .orderBy(...inListOrder)
    .limit(limit)
  return rows.map((row) => row.id)
}

/** Those of `ids` that are the owner's and not in the trash, in no order. */
export const codesByIds = (db: Db, owner: Owner, ids: readonly number[]): Promise<QrCodeRow[]> =>
  db
    .select()
    .from(qrCodes)
    .where(and(ownedBy(owner), isNull(qrCodes.deletedAt), inArray(qrCodes.id, [...ids])))
