import { note } from '#db/notes.ts'
import { ownerKey } from '#db/owner-key.ts'
import type { qrCodes } from '#db/schema/qr-codes.ts'
import type { Tx } from '#db/store.ts'

/** Notes a change of a code outside the trash for webhooks. */
export function noteCode(
  tx: Tx,
  verb: 'created' | 'updated' | 'deleted',
  { id, name, ...owner }: Pick<typeof qrCodes.$inferSelect, 'id' | 'name' | 'userId' | 'orgId'>,
): void {
  note(tx, { type: `qr_code.${verb}`, owner: ownerKey(owner), id, ...(verb === 'deleted' && { data: { name } }) })
}
