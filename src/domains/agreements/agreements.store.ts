import { and, desc, eq, inArray, sql } from 'drizzle-orm'

import { type DataArea, tableArea } from '#db/data-areas.ts'
import { type Page, pageOf } from '#db/paging.ts'
import { prepared } from '#db/prepared.ts'
import { agreementAcceptances as acceptances, agreements, type AgreementType } from '#db/schema/agreements.ts'
import type { Db, Tx } from '#db/store.ts'

import type { AgreementsQuery } from './agreements.model.ts'

export type AgreementRow = typeof agreements.$inferSelect

const active = prepared((db) => db.select().from(agreements).where(eq(agreements.active, true)))

/** At most one of each type. */
export const activeAgreements = (db: Db): Promise<AgreementRow[]> => active(db)

/** Highest version first; of equal versions of two types the newer one. */
export const agreementsPage = (db: Db, query: AgreementsQuery): Promise<Page<AgreementRow>> =>
  pageOf(db, agreements, {
    where: query.type && eq(agreements.type, query.type),
    orderBy: [desc(agreements.version), desc(agreements.id)],
    page: query,
  })

/** Makes the active version of a type inactive and returns it; undefined if there is none. */
export async function deactivate(tx: Tx, type: AgreementType): Promise<{ version: number } | undefined> {
  const [row] = await tx
    .update(agreements)
    .set({ active: false })
    .where(and(eq(agreements.type, type), eq(agreements.active, true)))
    .returning({ version: agreements.version })
  return row
}

/** Inserts the next version of a type, which is active. The other versions must be inactive. */
export async function insertNextVersion(
  tx: Tx,
  agreement: Pick<AgreementRow, 'type' | 'title' | 'content' | 'contentHtml' | 'publishedBy'>,
): Promise<AgreementRow> {
  const versions = sql`select coalesce(max(version), 0) + 1 from agreements where type = ${agreement.type}`
  const rows = await tx
    .insert(agreements)
    .values({
      ...agreement,
      version: sql`(${versions})`,
      active: true,
      createdAt: tx.stamp,
      activatedAt: tx.stamp,
    })
    .returning()
  return rows[0]!
}

export async function findAgreement(db: Db | Tx, id: number): Promise<AgreementRow | undefined> {
  return (await db.select().from(agreements).where(eq(agreements.id, id)))[0]
}

/** The other versions of its type must be inactive. */
export async function activate(tx: Tx, id: number): Promise<void> {
  await tx.update(agreements).set({ active: true, activatedAt: tx.stamp }).where(eq(agreements.id, id))
}

const activeVersion = prepared((db) =>
  db
    .select({ id: agreements.id })
    .from(agreements)
    .where(
      and(
        eq(agreements.type, sql.placeholder('type')),
        eq(agreements.version, sql.placeholder('version')),
        eq(agreements.active, true),
      ),
    ),
)

/** The id of a version, if it is active. */
export async function findActiveVersion(
  tx: Tx,
  version: { type: AgreementType; version: number },
): Promise<number | undefined> {
  return (await activeVersion(tx, version))[0]?.id
}

const insertAcceptance = prepared((db) =>
  db
    .insert(acceptances)
    .values({
      userId: sql.placeholder('userId'),
      agreementId: sql.placeholder('agreementId'),
      acceptedAt: sql.placeholder('acceptedAt'),
    })
    .onConflictDoUpdate({
      target: [acceptances.userId, acceptances.agreementId],
      set: { acceptedAt: sql`${acceptances.acceptedAt}` },
    })
    .returning({ acceptedAt: acceptances.acceptedAt }),
)

/** Keeps the time of an earlier acceptance. Returns the time that is stored. */
export async function acceptOnce(tx: Tx, userId: number, agreementId: number): Promise<number> {
  return (await insertAcceptance(tx, { userId, agreementId, acceptedAt: tx.stamp }))[0]!.acceptedAt
}

const accepted = prepared((db) =>
  db
    .select({ agreementId: acceptances.agreementId })
    .from(acceptances)
    .where(
      and(
        eq(acceptances.userId, sql.placeholder('userId')),
        inArray(acceptances.agreementId, [sql.placeholder('first'), sql.placeholder('second')]),
      ),
    ),
)

/** Which of up to two agreements the user has accepted. */
export async function acceptedOf(
  db: Db,
  userId: number,
  [first, second = first]: readonly number[],
): Promise<Set<number>> {
  const rows = await accepted(db, { userId, first, second })
  return new Set(rows.map((row) => row.agreementId))
}

/** For data exports. */
export const agreementAreas: readonly DataArea[] = [
  tableArea({
    name: 'agreements',
    title: { en: 'Accepted agreements', zh: '已同意的协议' },
    forAdministrators: 'ROWS',
    from: acceptances,
    joins: [{ table: agreements, on: eq(agreements.id, acceptances.agreementId) }],
    columns: {
      type: agreements.type,
      version: agreements.version,
      title: agreements.title,
      acceptedAt: acceptances.acceptedAt,
    },
    where: (userId) => eq(acceptances.userId, userId),
    key: [acceptances.agreementId],
  }),
]
