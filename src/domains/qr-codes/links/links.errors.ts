import type { FieldProblem } from '#http/errors.ts'

const problem =
  (en: string, zh: string) =>
  (path: string): FieldProblem => ({ path, text: { en, zh } })

export const inThePast = problem('is in the past', '已经过去')
export const endsBeforeItBegins = problem('must be after from', '必须晚于 from')
export const noCondition = problem(
  'has no condition: without one it would hold for every scan, so change the content of the code instead',
  '没有条件：没有条件的规则会匹配所有扫码，请直接修改二维码内容',
)
export const needsZone = problem(
  'is required with hours and weekdays: an IANA name such as Europe/Berlin',
  '使用 hours 或 weekdays 时必填，须为 Europe/Berlin 这样的 IANA 时区名',
)
export const wrongZone = problem(
  'is not an IANA time zone such as Europe/Berlin',
  '不是 Europe/Berlin 这样的 IANA 时区名',
)
export const unknownCountry = problem('contains a code that is not a country', '包含不是国家或地区的代码')
export const noCountries = problem(
  'is not possible on this server: it has no file that says in which country an address is',
  '此服务器没有 IP 地址所属国家的数据文件，无法使用',
)
