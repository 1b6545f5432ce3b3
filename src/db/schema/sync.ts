/** Synchronization of devices that work offline: docs/sync.md. */

import { sql } from 'drizzle-orm'

import { col, descending, index, primaryKey, table, uniqueIndex } from '../dialect.ts'
import type { OwnerKey } from '../owner-key.ts'
import { users } from './accounts.ts'

export const SYNC_ENTITIES = ['qrCode', 'category', 'scanRecord', 'albumPhoto', 'asset', 'assetCategory'] as const
export type SyncEntityName = (typeof SYNC_ENTITIES)[number]
/** Rows whose deletion is remembered. Devices do not keep locations, but assets that they change refer to them. */
export type TombstoneEntity = SyncEntityName | 'location'

const entity = () => col.text('entity').$type<SyncEntityName>().notNull()
/** Id in `sync_devices`. */
const device = () => col.int('device').notNull()

/** Rows that were deleted permanently, or that their owner lost or hid. Written by db/tombstones.ts, deleted after 90 days. */
export const syncTombstones = table(
  'sync_tombstones',
  {
    owner: col.int('owner').$type<OwnerKey>().notNull(),
    /** When the row was deleted. Clients have a stamp up to which they know of all changes. */
    stamp: col.time('stamp').notNull(),
    entity: col.text('entity').$type<TombstoneEntity>().notNull(),
    entityId: col.int('entity_id').notNull(),
    /** Of the deleted row: that of its last state, plus one. 0 if the row still exists, but not for those who could see it. */
    version: col.int('version').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.owner, t.stamp, t.entity, t.entityId] }),
    index('sync_tombstones_row').on(t.entity, t.entityId),
    index('sync_tombstones_stamp').on(t.stamp),
  ],
)

/** Owners of so many tombstones that the oldest were deleted early: clients whose stamp is older must pull everything again. */
export const syncHorizons = table('sync_horizons', {
  owner: col.int('owner').$type<OwnerKey>().primaryKey(),
  stamp: col.time('stamp').notNull(),
})

/** Devices that have pulled or pushed. A device that several users sign in on has a row for each of them. */
export const syncDevices = table(
  'sync_devices',
  {
    id: col.id(),
    userId: col
      .int('user_id')
      .notNull()
      .references(() => users.id),
    /** As in `sessions`. */
    deviceKey: col.text('device_key').notNull(),
    lastPullAt: col.time('last_pull_at'),
    lastPushAt: col.time('last_push_at'),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [uniqueIndex('sync_devices_device').on(t.userId, t.deviceKey)],
)

/**
 * When a device last pulled from 0, for each entity. The stamps of old rows are older than those of the tombstones that are kept. A client that
 * pages through them is not behind, because it has started recently.
 */
export const syncStarts = table(
  'sync_starts',
  {
    device: device(),
    /** The `orgId` of the pull; 0 without one. Each has a stamp of its own in the client. */
    orgId: col.int('org_id').notNull(),
    entity: entity(),
    startedAt: col.time('started_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.device, t.orgId, t.entity] })],
)

/** Kinds of rows of an organization that need a permission. `asset_category:manage` is about categories that are not shared. */
export const SYNC_SCOPES = ['qr_code:read', 'album:read', 'asset:read', 'asset_category:manage'] as const
export type SyncScope = (typeof SYNC_SCOPES)[number]

/**
 * Scopes that a user gained or lost in organizations, as pulls have found them. Rows that become visible are older than the stamp from which a
 * client continues, so they come at the stamp of the row here. See domains/sync/scopes.
 */
export const syncAccess = table(
  'sync_access',
  {
    userId: col
      .int('user_id')
      .notNull()
      .references(() => users.id),
    orgId: col.int('org_id').notNull(),
    scope: col.text('scope').$type<SyncScope>().notNull(),
    /** The position of this change among all changes. 0: the user could read the organization at the first pull. */
    stamp: col.time('stamp').notNull(),
    /** Whether the user may no longer read it. */
    isClosed: col.bool('is_closed').notNull(),
    /** Rows with later stamps than `after`, up to `until`, come at `stamp`. */
    after: col.time('after_stamp').notNull(),
    until: col.time('until_stamp').notNull(),
    /** Whether these are the last old rows: from `stamp` on, rows come at their own stamps. */
    isLast: col.bool('is_last').notNull(),
    /** Whether the values of fields are shown with assets. */
    showsValues: col.bool('shows_values').notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.orgId, t.scope, t.stamp] })],
)

/** The rows that a device has pushed, by the ids that it gave them. */
export const syncMappings = table(
  'sync_mappings',
  {
    id: col.id(),
    device: device(),
    entity: entity(),
    localId: col.text('local_id').notNull(),
    serverId: col.int('server_id').notNull(),
    /** The user rejected the server's version: the next push with `baseVersion` 0 applies whatever the times. */
    isForced: col.bool('is_forced').notNull().default(false),
    /**
     * The row, or its deletion, comes at this stamp, to this device only: the server's version was kept or accepted, or a push got its first
     * result again.
     */
    resendAt: col.time('resend_at'),
  },
  (t) => [
    uniqueIndex('sync_mappings_local').on(t.device, t.entity, t.localId),
    index('sync_mappings_server').on(t.device, t.entity, t.serverId),
    index('sync_mappings_row').on(t.entity, t.serverId),
    index('sync_mappings_resend')
      .on(t.device, t.resendAt)
      .where(sql`${t.resendAt} is not null`),
  ],
)

/** Results of pushed records, for requests that come again. Kept 90 days. */
export const syncReceipts = table(
  'sync_receipts',
  {
    mapping: col.int('mapping').notNull(),
    baseVersion: col.int('base_version').notNull(),
    /** The client's time. */
    clientUpdatedAt: col.time('client_updated_at').notNull(),
    status: col.text('status').$type<'APPLIED' | 'CONFLICT'>().notNull(),
    version: col.int('version').notNull(),
    updatedAt: col.time('updated_at').notNull(),
    conflictId: col.int('conflict_id'),
    /** Fields of references to deleted rows without which the record was applied, separated by commas. */
    dropped: col.text('dropped'),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.mapping, t.baseVersion, t.clientUpdatedAt] }),
    index('sync_receipts_age').on(t.createdAt),
  ],
)

/** Edits of one row by a client and by others: the state that was lost. Kept 90 days. */
export const syncConflicts = table(
  'sync_conflicts',
  {
    id: col.id(),
    /** Who pushed the client's state. */
    userId: col
      .int('user_id')
      .notNull()
      .references(() => users.id),
    device: device(),
    entity: entity(),
    serverId: col.int('server_id').notNull(),
    localId: col.text('local_id').notNull(),
    winner: col.text('winner').$type<'SERVER' | 'CLIENT'>().notNull(),
    /** As pushed; null for a deletion. */
    clientData: col.json<Record<string, unknown> | null>('client_data'),
    /** As pulls show the row; null for a deletion. */
    serverData: col.json<Record<string, unknown> | null>('server_data'),
    baseVersion: col.int('base_version').notNull(),
    serverVersion: col.int('server_version').notNull(),
    clientUpdatedAt: col.time('client_updated_at').notNull(),
    serverUpdatedAt: col.time('server_updated_at').notNull(),
    status: col.text('status').$type<'OPEN' | 'RESOLVED'>().notNull().default('OPEN'),
    acceptServer: col.bool('accept_server'),
    createdAt: col.time('created_at').notNull(),
    resolvedAt: col.time('resolved_at'),
  },
  (t) => [
    index('sync_conflicts_user').on(t.userId, t.status, descending(t.id)),
    index('sync_conflicts_all').on(t.userId, descending(t.id)),
    index('sync_conflicts_age').on(t.createdAt),
  ],
)
