import { sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { col, index, primaryKey, table, uniqueIndex } from '../dialect.ts'
import type { OwnerKey } from '../owner-key.ts'
import { users } from './accounts.ts'
import { activities } from './activities.ts'

const isNotNull = (column: SQLiteColumn) => sql`${column} is not null`

/** A line of a pass below the name of its holder, such as a seat. */
export interface TemplateField {
  readonly key: string
  readonly label: string
}

export const passTemplates = table(
  'pass_templates',
  {
    id: col.id(),
    /** See db/owner-key.ts. */
    owner: col.int('owner').$type<OwnerKey>().notNull(),
    /** Who created it. */
    userId: col
      .int('user_id')
      .notNull()
      .references(() => users.id),
    name: col.text('name').notNull(),
    description: col.text('description').notNull().default(''),
    /** `#rrggbb`, or empty. */
    color: col.text('color').notNull().default(''),
    fields: col.json<readonly TemplateField[]>('fields').notNull(),
    validFrom: col.time('valid_from'),
    validTo: col.time('valid_to'),
    /** Days from the issue, or from `validFrom`, to the end of the validity. */
    validDays: col.int('valid_days'),
    /** 0 = unlimited. */
    maxUses: col.int('max_uses'),
    createdAt: col.time('created_at').notNull(),
    updatedAt: col.time('updated_at').notNull(),
  },
  (t) => [index('pass_templates_list').on(t.owner, t.createdAt, t.id)],
)

/**
 * Key pairs that sign passes. The newest one that is not retired signs; passes that an older one signed stay valid. Ids are part of the
 * signed passes and must fit into a byte.
 */
export const passKeys = table('pass_keys', {
  id: col.int('id').primaryKey(),
  /** 32 bytes of the Ed25519 public key, base64url. */
  publicKey: col.text('public_key').notNull(),
  /** The seed of the private key, encrypted with the key of this server (platform/seal.ts). */
  sealedSeed: col.text('sealed_seed').notNull(),
  createdAt: col.time('created_at').notNull(),
  retiredAt: col.time('retired_at'),
})

/** A request that issued passes. Its passes are answered again when the request is repeated. */
export const passIssues = table(
  'pass_issues',
  {
    id: col.id(),
    activityId: col
      .int('activity_id')
      .notNull()
      .references(() => activities.id),
    userId: col.int('user_id').notNull(),
    requestId: col.text('request_id'),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [
    uniqueIndex('pass_issues_request').on(t.activityId, t.userId, t.requestId).where(isNotNull(t.requestId)),
    index('pass_issues_activity').on(t.activityId),
  ],
)

/** One label and text of a pass. Stays as issued when the template changes. */
export interface PassField {
  readonly key: string
  readonly label: string
  readonly value: string
}

export const passes = table(
  'passes',
  {
    id: col.id(),
    uuid: col.text('uuid').notNull(),
    activityId: col
      .int('activity_id')
      .notNull()
      .references(() => activities.id),
    issueId: col
      .int('issue_id')
      .notNull()
      .references(() => passIssues.id),
    /** As at the issue; the template may be deleted since. */
    templateId: col.int('template_id'),
    /** The colour of the template at the issue: `#rrggbb`, or empty. */
    color: col.text('color').notNull().default(''),
    /** Null for somebody without an account. */
    holderUserId: col.int('holder_user_id').references(() => users.id),
    /** Of a guest who has registered. */
    registrationId: col.int('registration_id'),
    /**
     * The holder as long as the pass is live, so that nobody has two live passes for an activity; otherwise null. `personOf` of the registration for
     * a guest, and null for a pass that belongs to nobody. A pass that follows the activity keeps it until it is revoked, because the end can be moved to a later time.
     */
    liveHolderId: col.int('live_holder_id'),
    holderName: col.text('holder_name').notNull(),
    fields: col.json<readonly PassField[]>('fields').notNull(),
    /** The key that signs it. */
    keyId: col.int('key_id').notNull(),
    validFrom: col.time('valid_from'),
    /** Not read if it follows the activity. */
    validTo: col.time('valid_to'),
    /** Whether it is valid until the end of the activity, wherever that is moved. Such a pass expires without a change of this row. */
    followsActivity: col.bool('follows_activity').notNull().default(false),
    /** 0 = unlimited. */
    maxUses: col.int('max_uses').notNull(),
    usedCount: col.int('used_count').notNull().default(0),
    /** Whether the last accepted use was an entry. */
    isInside: col.bool('is_inside').notNull().default(false),
    lastUsedAt: col.time('last_used_at'),
    revokedAt: col.time('revoked_at'),
    revokeReason: col.text('revoke_reason').notNull().default(''),
    /** Set by the job when the validity has ended, unless it follows the activity. */
    expiredAt: col.time('expired_at'),
    /**
     * When an administrator deleted it. The row stays until the activity is deleted, without the data of the holder and REVOKED, because it must be
     * in the lists of gates that work offline.
     */
    deletedAt: col.time('deleted_at'),
    createdAt: col.time('created_at').notNull(),
    updatedAt: col.time('updated_at').notNull(),
  },
  (t) => [
    uniqueIndex('passes_uuid').on(t.uuid),
    uniqueIndex('passes_live_holder').on(t.activityId, t.liveHolderId).where(isNotNull(t.liveHolderId)),
    index('passes_list').on(t.activityId, t.deletedAt, t.id),
    // For the console.
    index('passes_created')
      .on(t.createdAt, t.id)
      .where(sql`${t.deletedAt} is null`),
    index('passes_issue').on(t.issueId, t.id),
    index('passes_holder').on(t.holderUserId, t.activityId, t.id).where(isNotNull(t.holderUserId)),
    // For offline gates of check-in lists that admit the passes of some templates only.
    index('passes_templates').on(t.activityId, t.createdAt, t.id).where(isNotNull(t.templateId)),
    index('passes_registration').on(t.registrationId, t.id).where(isNotNull(t.registrationId)),
    // Whether an activity has live passes, however many it had.
    index('passes_live')
      .on(t.activityId)
      .where(sql`${t.revokedAt} is null and ${t.expiredAt} is null`),
    // For offline gates.
    index('passes_revoked').on(t.activityId, t.revokedAt, t.id).where(isNotNull(t.revokedAt)),
    // For the job that ends them.
    index('passes_ending')
      .on(t.validTo, t.id)
      .where(sql`${t.validTo} is not null and ${t.expiredAt} is null`),
  ],
)

/** Activities with `autoIssue` whose registered users may still have to get passes, and from when. A job issues them. */
export const dueIssues = table(
  'due_issues',
  {
    activityId: col.int('activity_id').primaryKey(),
    dueAt: col.time('due_at').notNull(),
  },
  (t) => [index('due_issues_due').on(t.dueAt)],
)

/**
 * Passes whose validity was changed after the issue, so that a code which was printed before may say something else. For gates without a
 * connection.
 */
export const passChanges = table(
  'pass_changes',
  {
    /** No foreign keys: the version before deletes passes without these rows. */
    passId: col.int('pass_id').primaryKey(),
    activityId: col.int('activity_id').notNull(),
    changedAt: col.time('changed_at').notNull(),
  },
  (t) => [index('pass_changes_activity').on(t.activityId, t.changedAt, t.passId)],
)

/** Deleted passes with uses that were too many for the write that deleted the pass. A job deletes them in steps, then this row. */
export const purgedPasses = table('purged_passes', {
  passId: col.int('pass_id').primaryKey(),
})

export const PASS_USE_RESULTS = ['ACCEPTED', 'REFUSED'] as const
export type PassUseResult = (typeof PASS_USE_RESULTS)[number]

/** Why a pass is refused. */
export const REFUSAL_REASONS = [
  'MALFORMED',
  'FORGED',
  'UNKNOWN',
  'WRONG_ACTIVITY',
  'NOT_YET_VALID',
  'EXPIRED',
  'REVOKED',
  'USED',
  'ACTIVITY_NOT_ACTIVE',
  'NOT_ON_LIST',
  'LIST_CLOSED',
  'NOT_ENTERED',
  'GATE_NOT_ALLOWED',
] as const
export type RefusalReason = (typeof REFUSAL_REASONS)[number]

export const DIRECTIONS = ['ENTRY', 'EXIT'] as const
export type Direction = (typeof DIRECTIONS)[number]

/** Every redemption, and every pass that was refused. */
export const passUses = table(
  'pass_uses',
  {
    id: col.id(),
    activityId: col
      .int('activity_id')
      .notNull()
      .references(() => activities.id),
    /** Null if the pass is not known. */
    passId: col.int('pass_id').references(() => passes.id),
    /** Of the token if the pass is not known, as far as it can be read. */
    passUuid: col.text('pass_uuid'),
    result: col.text('result').$type<PassUseResult>().notNull(),
    reason: col.text('reason').$type<RefusalReason>(),
    direction: col.text('direction').$type<Direction>().notNull(),
    nonce: col.text('nonce'),
    /** Whether it was redeemed without a connection and uploaded later. */
    offline: col.bool('offline').notNull().default(false),
    /** Whether a gate without a connection let someone in with a pass that had no use left. */
    isDoubleUse: col.bool('is_double_use').notNull().default(false),
    /** Whether it took a use of the pass: an entry that is not free. Null in rows of versions that did not store it. */
    takesUse: col.bool('takes_use'),
    /** The check-in list, which may be deleted since. Null for the entrance of the activity. */
    listId: col.int('list_id'),
    /**
     * Null for a check by anyone who does not manage the activity, and 0 for a gate without an account: a job deletes those with null, also a job of
     * the version before.
     */
    verifierUserId: col.int('verifier_user_id'),
    /** The gate without an account, and its device. No foreign keys, as for users. */
    gateId: col.int('gate_id'),
    gateDeviceId: col.int('gate_device_id'),
    /** When the pass was shown: of an offline gate, by its clock. */
    usedAt: col.time('used_at').notNull(),
    /** When an accepted use was taken back. It counts no longer, and its nonce stays spent. */
    undoneAt: col.time('undone_at'),
    undoneByUserId: col.int('undone_by_user_id'),
    undoneByGateId: col.int('undone_by_gate_id'),
    undoReason: col.text('undo_reason').notNull().default(''),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [
    uniqueIndex('pass_uses_nonce').on(t.activityId, t.nonce).where(isNotNull(t.nonce)),
    index('pass_uses_activity').on(t.activityId, t.usedAt, t.createdAt, t.id),
    index('pass_uses_pass').on(t.passId, t.usedAt, t.createdAt, t.id).where(isNotNull(t.passId)),
    // The records of a check-in list, and those of a pass on it.
    index('pass_uses_list').on(t.listId, t.usedAt, t.createdAt, t.id).where(isNotNull(t.listId)),
    index('pass_uses_pass_list').on(t.passId, t.listId, t.usedAt, t.createdAt, t.id).where(isNotNull(t.listId)),
    // For the job that deletes refused checks of people who do not manage the activity.
    index('pass_uses_anonymous')
      .on(t.activityId, t.id)
      .where(sql`${t.verifierUserId} is null`),
  ],
)

export const LIST_KINDS = ['ENTRANCE', 'SESSION', 'MEAL', 'OTHER'] as const
export type ListKind = (typeof LIST_KINDS)[number]

/**
 * Check-in lists of activities, each with a count of its own for every pass. The entrance of the activity has no row here: its counts are in
 * `passes`. No foreign keys: the version before deletes activities without these rows.
 */
export const checkInLists = table(
  'check_in_lists',
  {
    id: col.id(),
    activityId: col.int('activity_id').notNull(),
    name: col.text('name').notNull(),
    kind: col.text('kind').$type<ListKind>().notNull(),
    place: col.text('place').notNull().default(''),
    opensAt: col.time('opens_at'),
    closesAt: col.time('closes_at'),
    /** Entries of each pass; 0 = unlimited. */
    maxUses: col.int('max_uses').notNull().default(1),
    /** Only passes of these templates are admitted; empty for all passes. */
    templateIds: col.json<readonly number[]>('template_ids').notNull(),
    /** Whether a pass needs an entry of the activity before. */
    requiresEntry: col.bool('requires_entry').notNull().default(false),
    sortOrder: col.int('sort_order').notNull(),
    /** The sum of `used_count` of its passes. */
    admitted: col.int('admitted').notNull().default(0),
    /** Its passes whose last accepted use was an entry. */
    inside: col.int('inside').notNull().default(0),
    /** The row stays until the activity is deleted: uses show its name, and gates that work offline may upload more of them. */
    deletedAt: col.time('deleted_at'),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [index('check_in_lists_activity').on(t.activityId, t.deletedAt, t.sortOrder, t.id)],
)

/** The uses of a pass on a check-in list, like the columns of the same names of `passes`. Without a row there are none. */
export const passListUses = table(
  'pass_list_uses',
  {
    activityId: col.int('activity_id').notNull(),
    passId: col.int('pass_id').notNull(),
    listId: col.int('list_id').notNull(),
    usedCount: col.int('used_count').notNull(),
    isInside: col.bool('is_inside').notNull(),
    lastUsedAt: col.time('last_used_at'),
  },
  (t) => [primaryKey({ columns: [t.activityId, t.passId, t.listId] })],
)

/**
 * Entries that count, at all doors of an activity, by the minute in which the pass was shown. Triggers of migration 0074 keep them, so that the
 * entries of the last hour cost the same whatever their number.
 */
export const passMinutes = table(
  'pass_minutes',
  {
    activityId: col.int('activity_id').notNull(),
    /** Start of the minute, epoch milliseconds. */
    minute: col.time('minute').notNull(),
    entries: col.int('entries').notNull(),
  },
  (t) => [primaryKey({ columns: [t.activityId, t.minute] })],
)
