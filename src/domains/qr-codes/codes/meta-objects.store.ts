import { and, eq, ne, sql } from 'drizzle-orm'

import { isOneOf } from '#db/dialect.ts'
import { ownerKey } from '#db/owner-key.ts'
import { qrCodes } from '#db/schema/qr-codes.ts'
import type { MetaObject } from '#domains/contributions.ts'

import { isLive } from './codes.store.ts'

/** QR codes as things that have metadata. Those in the trash keep it. */
export const codeObject: MetaObject = {
  readPoint: 'qr_code:read',
  async findEntities(db, ids) {
    const rows = await db
      .select({ id: qrCodes.id, userId: qrCodes.userId, orgId: qrCodes.orgId, name: qrCodes.name })
      .from(qrCodes)
      .where(and(isOneOf(qrCodes.id, ids), isLive))
    return rows.map((row) => ({ id: row.id, owner: ownerKey(row), title: row.name, templateIds: [], columns: {} }))
  },
  isLive: (id) => sql`exists (select 1 from ${qrCodes} where ${qrCodes.id} = ${id} and ${isLive})`,
  entities: {
    table: qrCodes,
    id: qrCodes.id,
    order: [qrCodes.createdAt, qrCodes.id],
    where: (owner) =>
      and(
        owner < 0
          ? and(eq(qrCodes.userId, -owner), eq(qrCodes.orgId, 0).inlineParams())
          : and(eq(qrCodes.orgId, owner), ne(qrCodes.orgId, 0).inlineParams()),
        isLive,
      ),
  },
}
