import { sql } from 'drizzle-orm'

import { col, index, table, uniqueIndex } from '../dialect.ts'
import type { activities } from './activities.ts'
import type { organizations } from './orgs.ts'

export const GATE_DIRECTIONS = ['ENTRY', 'EXIT', 'BOTH'] as const
export type GateDirections = (typeof GATE_DIRECTIONS)[number]

/** Gates that scan passes without an account: anyone who has the link of one can open it on a phone. */
export const activityGates = table(
  'activity_gates',
  {
    id: col.id(),
    /** No foreign key: the version before deletes activities without these rows. */
    activityId: col.int('activity_id').notNull(),
    name: col.text('name').notNull(),
    /** Ids of check-in lists, with null for the entrance. Null: all of them. */
    listIds: col.json<readonly (number | null)[]>('list_ids'),
    showNames: col.bool('show_names').notNull(),
    canUndo: col.bool('can_undo').notNull(),
    canSearch: col.bool('can_search').notNull(),
    direction: col.text('direction').$type<GateDirections>().notNull(),
    maxDevices: col.int('max_devices').notNull(),
    /** Devices that have opened the present link. Only a conditional UPDATE raises it, so that the limit is exact. */
    deviceCount: col.int('device_count').notNull().default(0),
    /** Null: some hours after the end of the activity, wherever that is moved. */
    expiresAt: col.time('expires_at'),
    secretHash: col.text('secret_hash').notNull(),
    /** The secret, encrypted (platform/seal.ts): managers see the link again. */
    secret: col.text('secret').notNull(),
    /** When a manager ended it. The row stays for the names in records, and for scans that wait on its devices. */
    revokedAt: col.time('revoked_at'),
    createdBy: col.int('created_by').notNull(),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [uniqueIndex('activity_gates_secret').on(t.secretHash), index('activity_gates_list').on(t.activityId, t.id)],
)

export const gateDevices = table(
  'gate_devices',
  {
    id: col.id(),
    gateId: col
      .int('gate_id')
      .notNull()
      .references(() => activityGates.id),
    /** Hash of the id that the device chose. */
    deviceKey: col.text('device_key').notNull(),
    name: col.text('name').notNull(),
    tokenHash: col.text('token_hash').notNull(),
    /** Accepted entries that were not taken back. */
    admitted: col.int('admitted').notNull().default(0),
    refused: col.int('refused').notNull().default(0),
    searches: col.int('searches').notNull().default(0),
    /** Scans that wait on the device for a connection, as it said last. */
    waiting: col.int('waiting').notNull().default(0),
    lastSeenAt: col.time('last_seen_at').notNull(),
    /** When the link that it had opened was replaced. */
    endedAt: col.time('ended_at'),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [
    uniqueIndex('gate_devices_token').on(t.tokenHash),
    uniqueIndex('gate_devices_device')
      .on(t.gateId, t.deviceKey)
      .where(sql`${t.endedAt} is null`),
    index('gate_devices_gate').on(t.gateId, t.id),
  ],
)

/** A device with its gate, and what decides whether it may go on. Each request of it reads them. */
export interface GateSession {
  readonly device: typeof gateDevices.$inferSelect
  readonly gate: typeof activityGates.$inferSelect
  readonly activity: Pick<typeof activities.$inferSelect, 'id' | 'status' | 'endTime' | 'endedAt' | 'deletedAt'>
  /** Null for a personal activity. */
  readonly orgStatus: typeof organizations.$inferSelect.status | null
}
