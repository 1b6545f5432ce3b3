import type { AppContext } from '#context'
import type { Caller } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'

import { lookUpCode } from '../guesses.ts'
import { findMember } from '../members/store.ts'
import type { PublicOrg } from '../organizations/model.ts'
import { findOrg, findOrgByCode, type OrgRow } from '../organizations/store.ts'
import { toPublicOrg } from '../organizations/view.ts'
import { codeInContent, normalizeCode } from '../rules.ts'

/** INTERNAL and disabled organizations are like none at all to who is not signed in. */
const ifPublic = (org: OrgRow | undefined): OrgRow | undefined =>
  org?.visibility === 'PUBLIC' && org.status === 'ACTIVE' ? org : undefined

export async function publicOrgByCode(ctx: AppContext, caller: Caller, given: string): Promise<PublicOrg> {
  const code = normalizeCode(given)
  const org = await lookUpCode(ctx, caller, async () =>
    code === undefined ? undefined : ifPublic(await findOrgByCode(ctx.db.read, code)),
  )
  return toPublicOrg(org)
}

export async function publicOrgById(ctx: AppContext, id: number): Promise<PublicOrg> {
  const org = ifPublic(await findOrg(ctx.db.read, id))
  if (org === undefined) throw notFound()
  return toPublicOrg(org)
}

/** What a scanned content leads to: a public organization, or one's own. */
export async function resolveJoin(
  ctx: AppContext,
  userId: number,
  content: string,
): Promise<{ id: number; title: string } | undefined> {
  const code = codeInContent(content, ctx.config.publicUrl)
  const org = code === undefined ? undefined : await findOrgByCode(ctx.db.read, code)
  if (org === undefined) return undefined
  const mayKnow = ifPublic(org) ?? (await findMember(ctx.db.read, org.id, userId))
  return mayKnow && { id: org.id, title: org.name }
}
