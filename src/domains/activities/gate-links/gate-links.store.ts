import { and, asc, count, desc, eq, inArray, isNull, lt, sql, sum } from 'drizzle-orm'

import { type Page, type PageInput, pageOf } from '#db/paging.ts'
import { prepared } from '#db/prepared.ts'
import { activities } from '#db/schema/activities.ts'
import { activityGates as gates, gateDevices as devices, type GateSession } from '#db/schema/activity-gates.ts'
import { organizations } from '#db/schema/orgs.ts'
import { deleteSome } from '#db/slices.ts'
import type { Builders, Db, Tx } from '#db/store.ts'

const p = sql.placeholder

export type GateRow = typeof gates.$inferSelect
export type DeviceRow = typeof devices.$inferSelect
export type GateOfActivity = Omit<GateSession, 'device'>

export async function insertGate(
  tx: Tx,
  gate: Omit<GateRow, 'id' | 'deviceCount' | 'revokedAt' | 'createdAt'>,
): Promise<GateRow> {
  const [row] = await tx
    .insert(gates)
    .values({ ...gate, createdAt: tx.stamp })
    .returning()
  return row!
}

/** Newest first, with those that have ended. */
export const gatesPage = (db: Db, activityId: number, page: PageInput): Promise<Page<GateRow>> =>
  pageOf(db, gates, { where: eq(gates.activityId, activityId), orderBy: [desc(gates.id)], page })

export async function findGate(tx: Tx, activityId: number, id: number): Promise<GateRow | undefined> {
  const [row] = await tx
    .select()
    .from(gates)
    .where(and(eq(gates.id, id), eq(gates.activityId, activityId)))
  return row
}

/** Gates of the activity that have not ended. `ownExpiry`: when those without an end of their own expire. */
export async function countLive(tx: Tx, activityId: number, ownExpiry: number, now: number): Promise<number> {
  const [row] = await tx
    .select({ n: count() })
    .from(gates)
    .where(
      and(
        eq(gates.activityId, activityId),
        isNull(gates.revokedAt),
        sql`coalesce(${gates.expiresAt}, ${ownExpiry}) > ${now}`,
      ),
    )
  return row!.n
}

export async function updateGate(tx: Tx, id: number, change: Partial<Omit<GateRow, 'id'>>): Promise<GateRow> {
  const [row] = await tx.update(gates).set(change).where(eq(gates.id, id)).returning()
  return row!
}

/** Ends the devices of a link that is replaced. */
export async function endDevices(tx: Tx, gateId: number, endedAt: number): Promise<void> {
  await tx
    .update(devices)
    .set({ endedAt })
    .where(and(eq(devices.gateId, gateId), isNull(devices.endedAt)))
}

/** Devices that have opened the present links of the gates, the oldest first. */
export const devicesOf = (db: Db | Tx, gateIds: readonly number[]): Promise<DeviceRow[]> =>
  db
    .select()
    .from(devices)
    .where(and(inArray(devices.gateId, [...gateIds]), isNull(devices.endedAt).inlineParams()))
    .orderBy(asc(devices.id))

/** Accepted entries of all devices that the gates have had, by the id of the gate. */
export async function admittedOf(db: Db | Tx, gateIds: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const rows = await db
    .select({ gateId: devices.gateId, admitted: sum(devices.admitted).mapWith(Number) })
    .from(devices)
    .where(inArray(devices.gateId, [...gateIds]))
    .groupBy(devices.gateId)
  return new Map(rows.map(({ gateId, admitted }) => [gateId, admitted ?? 0]))
}

const activityColumns = {
  id: activities.id,
  status: activities.status,
  endTime: activities.endTime,
  endedAt: activities.endedAt,
  deletedAt: activities.deletedAt,
}

const withActivity = (db: Pick<Builders, 'select'>) =>
  db
    .select({ gate: gates, activity: activityColumns, orgStatus: organizations.status })
    .from(gates)
    .innerJoin(activities, eq(activities.id, gates.activityId))
    .leftJoin(organizations, eq(organizations.id, activities.owner))

const bySecret = prepared((db) => withActivity(db).where(eq(gates.secretHash, p('secretHash'))))
export const findBySecretHash = async (db: Db | Tx, secretHash: string): Promise<GateOfActivity | undefined> =>
  (await bySecret(db, { secretHash }))[0]

const byToken = prepared((db) =>
  db
    .select({ device: devices, gate: gates, activity: activityColumns, orgStatus: organizations.status })
    .from(devices)
    .innerJoin(gates, eq(gates.id, devices.gateId))
    .innerJoin(activities, eq(activities.id, gates.activityId))
    .leftJoin(organizations, eq(organizations.id, activities.owner))
    .where(eq(devices.tokenHash, p('tokenHash'))),
)
export const findByTokenHash = async (db: Db | Tx, tokenHash: string): Promise<GateSession | undefined> =>
  (await byToken(db, { tokenHash }))[0]

type Opening = Pick<DeviceRow, 'gateId' | 'deviceKey' | 'name' | 'tokenHash' | 'lastSeenAt'>

/** Gives a device that has opened the link before its new token. Undefined if it has not. */
export async function reopen(
  tx: Tx,
  { gateId, deviceKey, name, tokenHash, lastSeenAt }: Opening,
): Promise<DeviceRow | undefined> {
  const [row] = await tx
    .update(devices)
    .set({ tokenHash, lastSeenAt, ...(name !== '' && { name }) })
    .where(and(eq(devices.gateId, gateId), eq(devices.deviceKey, deviceKey), isNull(devices.endedAt)))
    .returning()
  return row
}

/** Adds a device. Undefined, without a change, if the gate has as many as it may. */
export async function addDevice(tx: Tx, device: Opening): Promise<DeviceRow | undefined> {
  const [counted] = await tx
    .update(gates)
    .set({ deviceCount: sql`${gates.deviceCount} + 1` })
    .where(and(eq(gates.id, device.gateId), lt(gates.deviceCount, gates.maxDevices)))
    .returning({ id: gates.id })
  if (counted === undefined) return undefined
  const [row] = await tx
    .insert(devices)
    .values({ ...device, createdAt: tx.stamp })
    .returning()
  return row
}

const seen = prepared((db) =>
  db
    .update(devices)
    .set({ lastSeenAt: sql`${p('at')}` })
    .where(and(eq(devices.id, p('id')), lt(devices.lastSeenAt, p('at'))))
    .returning({ id: devices.id }),
)
export const markSeen = async (tx: Tx, id: number, at: number): Promise<void> => void (await seen(tx, { id, at }))

const waitingSaved = prepared((db) =>
  db
    .update(devices)
    .set({ waiting: sql`${p('waiting')}` })
    .where(eq(devices.id, p('id')))
    .returning({ id: devices.id }),
)
export const saveWaiting = async (tx: Tx, id: number, waiting: number): Promise<void> =>
  void (await waitingSaved(tx, { id, waiting }))

const searchCounted = prepared((db) =>
  db
    .update(devices)
    .set({ searches: sql`${devices.searches} + 1` })
    .where(eq(devices.id, p('id')))
    .returning({ id: devices.id }),
)
export const countSearch = async (tx: Tx, id: number): Promise<void> => void (await searchCounted(tx, { id }))

/** Deletes at most `limit` devices of the gates of an activity. Returns their number. */
export const removeDevices = (tx: Tx, activityId: number, limit: number): Promise<number> =>
  deleteSome(
    tx,
    devices,
    inArray(devices.gateId, tx.select({ id: gates.id }).from(gates).where(eq(gates.activityId, activityId))),
    limit,
  )

/** Deletes at most `limit` gates of an activity, whose devices are deleted. Returns their number. */
export const removeGates = (tx: Tx, activityId: number, limit: number): Promise<number> =>
  deleteSome(tx, gates, eq(gates.activityId, activityId), limit)
