import { and, asc, count, desc, eq, inArray, ne, sql } from 'drizzle-orm'

import { type Page, pageOf } from '#db/paging.ts'
import { prepared } from '#db/prepared.ts'
import { activities } from '#db/schema/activities.ts'
import { activityMessages as messages, type MessageState } from '#db/schema/activity-messages.ts'
import { deleteSome } from '#db/slices.ts'
import type { Db, Tx } from '#db/store.ts'
import { uuid } from '#platform/ids.ts'

import { activitiesWithOwners, type ActivityRow } from '../activities.store.ts'
import type { MessagesQuery } from './messages.model.ts'

const p = sql.placeholder

export type MessageRow = typeof messages.$inferSelect
type NewMessageRow = Omit<typeof messages.$inferInsert, 'id' | 'uuid' | 'createdAt'>

export async function insertMessage(tx: Tx, row: NewMessageRow): Promise<MessageRow> {
  const rows = await tx
    .insert(messages)
    .values({ ...row, uuid: uuid(), createdAt: tx.stamp })
    .returning()
  return rows[0]!
}

/** Newest first. */
export const messagesPage = (db: Db, activityId: number, query: MessagesQuery): Promise<Page<MessageRow>> =>
  pageOf(db, messages, { where: eq(messages.activityId, activityId), orderBy: [desc(messages.id)], page: query })

const byId = prepared((db) =>
  db
    .select()
    .from(messages)
    .where(eq(messages.id, p('id'))),
)

/** A message of any activity: for the workers. */
export const findAnyMessage = async (db: Db | Tx, id: number): Promise<MessageRow | undefined> =>
  (await byId(db, { id }))[0]

export async function findMessage(db: Db | Tx, activityId: number, id: number): Promise<MessageRow | undefined> {
  const row = await findAnyMessage(db, id)
  return row?.activityId === activityId ? row : undefined
}

/** An activity whose messages are on their way, deleted or not: those of a cancelled one still arrive after it was deleted. */
export async function findActivityOfMessage(db: Db | Tx, activityId: number): Promise<ActivityRow | undefined> {
  return (await activitiesWithOwners(db).where(eq(activities.id, activityId)))[0]
}

export async function findByRequest(
  tx: Tx,
  { activityId, createdBy, requestId }: Readonly<Record<'activityId' | 'createdBy', number>> & { requestId: string },
): Promise<MessageRow | undefined> {
  const ofRequest = and(
    eq(messages.activityId, activityId),
    eq(messages.createdBy, createdBy),
    eq(messages.requestId, requestId),
  )
  return (await tx.select().from(messages).where(ofRequest))[0]
}

const isScheduled = eq(messages.state, 'SCHEDULED').inlineParams()
const isRunning = eq(messages.state, 'RUNNING').inlineParams()
const isNotice = ne(messages.kind, 'MESSAGE').inlineParams()

/** Messages of managers that wait for their time. */
export async function countWaiting(tx: Tx, activityId: number): Promise<number> {
  const [row] = await tx
    .select({ n: count() })
    .from(messages)
    .where(and(eq(messages.activityId, activityId), isScheduled, eq(messages.kind, 'MESSAGE')))
  return row!.n
}

const waitingOf = prepared((db) =>
  db
    .select()
    .from(messages)
    .where(and(eq(messages.activityId, p('activityId')), isScheduled, isNotice)),
)

/** The automatic notice of the activity that waits. */
export const findWaitingNotice = async (tx: Tx, activityId: number): Promise<MessageRow | undefined> =>
  (await waitingOf(tx, { activityId }))[0]

export async function deleteMessage(tx: Tx, id: number): Promise<void> {
  await tx.delete(messages).where(eq(messages.id, id))
}

export type MessageChange = Partial<
  Pick<
    MessageRow,
    | 'kind'
    | 'changes'
    | 'body'
    | 'sendAt'
    | 'state'
    | 'step'
    | 'cursor'
    | 'mailsCounted'
    | 'counts'
    | 'requestId'
    | 'finishedAt'
  >
>

/** Changes a message that is still as it was read. False, and nothing is changed, if another process was faster. */
export async function updateMessage(
  tx: Tx,
  { id, state, step, cursor }: Pick<MessageRow, 'id' | 'state' | 'step' | 'cursor'>,
  change: MessageChange,
): Promise<boolean> {
  const rows = await tx
    .update(messages)
    .set(change)
    .where(and(eq(messages.id, id), eq(messages.state, state), eq(messages.step, step), eq(messages.cursor, cursor)))
    .returning({ id: messages.id })
  return rows.length > 0
}

/** Ends the messages of an activity that are in one of these states. */
export async function cancelMessages(tx: Tx, activityId: number, states: readonly MessageState[]): Promise<void> {
  await tx
    .update(messages)
    .set({ state: 'CANCELLED', finishedAt: tx.stamp })
    .where(and(eq(messages.activityId, activityId), inArray(messages.state, [...states])))
}

const nextDue = prepared((db) =>
  db.select().from(messages).where(isScheduled).orderBy(asc(messages.sendAt), asc(messages.id)).limit(1),
)

/** The message that is due next, in the past or in the future. */
export const nextScheduled = async (db: Db | Tx): Promise<MessageRow | undefined> => (await nextDue(db))[0]

const oldestListing = prepared((db) =>
  db
    .select()
    .from(messages)
    .where(and(isRunning, ne(messages.step, 'MAILS')))
    .orderBy(asc(messages.id))
    .limit(1),
)

/** The oldest RUNNING message whose recipients are not all listed. */
export const nextToList = async (db: Db | Tx): Promise<MessageRow | undefined> => (await oldestListing(db))[0]

const waitingForMails = prepared((db) =>
  db
    .select()
    .from(messages)
    .where(and(isRunning, eq(messages.step, 'MAILS')))
    .orderBy(asc(messages.id))
    .limit(100),
)

/** RUNNING messages whose recipients are all listed. */
export const listedMessages = (db: Db): Promise<MessageRow[]> => waitingForMails(db)

/** Deletes at most `limit` messages of an activity, whose recipients are deleted. Returns their number. */
export const removeMessages = (tx: Tx, activityId: number, limit: number): Promise<number> =>
  deleteSome(tx, messages, eq(messages.activityId, activityId), limit)
