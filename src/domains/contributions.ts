/**
 * Contributions of a domain to extension points of other domains. The domain that owns an extension point reads it with
 * `contributions(ctx, name)`; a new contribution needs no change there.
 */

import type { AppContext } from '#context'
import type { DataArea } from '#db/data-areas.ts'
import type { OwnerKey } from '#db/owner-key.ts'
import type { AgreementType } from '#db/schema/agreements.ts'
import type { FileEntity } from '#db/schema/files.ts'
import type { FoundKind } from '#db/schema/found.ts'
import type { EntityColumn } from '#db/schema/meta.ts'
import type { ShareEntity } from '#db/schema/shares.ts'
import type { SyncEntityName, SyncScope, TombstoneEntity } from '#db/schema/sync.ts'
import type { EventThing } from '#db/schema/webhooks.ts'
import type { Db, SQL, SQLiteColumn, SQLiteTable, Tx } from '#db/store.ts'
import type { Actor, Caller, Owner } from '#http/endpoint.ts'
import type { TObject } from '#http/schema.ts'
import type { SocketFrame, SocketHello } from '#http/socket.ts'
import type { Locale, Localized } from '#lib/localized.ts'
import type { MaybePromise } from '#lib/maybe-promise.ts'
import type { AppPoint, DualPoint, OrgPoint } from '#permission-points'
import type { Mail } from '#platform/mail/index.ts'

export type CheckSetting = (ctx: AppContext, value: unknown) => Promise<Localized | undefined>

export interface Contributions {
  /** Finds what a scanned content refers to, for each kind of content. Read by qr-codes. */
  readonly scanTargets?: Readonly<Partial<Record<ScanTargetKind, ResolveScanTarget>>>
  /** Things whose finders can write to the owner. Read by found. */
  readonly foundThings?: Readonly<Partial<Record<FoundKind, FoundThings>>>
  /** Public pages `/s/{type}/{id}`, by type. Read by qr-codes. */
  readonly landingPages?: Readonly<Partial<Record<LandingPageType, LandingPage>>>
  /** Paths of the pages that scans of labels open, by what a label stands for. Read by qr-codes. */
  readonly labelPages?: Readonly<Partial<Record<LabelledThing, FindLabelPage>>>
  /** The thing that a short link of this server stands for. Read by assets. */
  readonly shortLinkTarget?: FindShortLinkTarget
  /** Things of a user of which an organization can get a copy. Read by shares. */
  readonly shareable?: Readonly<Partial<Record<ShareEntity, Shareable>>>
  /** Who may see the files of a thing. Read by files. */
  readonly fileEntities?: Readonly<Partial<Record<FileEntity, MayReadFile>>>
  /** Usage that counts towards the quotas of a user or an organization. Read by accounts. */
  readonly quotaUsage?: Readonly<Partial<Record<QuotaName, CountUsage>>>
  /** Whether a user made anything in the domain or takes part in anything. Read by accounts, which ends accounts that nobody used. */
  readonly userContent?: HasContent
  /** Those of the users who have a second factor. Read by settings and access. */
  readonly withSecondFactor?: (db: Db | Tx, userIds: readonly number[]) => Promise<ReadonlySet<number>>
  /**
   * Where a browser goes to sign out elsewhere too, once this session has ended; null for nowhere, undefined if the session was not opened from
   * elsewhere. Called before it ends. Read by accounts.
   */
  readonly logoutUrl?: (ctx: AppContext, sessionId: number) => Promise<string | null | undefined>
  /**
   * For a session that something else than its user can end, a function that makes another session end with it. Called inside the write that opens the
   * other one; the function is called when that is open. Read by accounts.
   */
  readonly sessionOrigin?: (tx: Tx, sessionId: number) => Promise<((other: number) => Promise<void>) | undefined>
  /** Checks the new value of a setting on this server. Returns the end of a sentence that begins with the key. Read by settings. */
  readonly settingChecks?: Readonly<Record<string, CheckSetting>>
  /** Agreements that a user has to accept. Read by accounts, which shows them to the user. */
  readonly pendingAgreements?: FindPendingAgreements
  /** Things that an organization owns. Read by orgs. */
  readonly orgResources?: readonly OrgResource[]
  /** Deletes rows that remain of a deleted user or organization. Read by removals. */
  readonly remains?: RemoveRemains
  /** Parts of a data export of a user. Read by own-data. */
  readonly dataAreas?: readonly DataArea[]
  /** Deletes the content of a user after the account was deleted. Read by own-data. */
  readonly erase?: EraseContent
  /** Things that are kept at an organization's locations. Read by orgs. */
  readonly locationUses?: readonly LocationUse[]
  /** Things that can have metadata, by the name of their object. Read by metadata. */
  readonly metaObjects?: Readonly<Partial<Record<MetaObjectName, MetaObject>>>
  /** Things that values of type REF can refer to. Read by metadata. */
  readonly refTargets?: Readonly<Partial<Record<RefTarget, RefSource>>>
  /** Whether a user may know of another one. Read by contacts. */
  readonly acquaintance?: KnowsUser
  /** Finds the direct conversation of two users that the first one sees. Read by contacts. */
  readonly directConversation?: FindDirectConversation
  /** Frames that clients send over a socket. Read by the sockets (http/socket.ts). */
  readonly socketFrames?: readonly SocketFrame[]
  /** Part of the first frame of a socket, `hello`. Read by the sockets. */
  readonly socketHello?: (ctx: AppContext, actor: Actor) => Promise<SocketHello>
  /** Rows that devices keep and change without a network. Read by sync. */
  readonly syncEntities?: Readonly<Partial<Record<SyncEntityName, SyncEntity>>>
  /** Mails that are composed when they are sent, by their kind. Read by delivery. */
  readonly composedMails?: Readonly<Partial<Record<ComposedKind, ComposeMail>>>
  /** Records what became of composed mails, by their kind. Read by delivery. */
  readonly settledMails?: Readonly<Partial<Record<ComposedKind, SettleMail>>>
  /** Finds the open invitation that a mail with this token brought. Read by accounts, for registration. */
  readonly mailInvitations?: FindMailInvitation
  /** How users are mailed. Read by notifications, which accounts calls itself. */
  readonly mailContacts?: FindMailContacts
  /** Rows as webhooks tell of them, by what their events are about. Read by webhooks. */
  readonly eventRows?: Readonly<Partial<Record<EventThing, EventRows>>>
  /** Groups of users that an administrator can notify. Read by notifications. */
  readonly audiences?: { readonly organization: Audience }
}

/** A row as the operation that reads it answers a member with the reading points: without secrets, and without ways to reach other people. */
export type EventRow = Readonly<Record<string, unknown>> & { readonly id: number }

export interface EventRows {
  readonly schema: TObject
  /** At most 500 rows of one owner, also of a trash, in the write that has changed them. */
  rows(ctx: AppContext, tx: Tx, owner: OwnerKey, ids: readonly number[]): Promise<readonly EventRow[]>
  /** The same from the `row`s of notes, so that they need not be read. */
  show?(ctx: AppContext, tx: Tx, owner: OwnerKey, rows: readonly object[]): MaybePromise<readonly EventRow[]>
  /** The field by which people know a row; null if there is none. */
  readonly name: string | null
}

/** See `sendComposed` of delivery. */
export type ComposedKind =
  | 'ACTIVITY'
  | 'ACTIVITY_MESSAGE'
  | 'ACTIVITY_TEST'
  | 'ACTIVITY_GUEST'
  | 'ACTIVITY_ENTRY'
  | 'INVITATION'
  | 'ORG_INVITATION'
  | 'START_CODE'
  | 'ASSET_DIGEST'
  | 'ASSET_NOTICE'
/** Undefined if the mail is no longer wanted. */
export type ComposeMail = (
  ctx: AppContext,
  to: string,
  data: Readonly<Record<string, unknown>>,
) => Promise<Omit<Mail, 'id' | 'to'> | undefined>
/** DROPPED: it should no longer be sent. FAILED: it was refused permanently, or not accepted in time. */
export type MailResult = 'SENT' | 'DROPPED' | 'FAILED'
/** Runs in the write that takes the mail out of the outbox. */
export type SettleMail = (
  ctx: AppContext,
  tx: Tx,
  data: Readonly<Record<string, unknown>>,
  result: MailResult,
) => Promise<void>

/** Undefined if the token is not one of an open invitation. */
export type FindMailInvitation = (
  ctx: AppContext,
  token: string,
) => Promise<
  | {
      /** The address to which the mail was sent: anyone who has the token can read its mails. */
      readonly email: string
      /** In the write that makes the account. @throws AppError if the invitation has ended meanwhile, or nobody can join */
      accept(tx: Tx, userId: number): Promise<void>
    }
  | undefined
>

export interface MailContact {
  /** An e-mail address that the user has proved; null without one. */
  readonly address: string | null
  /** Of the latest request; null if it is not known. */
  readonly locale: Locale | null
}
/** Of some hundred users, all of whom are in the result. */
export type FindMailContacts = (db: Db | Tx, userIds: readonly number[]) => Promise<ReadonlyMap<number, MailContact>>

/** Kinds of contents that only another domain can resolve (spec §2.4). */
export type ScanTargetKind = 'ORG_JOIN' | 'ACTIVITY' | 'USER' | 'ASSET' | 'SUPPLY' | 'CHECK_IN' | 'PASS'

/** The thing that the content refers to, or undefined if there is none or the user may not know of it. */
export type ResolveScanTarget = (
  ctx: AppContext,
  userId: number,
  content: string,
  caller: Pick<Caller, 'ip'>,
) => Promise<{ readonly id: number; readonly title: string } | undefined>

export interface FoundThings {
  /** In the organization that owns a thing, to see the reports of finders. */
  readonly read: DualPoint
  /** To answer them. */
  readonly update: DualPoint
  /** A thing of any owner. Undefined if it does not exist or is deleted. */
  find(db: Db | Tx, id: number): Promise<FoundThing | undefined>
  /** The owner has it back. `id` may be deleted. */
  returned?(tx: Tx, id: number): Promise<void>
}

export interface FoundThing {
  readonly owner: OwnerKey
  readonly title: string
  /** Whether its public page exists, as far as the thing decides that itself. */
  readonly isPublic: boolean
  readonly isLost: boolean
  /** Names of the columns and fields on the public page. */
  readonly publicFields: readonly string[]
}

export type LandingPageType = 'activity' | 'check-in' | 'kiosk' | 'pass' | 'asset' | 'supply' | 'location'

/**
 * Answers with a page, or JSON if the request asks for it; undefined is answered with 404. `id` comes from the path, unchecked. `userId` is 0
 * unless the request has a token; browsers send none when they open a page.
 */
export type LandingPage = (
  ctx: AppContext,
  request: { readonly id: string; readonly userId: number; readonly caller: Caller; readonly request: Request },
) => Promise<Response | undefined>

/** Things besides QR codes that labels stand for. Their titles are those of `refTargets`. */
export type LabelledThing = 'ASSET' | 'LOCATION' | 'ACTIVITY'
/** The path on this server, for people who scan; undefined if there is no such thing. */
export type FindLabelPage = (db: Db, id: number) => Promise<string | undefined>

/** Undefined if the text is no short link of this server, or one that stands for nothing yet. */
export type FindShortLinkTarget = (
  ctx: AppContext,
  db: Db | Tx,
  text: string,
) => Promise<{ readonly kind: 'QR_CODE' | LabelledThing; readonly id: number } | undefined>

/** Whether something of the domain makes `otherId` known to `userId`: a common organization, a contact, a conversation. */
export type KnowsUser = (db: Db | Tx, userId: number, otherId: number) => Promise<boolean>

/** The id of the conversation of `userId` with `otherId`; undefined if there is none. */
export type FindDirectConversation = (db: Db | Tx, userId: number, otherId: number) => Promise<number | undefined>

export interface Shareable {
  /** Reads the settings that a copy needs; the result runs in the write. Throws 404 if the user has no such thing. */
  prepareCopy(ctx: AppContext): Promise<CopyIntoOrganization>
  deleteCopy(ctx: AppContext, tx: Tx, orgId: number, copyId: number): Promise<void>
}
/** Returns the id of the copy. */
export type CopyIntoOrganization = (tx: Tx, userId: number, sourceId: number, orgId: number) => Promise<number>

/** Whether the user may see the thing with this id, and so its file. */
export type MayReadFile = (
  ctx: AppContext,
  userId: number,
  entityId: number,
  file: { readonly uploaderId: number },
) => Promise<boolean>

export type QuotaName = 'storage' | 'files' | 'qrCodes' | 'assets' | 'activities' | 'organizations'
/** Bytes of storage, a number of QR codes, assets or activities of the owner, or the number of organizations that the user owns. */
export type CountUsage = (ctx: AppContext, owner: Owner) => number | Promise<number>

export type HasContent = (db: Db | Tx, userId: number) => Promise<boolean>

export interface PendingAgreement {
  readonly type: AgreementType
  readonly version: number
  readonly title: string
}
export type FindPendingAgreements = (ctx: AppContext, userId: number) => MaybePromise<readonly PendingAgreement[]>

export interface OrgResource {
  /** For paths of errors: `qrCodes`. */
  readonly key: string
  /** In English, for messages: `QR codes`. */
  readonly name: string
  /**
   * An organization is only dissolved when every resource counts 0. Rows that do not count, such as the trash, are deleted by a listener
   * of `org.dissolving`.
   */
  count(db: Db | Tx, orgId: number): Promise<number>
}

/**
 * Deletes at most `limit` rows (or changes, if the row of another owner refers to it) that remain of a user or organization that was deleted, which no operation
 * finds. Returns their number: less than `limit` if nothing remains.
 */
export type RemoveRemains = (ctx: AppContext, tx: Tx, owner: OwnerKey, limit: number) => Promise<number>

/**
 * Deletes about `limit` rows of the content of a user who is deleted, with their files. Returns their number: 0 if nothing remains, LATER if what remains
 * must wait for other work. Rows of organizations and messages to others stay.
 */
export type EraseContent = (ctx: AppContext, tx: Tx, userId: number, limit: number) => Promise<number | 'LATER'>

export interface LocationUse {
  /** In English, for messages: `assets`. */
  readonly name: string
  /** A location is only deleted when every use counts 0. */
  count(db: Db | Tx, orgId: number, locationId: number): Promise<number>
}

export type MetaObjectName = 'asset' | 'activity' | 'qrCode' | 'category' | 'org'

/** The fixed columns of an entity as values of fields: texts, `YYYY-MM-DD`, or numbers; null if empty. */
export type ColumnValues = Readonly<Partial<Record<EntityColumn, string | number | null>>>

/** A thing that has metadata. */
export interface MetaEntity {
  readonly id: number
  readonly owner: OwnerKey
  readonly title: string
  /** Templates of the entity's category, the default one first; empty for things without categories. */
  readonly templateIds: readonly number[]
  readonly columns: ColumnValues
}

/** Where searches by value find the entities of an object. */
export interface EntityTable {
  readonly table: SQLiteTable
  readonly id: SQLiteColumn
  /** The order in which searches read them in slices: unique, and by an index that begins with the columns of `where`. */
  readonly order: readonly SQLiteColumn[]
  /** The entities of the owner that are not deleted. */
  where(owner: OwnerKey): SQL | undefined
}

export interface MetaObject {
  /** Required in the organization that owns an entity to see it. Users always see their own. */
  readonly readPoint: OrgPoint
  /** The entities with these ids that exist and are not deleted, in no particular order. The caller checks their owners. */
  findEntities(db: Db | Tx, ids: readonly number[]): Promise<readonly MetaEntity[]>
  /** Whether the entity in this column of a query exists and is not deleted: for searches by value. */
  isLive(entityId: SQLiteColumn | SQL): SQL
  /** For searches by values that are computed, absent or in fixed columns. */
  readonly entities: EntityTable
  /** Changes fixed columns of an entity, as its own PUT does. Throws AppError 400 with `path` for a value beyond a limit of the column. */
  updateColumns?(
    ctx: AppContext,
    tx: Tx,
    actor: Owner,
    entity: MetaEntity,
    columns: ColumnValues,
    path: (column: EntityColumn) => string,
  ): Promise<void>
  /** Raises the versions of these entities, because their values look different: for entities that show values to clients that synchronize. */
  touch?(tx: Tx, ids: readonly number[]): Promise<void>
}

export type RefTarget = 'ASSET' | 'USER' | 'LOCATION' | 'ACTIVITY'

export interface RefSource {
  /** Required in the organization to see the targets; users always see their own. */
  readonly readPoint: OrgPoint
  /** Titles of those of the targets that exist, are not deleted and belong to the owner. USER: the user, or a member of the organization. */
  titles(db: Db | Tx, owner: OwnerKey, ids: readonly number[]): Promise<ReadonlyMap<number, string>>
  /** The ids of targets by the texts that people write into spreadsheets: a number, a username or a path. Ambiguous and unknown ones are left out. */
  byTexts(db: Db | Tx, owner: OwnerKey, texts: readonly string[]): Promise<ReadonlyMap<string, number>>
}

export interface Audience {
  exists(db: Db | Tx, id: number): Promise<boolean>
  /** Its users. */
  count(db: Db | Tx, id: number): Promise<number>
  /** At most `limit` user ids greater than `afterUserId`, ascending. */
  membersAfter(db: Db | Tx, id: number, afterUserId: number, limit: number): Promise<number[]>
}

/** The last change of a row. */
export interface SyncChange {
  readonly id: number
  /** `updatedAt` of the row, or the time of its deletion. */
  readonly stamp: number
  /** Also true for rows in the trash. */
  readonly isDeleted: boolean
}

/** Stamps greater than `after`, up to and including `until`. */
export interface SyncRange {
  readonly after: number
  readonly until: number
}

/** A row as devices get it: the view of its endpoint with `version`, `updatedAt` and `orgId`. */
export type SyncView = Readonly<Record<string, unknown>> & {
  readonly id: number
  readonly version: number
  readonly updatedAt: number
}

/** A row as pushes need it. */
export interface SyncState {
  readonly id: number
  readonly owner: OwnerKey
  readonly version: number
  /** The time of deletion if it is deleted. */
  readonly updatedAt: number
  readonly isDeleted: boolean
}

/** A row that was deleted permanently and comes back under its id. */
export interface SyncRevival {
  readonly id: number
  /** The version of the row that is inserted. */
  readonly version: number
}

/** The user and the device that push. */
export interface SyncAuthor {
  readonly actor: Actor
  readonly caller: Caller
}

/**
 * Rows that devices keep and change without a network. Rows that are deleted permanently leave a tombstone (db/tombstones.ts).
 *
 * Refusals are the AppErrors that the endpoints throw. Paths of problems begin with `data`.
 */
export interface SyncEntity {
  /** Required in an organization to see its rows. Undefined if organizations own none. */
  readonly readPoint?: OrgPoint
  /** Required to create, change and delete rows: the user's own, or those of an organization. */
  readonly points: Readonly<Record<'create' | 'update' | 'delete', AppPoint>>
  /** Fields of `data` with the id of another row. A string in them is the local id of that row, if devices keep such rows. */
  readonly references: Readonly<Record<string, TombstoneEntity>>

  /** The rows whose last change is in the range, in the order of stamps and ids, at most `limit`. Reads only an index. */
  changes(db: Db, owner: OwnerKey, range: SyncRange, limit: number): Promise<readonly SyncChange[]>
  /**
   * The rows of the owner with these ids that are not deleted, were last changed at `until` or before, and that the viewer, who holds the read
   * point, may see; in no particular order.
   */
  views(
    ctx: AppContext,
    db: Db,
    viewer: Owner,
    locale: Locale,
    ids: readonly number[],
    until: number,
  ): Promise<readonly SyncView[]>
  /** Rows of an organization that only their creator and holders of `point` see. */
  readonly restricted?: {
    readonly point: OrgPoint & SyncScope
    /** Those that the user did not create and that are not deleted: some thousand at most. */
    ids(db: Db, orgId: number, userId: number): Promise<readonly number[]>
  }

  /** Rows of any owner, also those in the trash. Rows that the user may not know of, although they may read the owner's rows, are left out. */
  states(ctx: AppContext, db: Db | Tx, userId: number, ids: readonly number[]): Promise<readonly SyncState[]>
  /** Checks `data` and reads the settings. The returned function runs in a write. */
  prepareCreate(
    ctx: AppContext,
    author: SyncAuthor,
    owner: Owner,
    data: unknown,
  ): Promise<(tx: Tx, revived?: SyncRevival) => Promise<SyncState>>
  /**
   * The same for a change. Brings a row back that is in the trash. If nothing in `data` is new, the row keeps its version. A row that does not
   * exist or belongs to another owner is 404.
   */
  prepareUpdate(
    ctx: AppContext,
    author: SyncAuthor,
    owner: Owner,
    data: unknown,
  ): Promise<(tx: Tx, id: number) => Promise<SyncState>>
  /**
   * The same for a view that a push has overwritten: the row gets its former state as far as possible. If it is absent, `prepareUpdate` does
   * that.
   */
  readonly prepareRestore?: SyncEntity['prepareUpdate']
  /** Deletes a row that is not deleted. Returns the state that its tombstone has. */
  remove(ctx: AppContext, tx: Tx, owner: Owner, id: number): Promise<SyncState>
}
