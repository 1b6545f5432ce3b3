/**
 * The events of the product and their payloads. A listener runs inside the write that causes the event, so it commits or rolls back
 * with it; it may refuse the change by throwing an AppError, and starts effects outside the database from `tx.afterCommit`.
 */

import type { AppContext } from '#context'
import type { activities } from '#db/schema/activities.ts'
import type { FileEntity } from '#db/schema/files.ts'
import type { NotificationType } from '#db/schema/notifications.ts'
import type { OrgStatus } from '#db/schema/orgs.ts'
import type { Tx } from '#db/store.ts'
import type { SessionEnd } from '#http/sessions.ts'
import type { Localized } from '#lib/localized.ts'

import type { LabelledThing } from './contributions.ts'

export interface Events {
  /** An account is about to be deleted; its rows are still there. `nickname`: what others see from now on in place of the user's name. `content`: whether what the user made is deleted too (domains/own-data). */
  'user.deleting': { readonly userId: number; readonly nickname: string; readonly content: 'KEEP' | 'DELETE' }
  /** A user has proved an e-mail address: a code arrived there. In lower case. */
  'address.proved': { readonly userId: number; readonly email: string }
  /** All access to an account has ended, for example by a new password: secret links of the user, which open something without a sign-in, end too. */
  'user.secretLinksEnded': { readonly userId: number }
  /** The API keys of a user end (`revoked`), or must be read again because the account was disabled (`paused`). */
  'user.apiKeysEnding': { readonly userId: number; readonly how: 'revoked' | 'paused' }
  /** A user gets a PLATFORM role that they did not have. */
  'platformRole.granted': { readonly userId: number }
  /** Sessions ended for any reason: sign-out, revocation, expiry, a changed password, or a new session on the same device. */
  'session.ended': { readonly sessionIds: readonly number[]; readonly reason: SessionEnd }
  /** A user became a member. */
  'member.joined': { readonly orgId: number; readonly userId: number }
  /** An import made these new users members. At most 500 at once. */
  'members.imported': { readonly orgId: number; readonly userIds: readonly number[] }
  /** A user stopped being a member: left, was removed, or deletes the account. */
  'member.left': { readonly orgId: number; readonly userId: number }
  /** An administrator of the server has given or taken a role of an organization, by its id. `role`: its code. */
  'orgRole.changedByAdministrator': {
    readonly orgId: number
    readonly userId: number
    readonly actorId: number
    readonly change: 'GIVEN' | 'TAKEN'
    readonly role: string
  }
  /** An administrator has disabled or enabled an organization. */
  'org.statusChanged': { readonly orgId: number; readonly status: OrgStatus }
  /** An organization is about to be dissolved; its rows and members are still there. */
  'org.dissolving': { readonly orgId: number }
  /** Some memberships of an organization that was dissolved are deleted. At most 5,000 at once. */
  'org.membersRemoved': { readonly orgId: number; readonly userIds: readonly number[] }
  /**
   * An administrator has deleted files that things may show: their rows are gone. Each listener takes them away from the things of its domain.
   * At most 500 at once.
   */
  'files.deleted': { readonly files: readonly LostFile[] }
  /** QR codes are about to be deleted permanently; their rows are still there. At most 2,000 at once. */
  'qrCodes.purging': { readonly ids: readonly number[] }
  /** A manager has changed an activity, or it was cancelled because the account of its owner ends. */
  'activity.changed': ActivityChanged
  /** An activity is about to be deleted permanently; operations no longer find it. */
  'activity.purging': { readonly id: number }
  /** Users got places in an activity. At most 100 at once. */
  'registrations.confirmed': {
    readonly activity: { readonly id: number; readonly autoIssue: boolean }
    readonly registrationIds: readonly number[]
  }
  /** Registrations of a user ended for which `autoIssue` had issued these passes. */
  'registrations.ended': { readonly autoPassIds: readonly number[] }
  /** A thing for which labels may stand is about to be deleted. */
  'labelled.deleting': { readonly kind: LabelledThing; readonly ids: readonly number[] }
  /** A user's category of QR codes is about to be deleted. */
  'category.deleting': { readonly userId: number; readonly id: number }
  /** A metadata template is about to be deleted. */
  'metaTemplate.deleting': { readonly templateId: number }
  /** A user has deleted a contact; the other side keeps its own row. */
  'contact.deleted': { readonly userId: number; readonly otherId: number }
  /**
   * A user has sent messages to a conversation. Not emitted for messages of the system. `userIds`: news for these members only, because an edit mentions
   * them.
   */
  'messages.sent': { readonly ids: readonly number[]; readonly userIds?: readonly number[] }
  /** Users got a notification. */
  'notification.created': NotificationCreated
}

/** The columns of which participants are notified, and the switch for it. */
export type NoticedActivity = Pick<
  typeof activities.$inferSelect,
  | 'id'
  | 'status'
  | 'startTime'
  | 'endTime'
  | 'province'
  | 'city'
  | 'district'
  | 'location'
  | 'latitude'
  | 'longitude'
  | 'autoNotices'
>

export interface ActivityChanged {
  readonly before: NoticedActivity
  readonly after: NoticedActivity
  /** By default the `autoNotices` of the activity. */
  readonly notify?: boolean | null | undefined
  /** Plain text of the manager for participants. */
  readonly noticeText?: string | null | undefined
}

export interface LostFile {
  readonly id: number
  /** Null if it belonged to nothing. */
  readonly entityType: FileEntity | null
  readonly entityId: number | null
  /** Of its public address, if it had one. */
  readonly publicKey: string | null
}

/** The files of this kind of thing, and the ids of the things; undefined if there are none. */
export function lostBy(files: readonly LostFile[], entityType: FileEntity): LostFiles | undefined {
  const lost = files.filter((file) => file.entityType === entityType)
  if (lost.length === 0) return undefined
  return {
    fileIds: lost.map((file) => file.id),
    entityIds: [...new Set(lost.map((file) => file.entityId!))],
    publicKeys: lost.flatMap((file) => file.publicKey ?? []),
  }
}

export interface LostFiles {
  readonly fileIds: readonly number[]
  readonly entityIds: readonly number[]
  readonly publicKeys: readonly string[]
}

export interface NotificationCreated {
  readonly recipients: readonly { readonly id: number; readonly userId: number }[]
  readonly type: NotificationType
  readonly title: Localized
  /** Plain text. */
  readonly body: Localized
  readonly data: Readonly<Record<string, unknown>>
  /** Epoch milliseconds. */
  readonly createdAt: number
}

export type EventName = keyof Events

export type Listener<E extends EventName> = (ctx: AppContext, tx: Tx, event: Events[E]) => void | Promise<void>
