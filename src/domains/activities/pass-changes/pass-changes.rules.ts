/** Decides how a request changes a pass. Pure. */

import type { passes, PassField, passTemplates } from '#db/schema/passes.ts'
import type { FieldProblem } from '#http/errors.ts'

import { problem } from '../activities.errors.ts'
import { MAX_FIELDS } from '../pass-issues/pass-issues.model.ts'
import { badLabel, isLabel, MAX_LABEL, tooManyFields, unknownField } from '../pass-issues/pass-issues.rules.ts'

type Row = Pick<
  typeof passes.$inferSelect,
  | 'holderUserId'
  | 'liveHolderId'
  | 'holderName'
  | 'fields'
  | 'validFrom'
  | 'validTo'
  | 'followsActivity'
  | 'maxUses'
  | 'revokedAt'
>

export interface PassChange {
  readonly validFrom?: number | null
  /** Null: the pass follows the activity. */
  readonly validTo?: number | null
  readonly followsActivity?: boolean
  readonly maxUses?: number
  readonly holderName?: string
  readonly fields?: Readonly<Record<string, string>>
}

export interface Changed {
  /** The values that differ. */
  readonly set: Partial<Row>
  /** Whether the pass is valid at other times, now or after the end of the activity is moved. */
  readonly changesValidity: boolean
  /** Whether `validFrom` or `validTo` differ in answers. */
  readonly changesTimes: boolean
  /** The holder, if the pass becomes the one live pass that a user may have. */
  readonly becomesLiveOf: number | null
  /** Whether its end has not passed. */
  readonly isCurrent: boolean
}

const tooEarly = problem('must not be before validFrom', '不能早于 validFrom')
const twoEnds = problem('cannot be given together with validTo', '不能与 validTo 同时提供')
const noEnd = problem('must be true: there is no other end', '须为 true：没有其他结束时间')

/** Values of a request that contradict each other, whatever the pass is. */
export function problemsOf({ validFrom, validTo, followsActivity }: PassChange, path: string): FieldProblem[] {
  if (followsActivity === true && validTo != null) return [twoEnds(`${path}.followsActivity`)]
  if (followsActivity === false && validTo === null) return [noEnd(`${path}.followsActivity`)]
  return validFrom != null && validTo != null && validTo < validFrom ? [tooEarly(`${path}.validTo`)] : []
}

interface Around {
  readonly template: Pick<typeof passTemplates.$inferSelect, 'fields'> | undefined
  /** Of the activity. */
  readonly endTime: number
  readonly now: number
  /** Of the request. */
  readonly path: string
}

/** Undefined if the pass has these values already. `row` is not revoked, and its `validTo` is what answers show. */
export function changeOf(
  row: Row,
  change: PassChange,
  { template, endTime, now, path }: Around,
): Changed | readonly FieldProblem[] | undefined {
  const problems: FieldProblem[] = []
  const followsActivity =
    change.followsActivity ?? (change.validTo === undefined ? row.followsActivity : change.validTo === null)
  const validTo = followsActivity ? endTime : (change.validTo ?? row.validTo)
  const validFrom = change.validFrom === undefined ? row.validFrom : change.validFrom
  const changesTimes = validFrom !== row.validFrom || validTo !== row.validTo
  const changesValidity = changesTimes || followsActivity !== row.followsActivity
  if (changesValidity && validFrom !== null && validTo !== null && validTo < validFrom)
    problems.push(tooEarly(`${path}.validTo`))
  const fields =
    change.fields === undefined ? row.fields : fieldsAfter(row.fields, change.fields, template, path, problems)
  if (problems.length > 0) return problems
  const { holderName = row.holderName, maxUses = row.maxUses } = change
  const isCurrent = validTo === null || validTo >= now
  const isLive = followsActivity || isCurrent
  const set = {
    ...(changesValidity && { validFrom, validTo: followsActivity ? null : validTo, followsActivity }),
    ...(holderName !== row.holderName && { holderName }),
    ...(maxUses !== row.maxUses && { maxUses }),
    ...(JSON.stringify(fields) !== JSON.stringify(row.fields) && { fields }),
  }
  if (Object.keys(set).length === 0) return undefined
  const becomesLiveOf = changesValidity && isLive && row.liveHolderId === null ? row.holderUserId : null
  return { set, changesValidity, changesTimes, becomesLiveOf, isCurrent }
}

/** The fields in their order, then new ones. Labels of fields that the pass has stay as they were issued. */
function fieldsAfter(
  fields: readonly PassField[],
  given: Readonly<Record<string, string>>,
  template: Around['template'],
  path: string,
  problems: FieldProblem[],
): PassField[] {
  const after = fields.map((field) =>
    Object.hasOwn(given, field.key) ? { ...field, value: given[field.key]! } : field,
  )
  for (const [key, value] of Object.entries(given)) {
    if (fields.some((field) => field.key === key)) continue
    const at = `${path}.fields.${key.slice(0, MAX_LABEL)}`
    const label = template === undefined ? key : template.fields.find((field) => field.key === key)?.label
    if (label === undefined) problems.push(unknownField(at))
    else if (template === undefined && !isLabel(key)) problems.push(badLabel(at))
    else after.push({ key, label, value })
  }
  const kept = after.filter(({ value }) => value !== '')
  if (kept.length > MAX_FIELDS) problems.push(tooManyFields(`${path}.fields`))
  return kept
}
