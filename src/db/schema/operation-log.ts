import { col, index, table, uniqueIndex } from '../dialect.ts'

/** Targets of changes, each with its verbs: together they name the actions of the operation log (`ROLE_CREATE`). */
export const LOGGED_VERBS = {
  USER: ['CREATE', 'UPDATE', 'ROLE', 'STATUS', 'IMPORT', 'RESET_CODE', 'EXPORT', 'DELETE'],
  ORG: ['CREATE', 'UPDATE', 'DELETE', 'TRANSFER'],
  ORG_MEMBER: ['ADD', 'ROLE', 'REMOVE'],
  ORG_ROLE: ['CREATE', 'UPDATE', 'DELETE'],
  QR_CODE: ['DELETE', 'BLOCK', 'UNBLOCK'],
  ASSET: ['SCRAP', 'DELETE'],
  ACTIVITY: ['CREATE', 'UPDATE', 'DELETE'],
  ACTIVITY_MESSAGE: ['DELETE'],
  INVITATION: ['REVOKE'],
  GATE: ['REVOKE'],
  CHECK_IN: ['DELETE'],
  PASS: ['REVOKE', 'DELETE'],
  ALBUM_PHOTO: ['DELETE'],
  CATEGORY: ['DELETE'],
  ASSET_CATEGORY: ['DELETE'],
  NOTIFICATION: ['SEND', 'DELETE'],
  SHARE: ['DELETE'],
  SETTING: ['UPDATE'],
  CHAT_SETTING: ['UPDATE'],
  MESSAGE_REPORT: ['REMOVE', 'DISMISS'],
  FILE: ['DELETE', 'BATCH_DELETE', 'CLEANUP'],
  SESSION: ['REVOKE'],
  API_KEY: ['REVOKE'],
  LINK: ['CREATE', 'DELETE'],
  NICKNAME_WORD: ['CREATE', 'UPDATE', 'DELETE'],
  AGREEMENT: ['PUBLISH', 'ACTIVATE'],
  APP_UPDATE: ['PUBLISH'],
  APP_PACKAGE: ['UPLOAD'],
  META_OBJECT: ['CREATE', 'STATUS'],
  META_FIELD: ['CREATE', 'UPDATE', 'DELETE'],
  META_TEMPLATE: ['CREATE', 'UPDATE', 'FIELDS', 'DELETE'],
  PERMISSION: ['CREATE', 'UPDATE'],
  ROLE: ['CREATE', 'UPDATE', 'DELETE'],
  USER_ROLE: ['GRANT', 'REVOKE'],
  OIDC_PROVIDER: ['CREATE', 'UPDATE', 'DELETE'],
  SERVER: ['UPDATE', 'RESTART'],
  WEBHOOK: ['CREATE', 'UPDATE', 'DELETE'],
  BACKUP: ['CREATE', 'VERIFY', 'DOWNLOAD', 'DELETE', 'UPLOAD', 'RESTORE', 'UNDO', 'DISCARD'],
} as const

export type LoggedTarget = keyof typeof LOGGED_VERBS
/** An action of the operation log: `<TARGET>_<VERB>`. */
export type LoggedAction = { [T in LoggedTarget]: `${T}_${(typeof LOGGED_VERBS)[T][number]}` }[LoggedTarget]

/** Fields of a target, as the operation log shows them. */
export type LoggedFields = Readonly<Record<string, unknown>>

/**
 * The operation log. Rows are only added, with the id after that of the newest row. They form a chain, because each hash covers the one
 * before it. Triggers refuse UPDATE, and DELETE of rows that no checkpoint covers. See docs/adr/0016-operation-log.md.
 */
export const adminLogs = table(
  'admin_logs',
  {
    id: col.id(),
    actorId: col.int('actor_id').notNull(),
    /** The username or nickname at that time. The account may have been renamed or deleted since. */
    actorName: col.text('actor_name').notNull(),
    /** The API key by which the actor asked, with its name at that time; null for a request with a token. */
    apiKeyId: col.int('api_key_id'),
    apiKeyName: col.text('api_key_name'),
    action: col.text('action').$type<LoggedAction>().notNull(),
    targetType: col.text('target_type').$type<LoggedTarget>().notNull(),
    /** Null for an action on several targets. */
    targetId: col.int('target_id'),
    targetName: col.text('target_name'),
    /** The changed fields only; null for a new target. */
    before: col.json<LoggedFields>('before'),
    /** The changed fields only; null for a deleted target. */
    after: col.json<LoggedFields>('after'),
    ipAddress: col.text('ip_address').notNull(),
    requestId: col.text('request_id').notNull(),
    createdAt: col.time('created_at').notNull(),
    /** SHA-256 of `previousHash` and the fields above. */
    hash: col.text('hash').notNull(),
    /** The hash of the row before; empty for the first row. */
    previousHash: col.text('previous_hash').notNull(),
    /** HMAC of `id` and `hash` with a key that is not in the database. In rows of earlier versions, of `hash` alone. */
    signature: col.text('signature').notNull(),
  },
  (t) => [
    index('admin_logs_created').on(t.createdAt),
    index('admin_logs_actor').on(t.actorId, t.id),
    index('admin_logs_target').on(t.targetType, t.targetId, t.id),
    index('admin_logs_target_type').on(t.targetType, t.id),
    index('admin_logs_action').on(t.action, t.id),
  ],
)

/** The newest row of the operation log, in a table of one row. Each logged write moves it, so rows that are cut off are missed. */
export const adminLogHead = table('admin_log_head', {
  /** Always 1. */
  id: col.int('id').primaryKey(),
  /** 0 if there are no rows. */
  rowId: col.int('row_id').notNull(),
  /** The hash of that row; empty if there are no rows. */
  hash: col.text('hash').notNull(),
  /** All rows that were ever written. Less than `rowId` if ids of an earlier version have gaps. */
  rowCount: col.int('row_count').notNull(),
  /** The newest row that was added although the head before it was not signed with this server's key, or was not the newest row. */
  brokenAt: col.int('broken_at'),
  /** HMAC of the fields above. Empty after the migration, until the server starts. */
  signature: col.text('signature').notNull(),
})

/** Rows that the retention of the operation log has deleted. Rows are only added here. The newest one is the start of the chain. */
export const adminLogCheckpoints = table(
  'admin_log_checkpoints',
  {
    /** Without gaps. */
    id: col.int('id').primaryKey(),
    /** The last deleted row of the log, and its hash. */
    rowId: col.int('row_id').notNull(),
    hash: col.text('hash').notNull(),
    /** All rows that were ever deleted. */
    rowCount: col.int('row_count').notNull(),
    createdAt: col.time('created_at').notNull(),
    /** HMAC of the fields above. */
    signature: col.text('signature').notNull(),
  },
  (t) => [uniqueIndex('admin_log_checkpoints_row').on(t.rowId)],
)
