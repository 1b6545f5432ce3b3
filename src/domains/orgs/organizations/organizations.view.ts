import type { AppContext } from '#context'
import { type OrgRole, orgRoleName } from '#domains/access/index.ts'
import { avatarUrl } from '#domains/files/index.ts'
import type { Locale } from '#lib/localized.ts'

import { JOIN_PREFIX } from '../orgs.rules.ts'
import { type OrgRow, zoneOf } from '../orgs.store.ts'
import type { OrgQrCode, OrgView, PendingTransfer, PublicOrg } from './organizations.model.ts'

export const toPublicOrg = (ctx: AppContext, org: OrgRow): PublicOrg => ({
  id: org.id,
  name: org.name,
  description: org.description,
  code: org.code,
  visibility: org.visibility,
  joinPolicy: org.joinPolicy,
  memberCount: org.memberCount,
  avatarUrl: avatarUrl(ctx, org.avatar),
  createdAt: org.createdAt,
})

/** The caller's membership in an organization. */
export interface Membership {
  readonly userId: number
  /** The role to show if the member has several. */
  readonly role: OrgRole | undefined
  readonly permissions: ReadonlySet<string>
  /** For the name of the role. */
  readonly locale: Locale
  /** The open offer of ownership; shown to the owner and the candidate only. */
  readonly transfer: PendingTransfer | undefined
}

/** `membership` is undefined for a non-member. `requestedAt`: of the caller's open join request. */
export const toOrgView = (
  ctx: AppContext,
  org: OrgRow,
  membership: Membership | undefined,
  requestedAt?: number,
): OrgView => ({
  ...toPublicOrg(ctx, org),
  status: org.status,
  memberLimit: org.memberLimit,
  timeZone: zoneOf(org),
  requireSecondFactor: org.requireSecondFactor,
  ownerId: membership ? org.ownerId : null,
  isOwner: membership?.userId === org.ownerId,
  permissions: membership ? [...membership.permissions].toSorted() : [],
  roleName: membership ? orgRoleName(membership.role, membership.locale) : '',
  requestedAt: requestedAt ?? null,
  pendingTransfer: transferFor(org, membership),
})

function transferFor(org: OrgRow, membership: Membership | undefined): PendingTransfer | null {
  if (membership?.transfer === undefined) return null
  const { userId, transfer } = membership
  return userId === org.ownerId || userId === transfer.userId ? transfer : null
}

/** Path of the rendered QR code on this server. */
export const joinQrCodePath = (code: string): string =>
  `/api/qrcode/render?content=${encodeURIComponent(JOIN_PREFIX + code)}`

export const toQrCode = (ctx: AppContext, { code }: OrgRow): OrgQrCode => ({
  code,
  content: JOIN_PREFIX + code,
  imageUrl: ctx.config.publicUrl + joinQrCodePath(code),
  publicUrl: `${ctx.config.publicUrl}/public/orgs/${code}`,
})
