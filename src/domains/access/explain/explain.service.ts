/** Explains why a user holds a permission or not, from the stored rows rather than from the cache. */

import type { AppContext } from '#context'
import type { PermissionDomain } from '#db/schema/access.ts'
import type { Db } from '#db/store.ts'
import { notFound } from '#http/errors.ts'
import type { Locale } from '#lib/localized.ts'

import * as store from '../admin/access.admin.store.ts'
import { holdsEverything, shownName } from '../system-roles.ts'
import type { Answer, ExplainQuery, ExplainView } from './explain.model.ts'
import { isGranted, reasonFor, sentenceFor } from './explain.rules.ts'

export async function explain(ctx: AppContext, query: ExplainQuery, locale: Locale): Promise<ExplainView> {
  const { read } = ctx.db
  const { userId, permission, orgId } = query
  const status = (await store.findUser(read, userId))?.status
  if (status === undefined) throw notFound()
  const orgStatus = orgId === undefined ? undefined : await store.orgStatus(read, orgId)
  if (orgId !== undefined && orgStatus === undefined) throw notFound()
  const domains: PermissionDomain[] = orgId === undefined ? ['APP', 'PLATFORM'] : ['ORG']
  const answers: Answer[] = []
  for (const domain of domains)
    answers.push(await answerFor(read, userId, permission, domain, orgId ?? 0, orgStatus === 'DISABLED', locale))
  return {
    userId,
    userStatus: status,
    permission,
    orgId: orgId ?? null,
    granted: answers.some((answer) => answer.granted),
    answers,
  }
}

async function answerFor(
  db: Db,
  userId: number,
  permission: string,
  domain: PermissionDomain,
  scopeId: number,
  orgDisabled: boolean,
  locale: Locale,
): Promise<Answer> {
  const [resource = '', action = '', ...more] = permission.split(':')
  const point = more.length > 0 ? undefined : await store.findPoint(db, { domain, resource, action })
  const held = (await store.rolesCountingIn(db, userId, domain, scopeId)).filter((role) => role.domain === domain)
  const roleIds = held.map((role) => role.id)
  const bound = (await store.pointsOfRoles(db, roleIds)).filter(({ id }) => id === point?.id)
  const withPoint = new Set(bound.filter((each) => each.isInForce).map(({ roleId }) => roleId))
  const reason = reasonFor({
    domain,
    permission,
    enabled: point?.enabled,
    roles: held.map((role) => ({ code: role.code, hasPoint: withPoint.has(role.id) })),
    isMember: domain === 'ORG' && (await store.isMember(db, scopeId, userId)),
    isHeldBack: bound.length > withPoint.size,
    orgDisabled,
  })
  const roles = held
    .map((role) => ({ ...role, name: shownName(role, locale) }))
    .map(({ id: roleId, code, name }) => ({
      roleId,
      code,
      name,
      grants: point !== undefined && (holdsEverything(domain, code) || withPoint.has(roleId)),
    }))
  const mentioned = roles.filter(({ code, grants }) =>
    reason === 'SHORT_CIRCUIT' || reason === 'NEVER_OFF'
      ? grants && holdsEverything(domain, code)
      : grants || !isGranted(reason),
  )
  const names = mentioned.map(({ name }) => name)
  return {
    domain,
    scopeId,
    granted: isGranted(reason),
    reason,
    explanation: sentenceFor(reason, domain, names)[locale],
    roles,
  }
}
