import { inArray, sql } from 'drizzle-orm'

import { printedAddresses } from '#db/schema/reach.ts'
import type { Db, Tx } from '#db/store.ts'

export async function addToAddress(tx: Tx, address: string, printed: number): Promise<void> {
  await tx
    .insert(printedAddresses)
    .values({ address, printed })
    .onConflictDoUpdate({
      target: printedAddresses.address,
      set: { printed: sql`${printedAddresses.printed} + ${printed}` },
    })
    .returning({ address: printedAddresses.address })
}

/** Only those on which something was printed. */
export async function printedOn(db: Db | Tx, addresses: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (addresses.length === 0) return new Map()
  const rows = await db
    .select()
    .from(printedAddresses)
    .where(inArray(printedAddresses.address, [...addresses]))
  return new Map(rows.map(({ address, printed }) => [address, printed]))
}
