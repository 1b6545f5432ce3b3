import { isNotNull, isNull } from 'drizzle-orm'

import { col, index, table } from '../dialect.ts'
import type { OwnerKey } from '../owner-key.ts'

/** The events of webhooks, in the order of the documents. If the meaning of one changes, it gets a new type: `asset.updated.v2`. */
export const EVENT_TYPES = [
  'qr_code.created',
  'qr_code.updated',
  'qr_code.deleted',
  'qr_code.scanned',
  'blank.bound',
  'found_report.created',
  'asset.created',
  'asset.updated',
  'asset.deleted',
  'asset.scrapped',
  'asset.checked_out',
  'asset.checked_in',
  'asset.overdue',
  'inventory.closed',
  'activity.created',
  'activity.updated',
  'activity.published',
  'activity.ended',
  'activity.cancelled',
  'activity.deleted',
  'registration.confirmed',
  'registration.waiting',
  'registration.cancelled',
  'check_in.created',
  'pass.issued',
  'pass.redeemed',
  'pass.revoked',
  'member.joined',
  'member.left',
  'member.role_changed',
  'join_request.created',
  'invitation.answered',
  'org.created',
  'org.updated',
  'org.dissolved',
  'album_photo.created',
  'user.created',
  'user.disabled',
  'user.enabled',
  'user.deleted',
  'agreement.published',
  'app_update.published',
  'backup.finished',
  'backup.failed',
] as const
export type EventType = (typeof EVENT_TYPES)[number]

/** The things of the events. */
export type EventThing = EventType extends infer T ? (T extends `${infer Thing}.${string}` ? Thing : never) : never

/** Whose events a webhook gets: those of a user's own rows, of an organization, or of the whole server. */
export const WEBHOOK_SCOPES = ['USER', 'ORG', 'PLATFORM'] as const
export type WebhookScope = (typeof WEBHOOK_SCOPES)[number]

/** OWNER: by a person, or a restore. The others by the server: see docs/webhooks.md. */
export const DISABLED_REASONS = ['OWNER', 'GONE', 'FAILING', 'QUEUE_FULL'] as const
export type DisabledReason = (typeof DISABLED_REASONS)[number]

export const DELIVERY_STATUSES = ['PENDING', 'DELIVERED', 'FAILED'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

export interface DeliveryAttempt {
  /** Epoch milliseconds. */
  readonly at: number
  /** Of the answer; null without one. */
  readonly status: number | null
  /** Null after a success. */
  readonly error: string | null
  readonly ms: number
}

export const webhooks = table(
  'webhooks',
  {
    id: col.id(),
    scope: col.text('scope').$type<WebhookScope>().notNull(),
    /** 0: PLATFORM. */
    owner: col.int('owner').$type<OwnerKey>().notNull(),
    /** The user who made it; may have left the organization, or have been deleted. */
    userId: col.int('user_id').notNull(),
    name: col.text('name').notNull(),
    url: col.text('url').notNull(),
    /** Types, `thing.*` or `*`. */
    events: col.json<string[]>('events').notNull(),
    /** Sealed. */
    secret: col.text('secret').notNull(),
    /** The one before, sealed, which also signs until `previousUntil`. */
    previousSecret: col.text('previous_secret'),
    previousUntil: col.time('previous_until'),
    enabled: col.bool('enabled').notNull(),
    disabledReason: col.text('disabled_reason').$type<DisabledReason>(),
    /** When it was enabled last. */
    enabledAt: col.time('enabled_at').notNull(),
    /** The last one that was given to a delivery. */
    sequence: col.int('sequence').notNull().default(0),
    /** Deliveries with a sequence that are PENDING. */
    pending: col.int('pending').notNull().default(0),
    /** Attempts that failed since the last success. */
    failures: col.int('failures').notNull().default(0),
    /** The last attempt succeeded soon: it gets several places instead of one. */
    isFast: col.bool('is_fast').notNull().default(false),
    /** The earliest `dueAt` of its deliveries that nobody has claimed; null if there is none. */
    dueAt: col.time('due_at'),
    lastSuccessAt: col.time('last_success_at'),
    lastFailureAt: col.time('last_failure_at'),
    createdAt: col.time('created_at').notNull(),
    updatedAt: col.time('updated_at').notNull(),
    /** A job deletes its deliveries and then this row. */
    deletedAt: col.time('deleted_at'),
  },
  (t) => [
    index('webhooks_owner').on(t.owner, t.id),
    index('webhooks_due').on(t.isFast, t.dueAt).where(isNotNull(t.dueAt)),
  ],
)

/** Events for webhooks, from the writes that cause them. A worker moves them to the deliveries and numbers them, moments after the commit. */
export const webhookOutbox = table('webhook_outbox', {
  id: col.queueId(),
  webhookId: col.int('webhook_id').notNull(),
  eventId: col.text('event_id').notNull(),
  event: col.text('event').notNull(),
  body: col.text('body').notNull(),
  createdAt: col.time('created_at').notNull(),
})

/** Events for a webhook: those that wait, and the log of those that were sent. */
export const webhookDeliveries = table(
  'webhook_deliveries',
  {
    id: col.id(),
    webhookId: col.int('webhook_id').notNull(),
    /** A UUID, the same for all webhooks that get the event. */
    eventId: col.text('event_id').notNull(),
    event: col.text('event').notNull(),
    /** In the order of commits. Null: inserted by a process of a version before the outbox, and not numbered yet. */
    sequence: col.int('sequence'),
    status: col.text('status').$type<DeliveryStatus>().notNull().default('PENDING'),
    /** JSON without the sequence. */
    body: col.text('body').notNull(),
    attempts: col.json<DeliveryAttempt[]>('attempts').notNull(),
    /** Attempts since it was last asked for: the pause before the next one follows from it. */
    tries: col.int('tries').notNull().default(0),
    /** Of the next attempt; null unless it is PENDING and has a sequence. */
    dueAt: col.time('due_at'),
    /** A process sends it until then; null if none does. */
    claimedUntil: col.time('claimed_until'),
    /** The start of the last answer, if the target is public. */
    answer: col.text('answer'),
    createdAt: col.time('created_at').notNull(),
  },
  (t) => [
    index('webhook_deliveries_webhook').on(t.webhookId, t.id),
    index('webhook_deliveries_new').on(t.id).where(isNull(t.sequence)),
    index('webhook_deliveries_due').on(t.webhookId, t.dueAt, t.id).where(isNotNull(t.dueAt)),
    index('webhook_deliveries_claimed').on(t.claimedUntil).where(isNotNull(t.claimedUntil)),
  ],
)

/** Scans of codes that become an event a minute after the first one. */
export const webhookScans = table(
  'webhook_scans',
  {
    qrCodeId: col.int('qr_code_id').primaryKey(),
    owner: col.int('owner').$type<OwnerKey>().notNull(),
    firstAt: col.time('first_at').notNull(),
    lastAt: col.time('last_at').notNull(),
    count: col.int('count').notNull(),
  },
  (t) => [index('webhook_scans_first').on(t.firstAt)],
)
