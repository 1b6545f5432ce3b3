import { and, asc, count, desc, eq, exists, gt, gte, inArray, lt, lte, ne, not, or, type SQL, sql } from 'drizzle-orm'

import { contains } from '#db/contains.ts'
import { notByIndex } from '#db/dialect.ts'
import type { Select } from '#db/list-order.ts'
import { pagedTable } from '#db/lists.ts'
import { note } from '#db/notes.ts'
import { type OwnerKey, ownerKey } from '#db/owner-key.ts'
import { type Page, pageOfQuery } from '#db/paging.ts'
import { prepared } from '#db/prepared.ts'
import { users } from '#db/schema/accounts.ts'
import { activities, activityCounters, registrations } from '#db/schema/activities.ts'
import { organizations } from '#db/schema/orgs.ts'
import { passTemplates } from '#db/schema/passes.ts'
import type { Builders, Db, Tx } from '#db/store.ts'
import type { Owner } from '#http/endpoint.ts'
import { randomCode, uuid } from '#platform/ids.ts'

import { activitiesWithOwners, type ActivityRow, findActivity, isLive } from '../activities.store.ts'
import { INVITE_CODE_ALPHABET, INVITE_CODE_LENGTH } from '../visibility/visibility.rules.ts'
import type { ListQuery } from './register.model.ts'
import { type ActivityFields, discoverUntil, isListed } from './register.rules.ts'

const p = sql.placeholder

/** Every column that decides which lists a row is in, and where; also those of discovery (discovery.store.ts). */
export const listed = pagedTable(activities, [
  'id',
  'owner',
  'deletedAt',
  'isListed',
  'discoverUntil',
  'province',
  'city',
  'district',
  'startTime',
  'createdAt',
  'name',
])

export const lists = {
  orders: {
    startTime: ['startTime', 'createdAt', 'id'],
    createdAt: ['createdAt', 'id'],
    name: ['name', 'createdAt', 'id'],
  },
  sort: '-startTime',
  select: (db: Pick<Builders, 'select'>) => activitiesWithOwners(db).$dynamic() as unknown as Select<ActivityRow>,
} as const

const ofOwner = listed.list({ owner: ['owner'], where: { deletedAt: null }, total: 'activities.owner', ...lists })
const ofMembers = listed.list({
  owner: ['owner'],
  where: { deletedAt: null, isListed: true },
  total: 'activities.listed',
  ...lists,
})

/** The part of an owner's activities that a viewer sees. */
export interface Section {
  readonly owner: OwnerKey
  /** Of the activities that are not listed for members: all, none, or those that this member created. */
  readonly unlisted: 'all' | 'none' | { readonly createdBy: number }
}

/** A page of a whole section. It costs the same at any length, unless the viewer created activities that are not listed. */
export function activitiesPage(db: Db, { owner, unlisted }: Section, query: ListQuery): Promise<Page<ActivityRow>> {
  const { page, size, sort } = query
  return (unlisted === 'all' ? ofOwner : ofMembers).page(db, { owner }, { page, size, sort })
}

export const countActivities = async (db: Db, owner: OwnerKey): Promise<number> =>
  (await ofOwner.page(db, { owner }, { page: 1, size: 1 })).total

const isVisible = ({ unlisted }: Section): SQL | undefined => {
  if (unlisted === 'all') return undefined
  const isListedOne = eq(activities.isListed, true).inlineParams()
  return unlisted === 'none' ? isListedOne : or(isListedOne, eq(activities.userId, unlisted.createdBy))
}

/** Those of `PHASES`. Each activity is in one of them. */
function isIn(phase: ListQuery['phase'], now: number): SQL | undefined {
  const { status, startTime, endTime } = activities
  const isOver = inArray(status, ['ENDED', 'CANCELLED'])
  if (phase === undefined) return undefined
  if (phase === 'PAST') return or(isOver, lt(endTime, now))
  return and(not(isOver), gte(endTime, now), phase === 'NOW' ? lte(startTime, now) : gt(startTime, now))
}

const filters = ({ status, visibility, from, to, phase, seriesId }: ListQuery, now: number): SQL | undefined =>
  and(
    isIn(phase, now),
    seriesId === undefined ? undefined : eq(activities.seriesId, seriesId),
    status === undefined ? undefined : eq(activities.status, status),
    visibility === undefined ? undefined : eq(activities.visibility, visibility),
    from === undefined ? undefined : gte(activities.endTime, from),
    to === undefined ? undefined : lte(activities.startTime, to),
  )

/** Ignores the keyword of the query. */
export function filteredPage(db: Db, section: Section, query: ListQuery, now: number): Promise<Page<ActivityRow>> {
  const where = and(eq(activities.owner, section.owner), isLive, isVisible(section), filters(query, now))
  return sortedPage(db, query, where)
}

function sortedPage(db: Db, query: ListQuery, where: SQL | undefined): Promise<Page<ActivityRow>> {
  const { sort = lists.sort } = query
  const direction = sort.startsWith('-') ? desc : asc
  const order = lists.orders[sort.replace('-', '') as keyof typeof lists.orders]
  return pageOfQuery(
    query,
    lists
      .select(db)
      .where(where)
      .orderBy(...order.map((name) => direction(activities[name]))),
    db.select({ n: count() }).from(activities).where(where),
  )
}

const contain = (keyword: string): SQL | undefined =>
  or(...[activities.name, activities.description, activities.location].map((column) => contains(column, keyword)))

/** Ids of the activities for which the user has a place or waits for one. */
const registeredBy = (db: Db, userId: number) =>
  db
    .select({ id: registrations.activityId })
    .from(registrations)
    .where(and(eq(registrations.userId, userId), ne(registrations.status, 'CANCELLED')))

const isRestricted = eq(activities.visibility, 'RESTRICTED')

/** The organizations of the RESTRICTED activities among them. */
export async function restrictedTo(db: Db, userId: number): Promise<number[]> {
  const rows = await db
    .selectDistinct({ orgId: activities.owner })
    .from(activities)
    .where(and(inArray(activities.id, registeredBy(db, userId)), isRestricted))
  return rows.map(({ orgId }) => orgId)
}

/** The activities for which the user has registered; RESTRICTED ones of the `readable` organizations only. */
export const registeredPage = (
  db: Db,
  { userId, readable }: { readonly userId: number; readonly readable: readonly number[] },
  query: ListQuery,
  now: number,
): Promise<Page<ActivityRow>> =>
  sortedPage(
    db,
    query,
    and(
      inArray(activities.id, registeredBy(db, userId)),
      isLive,
      or(not(isRestricted), inArray(activities.owner, [...readable])),
      filters(query, now),
      query.keyword ? contain(query.keyword) : undefined,
    ),
  )

/** Activities that contain the keyword and pass the filters of the query. `db` is that of `Store.search`. */
export function searchActivities(
  db: Db,
  section: Section,
  query: ListQuery & { readonly keyword: string },
  now: number,
): Promise<Page<ActivityRow>> {
  const found = contain(query.keyword)
  const filter = filters(query, now)
  const { owner, unlisted } = section
  if (unlisted === 'none') return ofMembers.search(db, { owner }, query, and(filter, found))
  return ofOwner.search(db, { owner }, query, and(isVisible(section), filter, found))
}

/** Whether the user created an activity of the owner that members do not see in lists. */
export async function createdUnlisted(db: Db, owner: OwnerKey, userId: number): Promise<boolean> {
  const rows = await db
    .select({ id: activities.id })
    .from(activities)
    .where(
      and(
        eq(activities.userId, userId),
        sql`${notByIndex(activities.owner)} = ${owner}`,
        sql`${notByIndex(activities.deletedAt)} is null`,
        sql`not ${notByIndex(activities.isListed)}`,
      ),
    )
    .limit(1)
  return rows.length > 0
}

const newInviteCode = () => randomCode(INVITE_CODE_ALPHABET, INVITE_CODE_LENGTH)

/** Adds a DRAFT with its counters. The cover must be attached in the same write. */
export async function insertActivity(
  tx: Tx,
  owner: Owner,
  fields: ActivityFields,
  seriesId: string | null = null,
): Promise<ActivityRow> {
  const [row] = await tx
    .insert(activities)
    .values({
      ...fields,
      uuid: uuid(),
      checkInUuid: uuid(),
      owner: ownerKey(owner),
      userId: owner.userId,
      inviteCode: fields.visibility === 'INVITE_ONLY' ? newInviteCode() : null,
      seriesId,
      createdAt: tx.stamp,
      updatedAt: tx.stamp,
    })
    .returning(listed.columns)
  listed.inserted(tx, row!)
  note(tx, { type: 'activity.created', owner: row!.owner, id: row!.id })
  await tx.insert(activityCounters).values({ activityId: row!.id })
  return (await findActivity(tx, row!.id))!
}

/** Gives an activity that this write has added its cover. */
export const setNewCover = async (tx: Tx, id: number, coverFileId: number): Promise<void> =>
  void (await tx.update(activities).set({ coverFileId }).where(eq(activities.id, id)))

export type ActivityChange = Partial<
  ActivityFields & Pick<ActivityRow, 'status' | 'inviteCode' | 'endedAt' | 'deletedAt'>
>

/**
 * Changes an activity that was read in this write, and returns it as it is now. Undefined, and nothing is changed, if its status has
 * changed since. Derives the invite code and the place in lists.
 */
export async function updateActivity(
  tx: Tx,
  row: ActivityRow,
  change: ActivityChange,
): Promise<ActivityRow | undefined> {
  if (Object.keys(change).length === 0) return row
  const { visibility = row.visibility, status = row.status } = change
  const becomesInvite = visibility === 'INVITE_ONLY' && row.visibility !== 'INVITE_ONLY'
  const [after] = await tx
    .update(activities)
    .set({
      inviteCode: visibility === 'INVITE_ONLY' ? (becomesInvite ? newInviteCode() : row.inviteCode) : null,
      ...change,
      isListed: isListed({ visibility, status }),
      discoverUntil: discoverUntil({ ...row, ...change }),
      version: sql`${activities.version} + 1`,
      updatedAt: tx.stamp,
    })
    .where(and(eq(activities.id, row.id), eq(activities.status, row.status), isLive))
    .returning(listed.columns)
  if (after === undefined) return undefined
  listed.updated(tx, row, after)
  if (change.deletedAt != null)
    note(tx, { type: 'activity.deleted', owner: row.owner, id: row.id, data: { name: row.name } })
  else noteChange(tx, row, status)
  return change.deletedAt == null ? findActivity(tx, row.id) : row
}

/** Events beside `activity.updated` by the status that an activity gets. */
const STATUS_EVENTS = {
  ACTIVE: 'activity.published',
  ENDED: 'activity.ended',
  CANCELLED: 'activity.cancelled',
} as const

function noteChange(
  tx: Tx,
  { id, owner, status: before }: Pick<ActivityRow, 'id' | 'owner' | 'status'>,
  status: ActivityRow['status'],
): void {
  note(tx, { type: 'activity.updated', owner, id })
  if (status !== before && status !== 'DRAFT') note(tx, { type: STATUS_EVENTS[status], owner, id })
}

/** Makes a new invite code. The old one stops working when the write commits. */
export const renewInviteCode = (tx: Tx, row: ActivityRow): Promise<ActivityRow | undefined> =>
  updateActivity(tx, row, { inviteCode: newInviteCode() })

/** Cancels at most `limit` ACTIVE activities of an owner. Returns them as they were. */
export async function cancelActive(tx: Tx, owner: OwnerKey, limit: number) {
  const where = and(eq(activities.owner, owner), isLive, eq(activities.status, 'ACTIVE'))
  const rows = await tx.select().from(activities).where(where).limit(limit)
  const ids = rows.map(({ id }) => id)
  await tx
    .update(activities)
    .set({
      status: 'CANCELLED',
      endedAt: tx.stamp,
      discoverUntil: null,
      version: sql`${activities.version} + 1`,
      updatedAt: tx.stamp,
    })
    .where(inArray(activities.id, ids))
    .returning({ id: activities.id })
  for (const row of rows) {
    listed.updated(tx, row, { ...row, discoverUntil: null })
    noteChange(tx, row, 'CANCELLED')
  }
  return rows
}

/** The activities of the owner that are not deleted, as the write sees them. Walks over all of them. */
export async function countOwned(db: Db | Tx, owner: OwnerKey): Promise<number> {
  const [row] = await db
    .select({ n: count() })
    .from(activities)
    .where(and(eq(activities.owner, owner), isLive))
  return row!.n
}

export async function findOrgStatus(db: Db | Tx, orgId: number) {
  const [row] = await db.select({ status: organizations.status }).from(organizations).where(eq(organizations.id, orgId))
  return row?.status
}

/** Whether the owner has this pass template. */
export async function hasTemplate(tx: Tx, owner: OwnerKey, id: number): Promise<boolean> {
  const rows = await tx
    .select({ id: passTemplates.id })
    .from(passTemplates)
    .where(and(eq(passTemplates.id, id), eq(passTemplates.owner, owner)))
  return rows.length > 0
}

const newest = prepared((db) =>
  db
    .select({ timeZone: activities.timeZone })
    .from(activities)
    .where(eq(activities.userId, p('userId')))
    .orderBy(desc(activities.createdAt), desc(activities.id))
    .limit(1),
)

/** The zone of the activity that the user created last. Undefined if there is none, or if it has that of the server. */
export const latestZone = async (tx: Tx, userId: number): Promise<string | undefined> =>
  (await newest(tx, { userId }))[0]?.timeZone || undefined

const anyActivity = prepared((db) => {
  const activity = db
    .select({ id: activities.id })
    .from(activities)
    .where(eq(activities.userId, p('userId')))
  return db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, p('userId')), exists(activity)))
})

/** Whether the user has created an activity, for themselves or for an organization. */
export const hasActivities = async (db: Db | Tx, userId: number): Promise<boolean> =>
  (await anyActivity(db, { userId })).length > 0
