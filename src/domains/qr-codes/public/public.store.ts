import { and, eq, isNull, sql } from 'drizzle-orm'

import { isNotErasedPersonal } from '#db/erasures.ts'
import { ownerKey } from '#db/owner-key.ts'
import { prepared } from '#db/prepared.ts'
import { qrCodes } from '#db/schema/qr-codes.ts'
import { qrLinks } from '#db/schema/qr-links.ts'
import type { Db } from '#db/store.ts'
import type { FoundThings } from '#domains/contributions.ts'

import { linkColumns } from '../links/links.store.ts'

const publicByUuid = prepared((db) =>
  db
    .select({
      id: qrCodes.id,
      uuid: qrCodes.uuid,
      name: qrCodes.name,
      content: qrCodes.content,
      contentType: qrCodes.contentType,
      style: qrCodes.style,
      pictureKey: qrCodes.pictureKey,
      isDynamic: qrCodes.isDynamic,
      slug: qrCodes.slug,
      opens: qrCodes.opens,
      blockedAt: qrCodes.blockedAt,
      scanCount: qrCodes.scanCount,
      createdAt: qrCodes.createdAt,
      updatedAt: qrCodes.updatedAt,
      ...linkColumns,
    })
    .from(qrCodes)
    .leftJoin(qrLinks, eq(qrLinks.qrCodeId, qrCodes.id))
    .where(
      and(
        eq(qrCodes.uuid, sql.placeholder('uuid')),
        eq(qrCodes.isPublic, true),
        isNull(qrCodes.deletedAt),
        isNotErasedPersonal(qrCodes.userId, qrCodes.orgId),
      ),
    ),
)

/** `uuid` must be in lower case. */
export const findPublic = async (db: Db, uuid: string) => (await publicByUuid(db, { uuid }))[0]

const liveById = prepared((db) =>
  db
    .select({
      userId: qrCodes.userId,
      orgId: qrCodes.orgId,
      title: qrCodes.name,
      isPublic: qrCodes.isPublic,
      blockedAt: qrCodes.blockedAt,
    })
    .from(qrCodes)
    .where(
      and(
        eq(qrCodes.id, sql.placeholder('id')),
        isNull(qrCodes.deletedAt),
        isNotErasedPersonal(qrCodes.userId, qrCodes.orgId),
      ),
    ),
)

export const foundCodes: FoundThings = {
  read: 'qr_code:read',
  update: 'qr_code:update',
  async find(db, id) {
    const [row] = await liveById(db, { id })
    if (row === undefined) return undefined
    const { title, isPublic, blockedAt } = row
    return { owner: ownerKey(row), title, isPublic: isPublic && blockedAt === null, isLost: false, publicFields: [] }
  },
}
