import { badRequest, forbidden } from '#http/errors.ts'
import { invalid } from '#http/validate.ts'

import type { ScopeInput } from './metadata.model.ts'

/** For a row that the caller sees, but that belongs to a wider scope than the one the operation writes. */
export const widerScope = () =>
  forbidden(
    'This entry belongs to a wider scope: only those who manage that scope can change it',
    '此条目属于更大的范围，只有该范围的管理者可以修改',
  )

export const unknownObject = (path: string) => invalid(path, 'is not the name of an object', '不是已注册的对象名')

/** The problem of a scope that does not fit the ids beside it, if there is one. */
export function checkScope({ scope, orgId, userId }: ScopeInput): void {
  const given = { orgId: orgId ?? null, userId: userId ?? null }
  const needed = scope === 'ORG' ? 'orgId' : scope === 'USER' ? 'userId' : undefined
  for (const name of ['orgId', 'userId'] as const) {
    if (name === needed && given[name] === null)
      throw invalid(`body.${name}`, `is required for scope ${scope}`, `范围为 ${scope} 时不能为空`)
    if (name !== needed && given[name] !== null)
      throw invalid(`body.${name}`, `must not be given for scope ${scope}`, `范围为 ${scope} 时不能提供`)
  }
}

export const tooManyOf = (max: number, en: string, zh: string) =>
  badRequest(`There can be at most ${max} ${en}`, `最多 ${max} 个${zh}`)

export const unknownOwner = ({ scope }: ScopeInput) =>
  scope === 'ORG'
    ? invalid('body.orgId', 'is not the id of an organization', '不是已有组织的 ID')
    : invalid('body.userId', 'is not the id of a user', '不是已有用户的 ID')
