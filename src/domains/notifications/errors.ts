import type { AppError } from '#http/errors.ts'
import { invalid } from '#http/validate.ts'

export const oneAudience = (): AppError =>
  invalid('body', 'needs exactly one of userIds, orgId and all', '须且只能指定 userIds、orgId、all 之一')

export const unknownUsers = (ids: readonly number[]): AppError =>
  invalid('body.userIds', `names users that do not exist: ${ids.join(', ')}`, `用户不存在：${ids.join('、')}`)
