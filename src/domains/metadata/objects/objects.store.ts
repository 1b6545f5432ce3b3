import { and, asc, count, eq, inArray, isNull, sql } from 'drizzle-orm'

import { type Page, type PageInput, pageOf } from '#db/paging.ts'
import { prepared } from '#db/prepared.ts'
import { metaFields, metaObjects } from '#db/schema/meta.ts'
import type { Db, Tx } from '#db/store.ts'

export type ObjectRow = typeof metaObjects.$inferSelect

const p = sql.placeholder

const byName = prepared((db) =>
  db
    .select()
    .from(metaObjects)
    .where(eq(metaObjects.name, p('name'))),
)

/** Names differ in case. */
export const findObject = async (db: Db | Tx, name: string): Promise<ObjectRow | undefined> =>
  (await byName(db, { name }))[0]

/** False for objects that do not exist. */
export const isEnabled = async (db: Db | Tx, objectName: string): Promise<boolean> =>
  (await findObject(db, objectName))?.enabled === true

/** Oldest first. */
export const objectsPage = (db: Db, page: PageInput, enabledOnly: boolean): Promise<Page<ObjectRow>> =>
  pageOf(db, metaObjects, {
    where: enabledOnly ? eq(metaObjects.enabled, true) : undefined,
    orderBy: [asc(metaObjects.createdAt), asc(metaObjects.name)],
    page,
  })

export async function objectNames(db: Db | Tx): Promise<string[]> {
  return (await db.select({ name: metaObjects.name }).from(metaObjects)).map((row) => row.name)
}

/** Number of fields of the owners, by object. Objects without fields are left out. */
export async function fieldCounts(
  db: Db | Tx,
  names: readonly string[],
  owners: readonly number[],
): Promise<Map<string, number>> {
  if (names.length === 0) return new Map()
  const rows = await db
    .select({ name: metaFields.objectName, n: count() })
    .from(metaFields)
    .where(
      and(
        inArray(metaFields.objectName, [...names]),
        inArray(metaFields.owner, [...owners]),
        isNull(metaFields.deletedAt),
      ),
    )
    .groupBy(metaFields.objectName)
  return new Map(rows.map((row) => [row.name, row.n]))
}

/** Returns the rows that did not exist before. */
export const insertObjects = (
  tx: Tx,
  values: readonly Pick<ObjectRow, 'name' | 'label' | 'description' | 'builtIn'>[],
): Promise<ObjectRow[]> =>
  tx
    .insert(metaObjects)
    .values(values.map((row) => ({ ...row, createdAt: tx.stamp })))
    .onConflictDoNothing()
    .returning()

export async function setEnabled(tx: Tx, name: string, enabled: boolean): Promise<void> {
  await tx.update(metaObjects).set({ enabled }).where(eq(metaObjects.name, name))
}
