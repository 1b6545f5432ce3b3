import type { AppContext } from '#context'
import { ownAddresses } from '#http/addresses.ts'
import { guess, type GuessLimit } from '#http/budget.ts'
import type { Caller } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { MINUTE } from '#platform/clock.ts'

import { findMember } from '../members/members.store.ts'
import type { PublicOrg } from '../organizations/organizations.model.ts'
import { toPublicOrg } from '../organizations/organizations.view.ts'
import { tooManyWrongCodes } from '../orgs.errors.ts'
import { codeInContent, normalizeCode } from '../orgs.rules.ts'
import { findOrg, findOrgByCode, type OrgRow } from '../orgs.store.ts'

/** Codes are short enough to guess. */
const WRONG_CODES: GuessLimit = { name: 'org code', wrong: 20, windowMs: MINUTE }

/** INTERNAL and disabled organizations look like missing ones to anonymous callers. */
const isPublic = (org: OrgRow): boolean => org.visibility === 'PUBLIC' && org.status === 'ACTIVE'

/**
 * The organization with this normalized code, if `accepts` it; else a 404. After too many wrong codes, every code from this address
 * gets a 4022. Correct codes are not counted, so that many people behind one address can join at once.
 */
export async function findOrgByTypedCode(
  ctx: AppContext,
  caller: Caller,
  code: string | undefined,
  accepts: (org: OrgRow) => boolean = () => true,
): Promise<OrgRow> {
  const found = await guess(ctx, WRONG_CODES, caller.ip, tooManyWrongCodes, async () => {
    const org = code === undefined ? undefined : await findOrgByCode(ctx.db.read, code)
    return org !== undefined && accepts(org) ? org : undefined
  })
  if (found === undefined) throw notFound()
  return found
}

export async function getPublicOrgByCode(ctx: AppContext, caller: Caller, code: string): Promise<PublicOrg> {
  return toPublicOrg(ctx, await findOrgByTypedCode(ctx, caller, normalizeCode(code), isPublic))
}

export async function getPublicOrgById(ctx: AppContext, id: number): Promise<PublicOrg> {
  const org = await findOrg(ctx.db.read, id)
  if (org === undefined || !isPublic(org)) throw notFound()
  return toPublicOrg(ctx, org)
}

/** The organization whose code is in a scanned text, if it is public or the user is a member. */
export async function resolveJoin(
  ctx: AppContext,
  userId: number,
  content: string,
): Promise<{ id: number; title: string } | undefined> {
  const code = codeInContent(content, ownAddresses(ctx))
  const org = code === undefined ? undefined : await findOrgByCode(ctx.db.read, code)
  if (org === undefined) return undefined
  const isVisible = isPublic(org) || (await findMember(ctx.db.read, org.id, userId)) !== undefined
  return isVisible ? { id: org.id, title: org.name } : undefined
}
