/** The running backup or verification, of which all processes of a server have one at a time, as a row of `server_state`. */

import { and, eq } from 'drizzle-orm'

import { users } from '#db/schema/accounts.ts'
import { serverState } from '#db/schema/settings.ts'
import type { Db, Tx } from '#db/store.ts'

const TASK_KEY = 'backup.task'
const DUE_KEY = 'backup.lastDue'

export interface StoredTask {
  /** Distinguishes tasks that follow each other. */
  readonly id: string
  readonly kind: 'CREATE' | 'VERIFY' | 'RESTORE'
  /** The backup. */
  readonly name: string
  /** Percent. */
  readonly progress: number
  /** Epoch milliseconds. Later the process that had the task is dead. */
  readonly until: number
}

async function readValue(db: Db | Tx, key: string): Promise<string | undefined> {
  const [row] = await db.select({ value: serverState.value }).from(serverState).where(eq(serverState.key, key))
  return row?.value
}

const isTask = (key: string, value: string) => and(eq(serverState.key, key), eq(serverState.value, value))

/** The task that runs at `now`. */
export async function findTask(db: Db | Tx, now: number): Promise<StoredTask | undefined> {
  const value = await readValue(db, TASK_KEY)
  if (value === undefined) return undefined
  const task = JSON.parse(value) as StoredTask
  return task.until > now ? task : undefined
}

/** Whether `task` is now the running one. False if another one is. */
export async function claimTask(tx: Tx, task: StoredTask, now: number): Promise<boolean> {
  const before = await readValue(tx, TASK_KEY)
  const value = JSON.stringify(task)
  if (before === undefined)
    return (
      (
        await tx
          .insert(serverState)
          .values({ key: TASK_KEY, value })
          .onConflictDoNothing({ target: serverState.key })
          .returning({ key: serverState.key })
      ).length > 0
    )
  if ((JSON.parse(before) as StoredTask).until > now) return false
  return replaceTask(tx, before, value)
}

async function replaceTask(tx: Tx, before: string, value: string): Promise<boolean> {
  const changed = await tx
    .update(serverState)
    .set({ value })
    .where(isTask(TASK_KEY, before))
    .returning({ key: serverState.key })
  return changed.length > 0
}

/** False if `before` is no longer the running task. */
export const updateTask = (tx: Tx, before: StoredTask, after: StoredTask): Promise<boolean> =>
  replaceTask(tx, JSON.stringify(before), JSON.stringify(after))

export const endTask = async (tx: Tx, task: StoredTask): Promise<void> =>
  void (await tx.delete(serverState).where(isTask(TASK_KEY, JSON.stringify(task))))

/** For the start of the only process on the database: the process that had a task has ended. */
export const endAnyTask = async (tx: Tx): Promise<void> =>
  void (await tx.delete(serverState).where(eq(serverState.key, TASK_KEY)))

/** The last due time of the schedule that was dealt with. */
export async function findLastDue(db: Db | Tx): Promise<number | undefined> {
  const value = await readValue(db, DUE_KEY)
  return value === undefined ? undefined : Number(value)
}

export async function saveLastDue(tx: Tx, at: number): Promise<void> {
  const value = String(at)
  await tx
    .insert(serverState)
    .values({ key: DUE_KEY, value })
    .onConflictDoUpdate({ target: serverState.key, set: { value } })
}

export async function nameOfUser(db: Db, userId: number): Promise<string> {
  const [user] = await db
    .select({ username: users.username, nickname: users.nickname })
    .from(users)
    .where(eq(users.id, userId))
  return user?.username ?? user?.nickname ?? ''
}
