import { and, eq, isNull, sql } from 'drizzle-orm'

import { prepared } from '#db/prepared.ts'
import { qrCodes } from '#db/schema/qr-codes.ts'
import type { Db } from '#db/store.ts'

const publicByUuid = prepared((db) =>
  db
    .select({
      id: qrCodes.id,
      uuid: qrCodes.uuid,
      name: qrCodes.name,
      content: qrCodes.content,
      contentType: qrCodes.contentType,
      style: qrCodes.style,
      isDynamic: qrCodes.isDynamic,
      slug: qrCodes.slug,
      scanCount: qrCodes.scanCount,
      createdAt: qrCodes.createdAt,
      updatedAt: qrCodes.updatedAt,
    })
    .from(qrCodes)
    .where(and(eq(qrCodes.uuid, sql.placeholder('uuid')), eq(qrCodes.isPublic, true), isNull(qrCodes.deletedAt))),
)

/** `uuid` must be in lower case. */
export const findPublic = async (db: Db, uuid: string) => (await publicByUuid(db, { uuid }))[0]
