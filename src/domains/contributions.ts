/**
 * Contributions of a domain to extension points of other domains. The domain that owns an extension point reads it with
 * `contributions(ctx, name)`; a new contribution needs no change there.
 */

import type { AppContext } from '#context'
import type { AgreementType } from '#db/schema/agreements.ts'
import type { FileEntity } from '#db/schema/files.ts'
import type { ShareEntity } from '#db/schema/shares.ts'
import type { Db, Tx } from '#db/store.ts'
import type { Caller, Owner } from '#http/endpoint.ts'
import type { MaybePromise } from '#lib/maybe-promise.ts'

export interface Contributions {
  /** Finds what a scanned content refers to, for each kind of content. Read by qr-codes. */
  readonly scanTargets?: Readonly<Partial<Record<ScanTargetKind, ResolveScanTarget>>>
  /** Public pages `/s/{type}/{id}`, by type. Read by qr-codes. */
  readonly landingPages?: Readonly<Partial<Record<LandingPageType, LandingPage>>>
  /** Things of a user of which an organization can get a copy. Read by shares. */
  readonly shareable?: Readonly<Partial<Record<ShareEntity, Shareable>>>
  /** Who may see the files of a thing. Read by files. */
  readonly fileEntities?: Readonly<Partial<Record<FileEntity, MayReadFile>>>
  /** Usage that counts towards the quotas of a user or an organization. Read by accounts. */
  readonly quotaUsage?: Readonly<Partial<Record<QuotaName, CountUsage>>>
  /** Whether a user made anything in the domain or takes part in anything. Read by accounts, which ends accounts that nobody used. */
  readonly userContent?: HasContent
  /** Agreements that a user has to accept. Read by accounts, which shows them to the user. */
  readonly pendingAgreements?: FindPendingAgreements
  /** Things that an organization owns. Read by orgs. */
  readonly orgResources?: readonly OrgResource[]
  /** Things that are kept at an organization's locations. Read by orgs. */
  readonly locationUses?: readonly LocationUse[]
  /** Groups of users that an administrator can notify. Read by notifications. */
  readonly audiences?: { readonly organization: Audience }
}

/** Kinds of contents that only another domain can resolve (spec §2.4). */
export type ScanTargetKind = 'ORG_JOIN' | 'ACTIVITY' | 'USER' | 'ASSET' | 'CHECK_IN' | 'PASS'

/** The thing that the content refers to, or undefined if there is none or the user may not know of it. */
export type ResolveScanTarget = (
  ctx: AppContext,
  userId: number,
  content: string,
) => Promise<{ readonly id: number; readonly title: string } | undefined>

export type LandingPageType = 'activity' | 'check-in' | 'pass' | 'asset'

/** Answers with a page, or JSON if the request asks for it; undefined is answered with 404. `id` comes from the path, unchecked. */
export type LandingPage = (
  ctx: AppContext,
  request: { readonly id: string; readonly caller: Caller; readonly request: Request },
) => Promise<Response | undefined>

export interface Shareable {
  /** Reads the settings that a copy needs; the result runs in the write. Throws 404 if the user has no such thing. */
  prepareCopy(ctx: AppContext): Promise<CopyIntoOrganization>
  deleteCopy(ctx: AppContext, tx: Tx, orgId: number, copyId: number): Promise<void>
}
/** Returns the id of the copy. */
export type CopyIntoOrganization = (tx: Tx, userId: number, sourceId: number, orgId: number) => Promise<number>

/** Whether the user may see the thing with this id, and so its files. */
export type MayReadFile = (ctx: AppContext, userId: number, entityId: number) => Promise<boolean>

export type QuotaName = 'storage' | 'qrCodes' | 'organizations'
/** Bytes of storage, a number of QR codes of the owner, or the number of organizations that the user owns. */
export type CountUsage = (ctx: AppContext, owner: Owner) => number | Promise<number>

export type HasContent = (db: Db | Tx, userId: number) => Promise<boolean>

export interface PendingAgreement {
  readonly type: AgreementType
  readonly version: number
  readonly title: string
}
export type FindPendingAgreements = (ctx: AppContext, userId: number) => MaybePromise<readonly PendingAgreement[]>

export interface OrgResource {
  /** In English, for messages: `QR codes`. */
  readonly name: string
  /**
   * An organization is only dissolved when every resource counts 0. Rows that do not count, such as the trash, are deleted by a listener
   * of `org.dissolving`.
   */
  count(db: Db | Tx, orgId: number): Promise<number>
}

export interface LocationUse {
  /** In English, for messages: `assets`. */
  readonly name: string
  /** A location is only deleted when every use counts 0. */
  count(db: Db | Tx, orgId: number, locationId: number): Promise<number>
}

export interface Audience {
  exists(db: Db | Tx, id: number): Promise<boolean>
  /** At most `limit` user ids greater than `afterUserId`, ascending. */
  membersAfter(db: Db | Tx, id: number, afterUserId: number, limit: number): Promise<number[]>
}
