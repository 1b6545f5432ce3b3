import type { AppContext } from '#context'
import type { OrgRole } from '#domains/access/index.ts'

import { JOIN_PREFIX } from '../rules.ts'
import type { OrgQrCode, OrgView, PublicOrg } from './model.ts'
import type { OrgRow } from './store.ts'

export const toPublicOrg = (org: OrgRow): PublicOrg => ({
  id: org.id,
  name: org.name,
  description: org.description,
  code: org.code,
  visibility: org.visibility,
  joinPolicy: org.joinPolicy,
  memberCount: org.memberCount,
  avatarUrl: org.avatarUrl,
  createdAt: org.createdAt,
})

/** What the caller is here; undefined for who is no member. */
export interface Standing {
  readonly userId: number
  /** The one shown when several are held. */
  readonly role: OrgRole | undefined
  readonly permissions: ReadonlySet<string>
}

export const toOrgView = (org: OrgRow, standing: Standing | undefined): OrgView => ({
  ...toPublicOrg(org),
  status: org.status,
  memberLimit: org.memberLimit,
  ownerId: standing ? org.ownerId : null,
  isOwner: standing?.userId === org.ownerId,
  permissions: standing ? [...standing.permissions].toSorted() : [],
  roleName: standing?.role?.name ?? '',
})

export const publicPageOf = (ctx: AppContext, code: string): string => `${ctx.config.publicUrl}/public/orgs/${code}`

/** The picture's path on this server. */
export const joinPicture = (code: string): string =>
  `/api/qrcode/render?content=${encodeURIComponent(JOIN_PREFIX + code)}`

export const toQrCode = (ctx: AppContext, { code }: OrgRow): OrgQrCode => ({
  code,
  content: JOIN_PREFIX + code,
  imageUrl: ctx.config.publicUrl + joinPicture(code),
  publicUrl: publicPageOf(ctx, code),
})
