import { note } from '#db/notes.ts'
import { ownerKey } from '#db/owner-key.ts'
import type { qrCodes } from '#db/schema/qr-codes.ts'
import type { Tx } from '#db/store.ts'

type Noted = Pick<typeof qrCodes.$inferSelect, 'id' | 'name' | 'userId' | 'orgId'>

/** Notes a change of a code outside the trash for webhooks. `isWhole`: it has all columns as they are now. */
export function noteCode(tx: Tx, verb: 'created' | 'updated' | 'deleted', row: Noted, isWhole = false): void {
  const data = verb === 'deleted' ? { data: { name: row.name } } : isWhole ? { row } : {}
  note(tx, { type: `qr_code.${verb}`, owner: ownerKey(row), id: row.id, ...data })
}
