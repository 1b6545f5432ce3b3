import { sql } from 'drizzle-orm'

import { isInJson } from '#db/dialect.ts'
import { prepared } from '#db/prepared.ts'
import { qrCodes } from '#db/schema/qr-codes.ts'
import type { Tx } from '#db/store.ts'

import { type QrCodeRow, shownCodes } from './codes/codes.store.ts'

const byIds = prepared((db) => shownCodes(db).where(isInJson(qrCodes.id, sql.placeholder('ids'))))

/** The codes with these ids, of any owner, also in the trash. */
export const anyCodes = (tx: Tx, ids: readonly number[]): Promise<QrCodeRow[]> =>
  byIds(tx, { ids: JSON.stringify(ids) })
