import { and, asc, count, eq, gt, inArray, isNotNull, isNull, ne, notExists, type SQL, sql } from 'drizzle-orm'

import { insertFrom, jsonRows } from '#db/json-rows.ts'
import { type Page, pageOfQuery } from '#db/paging.ts'
import { prepared } from '#db/prepared.ts'
import { users } from '#db/schema/accounts.ts'
import { registrations, type RegistrationStatus } from '#db/schema/activities.ts'
import {
  activityMessageRecipients as recipients,
  activityMessages as messages,
  type MessageChannel,
  type ParticipantFilter,
  type RecipientState,
  type SkipReason,
} from '#db/schema/activity-messages.ts'
import { passes } from '#db/schema/passes.ts'
import { deleteSome } from '#db/slices.ts'
import type { Builders, Db, Tx } from '#db/store.ts'
import { hasProvedEmail } from '#domains/accounts/index.ts'

import { participantName } from '../activities.store.ts'
import { meets as meetsFilter } from '../registrations/filters.store.ts'
import type { RecipientsQuery } from './messages.model.ts'

const p = sql.placeholder

export interface Participant {
  /** See `personOf`. */
  readonly person: number
  readonly registrationId: number | null
}

type Some = Pick<Builders, 'select'>

const hasAccount = ne(users.status, 'DELETED')
/** Without an account, and with their data. */
const isKeptGuest = and(isNull(registrations.userId).inlineParams(), isNull(registrations.erasedAt).inlineParams())
const registered: readonly RegistrationStatus[] = ['CONFIRMED', 'WAITING']

/** Registrations of the activity that meet the filter. Null: CONFIRMED and WAITING ones. */
function meets(db: Some, activityId: number, filter: ParticipantFilter | null): SQL | undefined {
  const status = filter?.status === undefined ? registered : (filter.status.split(',') as RegistrationStatus[])
  return and(eq(registrations.activityId, activityId), meetsFilter(db, activityId, { ...filter, status }))
}

/** The next registered users after `after`, by ascending id. */
export async function registeredAfter(
  db: Db | Tx,
  activityId: number,
  filter: ParticipantFilter | null,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<Participant[]> {
  return db
    .select({ person: users.id, registrationId: registrations.id })
    .from(registrations)
    .innerJoin(users, eq(users.id, registrations.userId))
    .where(and(meets(db, activityId, filter), hasAccount, gt(registrations.userId, after)))
    .orderBy(asc(registrations.userId))
    .limit(limit)
}

/** The next guests after the registration `after`, by ascending id. */
export async function guestsAfter(
  db: Db | Tx,
  activityId: number,
  filter: ParticipantFilter | null,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<Participant[]> {
  const rows = await db
    .select({ registrationId: registrations.id })
    .from(registrations)
    .leftJoin(users, eq(users.id, registrations.userId))
    .where(and(meets(db, activityId, filter), isKeptGuest, gt(registrations.id, after)))
    .orderBy(asc(registrations.id))
    .limit(limit)
  return rows.map(({ registrationId }) => ({ person: -registrationId, registrationId }))
}

/** The live pass of a person. */
export async function findLivePass(
  db: Db | Tx,
  activityId: number,
  person: number,
): Promise<{ uuid: string } | undefined> {
  const ofUser = and(
    eq(passes.activityId, activityId),
    eq(passes.liveHolderId, person),
    isNotNull(passes.liveHolderId).inlineParams(),
  )
  return (await db.select({ uuid: passes.uuid }).from(passes).where(ofUser))[0]
}

/** Holders of live passes without a place and without one on the waiting list. */
function isOtherHolder(db: Some, activityId: number): SQL | undefined {
  const registration = db
    .select({ one: sql`1` })
    .from(registrations)
    .where(
      and(
        eq(registrations.activityId, activityId),
        eq(registrations.userId, passes.liveHolderId),
        inArray(registrations.status, [...registered]),
      ),
    )
  return and(
    eq(passes.activityId, activityId),
    isNotNull(passes.liveHolderId).inlineParams(),
    hasAccount,
    notExists(registration),
  )
}

/** The next of them after `after`, by ascending id. */
export async function holdersAfter(
  db: Db | Tx,
  activityId: number,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<Participant[]> {
  const rows = await db
    .select({ userId: users.id })
    .from(passes)
    .innerJoin(users, eq(users.id, passes.liveHolderId))
    .where(and(isOtherHolder(db, activityId), gt(passes.liveHolderId, after)))
    .orderBy(asc(passes.liveHolderId))
    .limit(limit)
  return rows.map(({ userId }) => ({ person: userId, registrationId: null }))
}

/** People whom a message would reach now. */
export interface Reach {
  readonly users: number
  readonly guests: number
  /** Those of both who have a proved address. */
  readonly usersWithAddress: number
  readonly guestsWithAddress: number
}

export async function countParticipants(
  db: Db | Tx,
  activityId: number,
  filter: ParticipantFilter | null,
): Promise<Reach> {
  const address = hasProvedEmail(db, sql`${users.id}`)
  const counts = { people: count(), withAddress: sql<number>`count(case when ${address} then 1 end)` }
  const [some] = await db
    .select(counts)
    .from(registrations)
    .innerJoin(users, eq(users.id, registrations.userId))
    .where(and(meets(db, activityId, filter), hasAccount))
  const isProved = sql`${registrations.email} is not null and ${registrations.emailConfirmedAt} is not null`
  const [guests] = await db
    .select({ people: count(), withAddress: sql<number>`count(case when ${isProved} then 1 end)` })
    .from(registrations)
    .leftJoin(users, eq(users.id, registrations.userId))
    .where(and(meets(db, activityId, filter), isKeptGuest))
  const reach = {
    users: some!.people,
    guests: guests!.people,
    usersWithAddress: Number(some!.withAddress),
    guestsWithAddress: Number(guests!.withAddress),
  }
  if (filter !== null) return reach
  const [others] = await db
    .select(counts)
    .from(passes)
    .innerJoin(users, eq(users.id, passes.liveHolderId))
    .where(isOtherHolder(db, activityId))
  return {
    ...reach,
    users: reach.users + others!.people,
    usersWithAddress: reach.usersWithAddress + Number(others!.withAddress),
  }
}

export interface NewRecipient {
  readonly person: number
  readonly registrationId: number | null
  readonly channel: MessageChannel
  readonly state: RecipientState
  readonly reason: SkipReason | null
  readonly sentAt: number | null
}

const added = jsonRows('added', {
  messageId: 'int',
  person: 'int',
  registrationId: 'int',
  channel: 'text',
  state: 'text',
  reason: 'text',
  sentAt: 'int',
})
const insert = prepared((db) => insertFrom(db, recipients, added).onConflictDoNothing().returning())

/** Leaves out who is a recipient already. Returns the inserted rows. */
export const insertRecipients = (tx: Tx, messageId: number, rows: readonly NewRecipient[]) =>
  insert(tx, added.values(rows.map((row) => ({ ...row, messageId }))))

const ofPerson = and(
  eq(recipients.messageId, p('messageId')),
  eq(recipients.person, p('person')),
  eq(recipients.channel, 'EMAIL').inlineParams(),
)
const mailOf = prepared((db) => db.select().from(recipients).where(ofPerson))

export const findMailRecipient = async (db: Db | Tx, messageId: number, person: number) =>
  (await mailOf(db, { messageId, person }))[0]

const settleMail = prepared((db) =>
  db
    .update(recipients)
    .set({ state: sql`${p('state')}`, reason: sql`${p('reason')}`, sentAt: sql`${p('sentAt')}` })
    .where(and(ofPerson, eq(recipients.state, 'QUEUED').inlineParams()))
    .returning({ person: recipients.person }),
)

/** The result of a QUEUED mail. Does nothing if it has one. */
export async function settle(
  tx: Tx,
  of: { readonly messageId: number; readonly person: number },
  to: { readonly state: RecipientState; readonly reason: SkipReason | null; readonly sentAt: number | null },
): Promise<void> {
  await settleMail(tx, { ...of, ...to })
}

const queued = prepared((db) =>
  db
    .select({ person: recipients.person })
    .from(recipients)
    .where(
      and(
        eq(recipients.messageId, p('messageId')),
        eq(recipients.channel, 'EMAIL').inlineParams(),
        eq(recipients.state, 'QUEUED').inlineParams(),
      ),
    )
    .limit(1),
)

export const hasQueuedMail = async (db: Db | Tx, messageId: number): Promise<boolean> =>
  (await queued(db, { messageId })).length > 0

/** Gives up the mails of a message that have no result. */
export async function failQueuedMails(tx: Tx, messageId: number): Promise<void> {
  await tx
    .update(recipients)
    .set({ state: 'FAILED' })
    .where(and(eq(recipients.messageId, messageId), eq(recipients.channel, 'EMAIL'), eq(recipients.state, 'QUEUED')))
}

/** Recipients of messages by channel and state. */
export async function countRecipients(db: Db | Tx, messageIds: readonly number[]) {
  if (messageIds.length === 0) return []
  return db
    .select({ messageId: recipients.messageId, channel: recipients.channel, state: recipients.state, n: count() })
    .from(recipients)
    .where(inArray(recipients.messageId, [...messageIds]))
    .groupBy(recipients.messageId, recipients.channel, recipients.state)
}

/** Guests first, then users, in the order of their ids. The caller has checked the message. */
export function recipientsPage(db: Db, messageId: number, query: RecipientsQuery): Promise<Page<ListedRecipient>> {
  const where = and(
    eq(recipients.messageId, messageId),
    query.state === undefined ? undefined : eq(recipients.state, query.state),
    query.channel === undefined ? undefined : eq(recipients.channel, query.channel),
  )
  return pageOfQuery(
    query,
    listedRecipients(db).where(where).orderBy(asc(recipients.person), asc(recipients.channel)),
    db.select({ n: count() }).from(recipients).where(where),
  )
}

const listedRecipients = (db: Some) =>
  db
    .select({
      registrationId: recipients.registrationId,
      name: sql<string>`coalesce(${participantName}, '')`,
      channel: recipients.channel,
      state: recipients.state,
      sentAt: recipients.sentAt,
      reason: recipients.reason,
    })
    .from(recipients)
    .leftJoin(registrations, eq(registrations.id, sql`-${recipients.person}`))
    // A guest may have an account by now.
    .leftJoin(users, eq(users.id, sql`coalesce(${registrations.userId}, ${recipients.person})`))
    .$dynamic()

type ListedRecipient = Awaited<ReturnType<typeof listedRecipients>>[number]

/** Deletes at most `limit` recipients of messages of the activity. Returns their number. */
export function removeRecipients(tx: Tx, activityId: number, limit: number): Promise<number> {
  const ofActivity = tx.select({ id: messages.id }).from(messages).where(eq(messages.activityId, activityId))
  return deleteSome(tx, recipients, inArray(recipients.messageId, ofActivity), limit)
}
