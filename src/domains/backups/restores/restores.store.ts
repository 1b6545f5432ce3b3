import { and, count, desc, eq } from 'drizzle-orm'

import { users } from '#db/schema/accounts.ts'
import { activities } from '#db/schema/activities.ts'
import { assets } from '#db/schema/assets.ts'
import { messages } from '#db/schema/chat.ts'
import { files } from '#db/schema/files.ts'
import { adminLogHead, adminLogs } from '#db/schema/operation-log.ts'
import { organizations } from '#db/schema/orgs.ts'
import { qrCodes, scanRecords } from '#db/schema/qr-codes.ts'
import { serverState } from '#db/schema/settings.ts'
import type { Db, Tx } from '#db/store.ts'
import type { BackupFacts } from '#platform/backup/folder.ts'
import { RESTORE_NOTE, type RestoreNote } from '#platform/backup/restore-note.ts'

const COUNTED = { users, organizations, qr_codes: qrCodes, assets, activities, messages, files } as const

export async function countRows(db: Db): Promise<BackupFacts['rows']> {
  const counts: [string, number][] = []
  for (const [name, table] of Object.entries(COUNTED))
    counts.push([name, (await db.select({ n: count() }).from(table))[0]!.n])
  return Object.fromEntries(counts) as BackupFacts['rows']
}

/** When the newest row of those tables was made that grow with the use of the server; null without any. */
export async function newestChange(db: Db): Promise<number | null> {
  const times: number[] = []
  for (const table of [...Object.values(COUNTED), scanRecords, adminLogs]) {
    const [row] = await db.select({ at: table.createdAt }).from(table).orderBy(desc(table.id)).limit(1)
    if (row !== undefined) times.push(Number(row.at))
  }
  return times.length === 0 ? null : Math.max(...times)
}

/** The newest row of the operation log. */
export async function findLogHead(db: Db): Promise<{ id: number; hash: string } | null> {
  const [row] = await db.select({ id: adminLogHead.rowId, hash: adminLogHead.hash }).from(adminLogHead)
  return row === undefined || row.id === 0 ? null : row
}

/** The note of the restore that brought this database. */
export async function findNote(db: Db | Tx): Promise<RestoreNote | undefined> {
  const [row] = await db.select({ value: serverState.value }).from(serverState).where(eq(serverState.key, RESTORE_NOTE))
  return row && (JSON.parse(row.value) as RestoreNote)
}

export const saveNote = async (tx: Tx, note: RestoreNote): Promise<void> =>
  void (await tx
    .update(serverState)
    .set({ value: JSON.stringify(note) })
    .where(eq(serverState.key, RESTORE_NOTE)))

/** Whether a user of other data is, by id and username, a user of this data too. */
export async function isKnown(tx: Tx, { id, name }: { readonly id: number; readonly name: string }): Promise<boolean> {
  const found = await tx
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, id), eq(users.username, name)))
  return found.length > 0
}
