/** The errors of activities, check-in, passes and registration. */

import { badRequest, type FieldProblem, forbidden } from '#http/errors.ts'

export const problem =
  (en: string, zh: string) =>
  (path: string): FieldProblem => ({ path, text: { en, zh } })

export const codeRequired = () =>
  forbidden('This activity is by invitation only: enter its invite code', '该活动仅限受邀者参加，请输入邀请码')
export const organizationDisabled = () =>
  forbidden(
    'The organization of this activity is disabled: the activity can be viewed, but not changed',
    '该活动所属的组织已被停用，只能查看，不能更改',
  )
export const notActive = () => badRequest('The activity is not active', '活动未在进行中')
