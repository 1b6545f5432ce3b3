/** Why a person may or may not do something: the check of `can`, told step by step from what is stored now. */

import type { AppContext } from '#context'
import type { PermissionDomain } from '#db/schema/access.ts'
import type { Db } from '#db/store.ts'
import { notFound } from '#http/errors.ts'
import type { Locale } from '#lib/localized.ts'

import { holdsEverything } from '../roles.ts'
import type { ExplainQuery, ExplainView } from './model.ts'
import { isGranted, reasonFor, sentenceFor } from './rules.ts'
import * as store from './store.ts'

type Answer = ExplainView['answers'][number]

export async function explain(ctx: AppContext, query: ExplainQuery, locale: Locale): Promise<ExplainView> {
  const { read } = ctx.db
  const { userId, permission, orgId } = query
  const status = await store.userStatus(read, userId)
  if (status === undefined) throw notFound()
  if (orgId !== undefined && !(await store.orgExists(read, orgId))) throw notFound()
  const domains: PermissionDomain[] = orgId === undefined ? ['APP', 'PLATFORM'] : ['ORG']
  const answers: Answer[] = []
  for (const domain of domains) answers.push(await answerFor(read, userId, permission, domain, orgId ?? 0, locale))
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
  locale: Locale,
): Promise<Answer> {
  const [resource = '', action = '', ...more] = permission.split(':')
  const point = more.length > 0 ? undefined : await store.findPoint(db, { domain, resource, action })
  const held = (await store.rolesReaching(db, userId, domain, scopeId)).filter((role) => role.domain === domain)
  const holding = new Set(
    (
      await store.pointsOfRoles(
        db,
        held.map((role) => role.id),
      )
    ).flatMap((each) => (each.id === point?.id ? [each.roleId] : [])),
  )
  const reason = reasonFor({
    domain,
    permission,
    enabled: point?.enabled,
    roles: held.map((role) => ({ code: role.code, hasPoint: holding.has(role.id) })),
    isMember: domain === 'ORG' && (await store.isMember(db, scopeId, userId)),
  })
  const roles = held.map(({ id: roleId, code, name }) => ({
    roleId,
    code,
    name,
    grants: point !== undefined && (holdsEverything(domain, code) || holding.has(roleId)),
  }))
  const about = isGranted(reason) ? roles.filter((role) => role.grants) : roles
  const names = (
    reason === 'SHORT_CIRCUIT' || reason === 'NEVER_OFF'
      ? about.filter((role) => holdsEverything(domain, role.code))
      : about
  ).map((role) => role.name)
  return {
    domain,
    scopeId,
    granted: isGranted(reason),
    reason,
    explanation: sentenceFor(reason, domain, names)[locale],
    roles,
  }
}
