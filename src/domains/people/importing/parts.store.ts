/** Imports whose users are made in parts. See parts.service.ts. */

import { asc, eq, sql } from 'drizzle-orm'

import { prepared } from '#db/prepared.ts'
import { userImportParts as parts, userImports as imports } from '#db/schema/user-imports.ts'
import { deleteSome } from '#db/slices.ts'
import type { Db, Tx } from '#db/store.ts'

const p = sql.placeholder

export async function insertImport(
  tx: Tx,
  row: { readonly createdBy: number; readonly isForeign: boolean },
): Promise<number> {
  const rows = await tx.insert(imports).values(row).returning({ id: imports.id })
  return rows[0]!.id
}

const insert = prepared((db) => db.insert(parts).values({ importId: p('importId'), contents: p('contents') }))

export async function insertPart(
  tx: Tx,
  part: { readonly importId: number; readonly contents: string },
): Promise<void> {
  await insert(tx, part)
}

/** False if the import was given up meanwhile. */
export async function acceptImport(tx: Tx, id: number): Promise<boolean> {
  const rows = await tx
    .update(imports)
    .set({ isAccepted: true })
    .where(eq(imports.id, id))
    .returning({ id: imports.id })
  return rows.length > 0
}

const next = prepared((db) =>
  db
    .select({
      id: parts.id,
      importId: parts.importId,
      contents: parts.contents,
      createdBy: imports.createdBy,
      isForeign: imports.isForeign,
    })
    .from(parts)
    .innerJoin(imports, eq(imports.id, parts.importId))
    .where(eq(imports.isAccepted, true))
    .orderBy(asc(parts.id))
    .limit(1),
)

/** Of an accepted import. */
export const nextPart = async (db: Db) => (await next(db, {}))[0]

/** False if another process has taken the part. */
export async function takePart(tx: Tx, id: number): Promise<boolean> {
  const rows = await tx.delete(parts).where(eq(parts.id, id)).returning({ id: parts.id })
  return rows.length > 0
}

/** An import that has ended, except for its own row, or was not accepted. */
export async function endedImport(db: Db): Promise<number | undefined> {
  const hasParts = sql`exists (select 1 from ${parts} where ${parts.importId} = ${imports.id})`
  const [row] = await db
    .select({ id: imports.id })
    .from(imports)
    .where(sql`not (${imports.isAccepted} and ${hasParts})`)
    .limit(1)
  return row?.id
}

/** Deletes at most `limit`. Returns how many it deleted. */
export const deleteSomeParts = (tx: Tx, importId: number, limit: number): Promise<number> =>
  deleteSome(tx, parts, eq(parts.importId, importId), limit)

export async function deleteImport(tx: Tx, id: number): Promise<void> {
  await tx.delete(imports).where(eq(imports.id, id))
}
