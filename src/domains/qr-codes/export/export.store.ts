import { and, asc, eq, gt, gte, ne, or, type SQL, sql } from 'drizzle-orm'

import { prepared } from '#db/prepared.ts'
import { qrCodes } from '#db/schema/qr-codes.ts'
import type { Db } from '#db/store.ts'
import type { Owner } from '#http/endpoint.ts'
import { pause } from '#lib/pause.ts'

import { isLive, type QrCodeRow, shownCodes } from '../codes/codes.store.ts'

const p = sql.placeholder

/** In the order of an index, so that nothing is sorted. */
const codesAfter = (owned: SQL | undefined) =>
  prepared((db) =>
    shownCodes(db)
      .where(
        and(
          owned,
          isLive,
          gte(qrCodes.createdAt, p('createdAt')),
          or(gt(qrCodes.createdAt, p('createdAt')), gt(qrCodes.id, p('id'))),
        ),
      )
      .orderBy(asc(qrCodes.createdAt), asc(qrCodes.id))
      .limit(p('limit')),
  )
const personal = codesAfter(and(eq(qrCodes.userId, p('owner')), eq(qrCodes.orgId, 0).inlineParams()))
const organizations = codesAfter(and(eq(qrCodes.orgId, p('owner')), ne(qrCodes.orgId, 0).inlineParams()))

/** All codes of the owner outside the trash, `limit` at a time. */
export async function* allCodes(db: Db, { userId, orgId }: Owner, limit: number): AsyncGenerator<QrCodeRow[]> {
  const [read, owner] = orgId === 0 ? [personal, userId] : [organizations, orgId]
  let after = { createdAt: 0, id: 0 }
  for (;;) {
    const rows = await read(db, { owner, limit, ...after })
    if (rows.length > 0) yield rows
    if (rows.length < limit) return
    after = rows.at(-1)!
    await pause()
  }
}
