/** Labels that nothing is bound to yet take places in the quota of QR codes. */

import { eq, sql } from 'drizzle-orm'

import type { OwnerKey } from '#db/owner-key.ts'
import { prepared } from '#db/prepared.ts'
import { qrBatches } from '#db/schema/qr-blanks.ts'
import type { Db, Tx } from '#db/store.ts'

const free = prepared((db) =>
  db
    .select({
      n: sql<number>`coalesce(sum(${qrBatches.last} - ${qrBatches.first} + 1 - ${qrBatches.bound} - ${qrBatches.voided}), 0)`.mapWith(
        Number,
      ),
    })
    .from(qrBatches)
    .where(eq(qrBatches.owner, sql.placeholder('owner'))),
)

/** The FREE labels of an owner, from the figures of the batches. */
export const countFree = async (db: Db | Tx, owner: OwnerKey): Promise<number> => (await free(db, { owner }))[0]!.n
