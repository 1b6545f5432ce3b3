/** The values in the form of a rule, and the rule that they stand for. */

import { timeZone } from '../../../i18n/format.ts'
import type { Rule, RuleDevice } from './sentences.ts'

export interface RuleValues {
  readonly target: string
  readonly devices: readonly RuleDevice[]
  /** Separated by commas or spaces, as `zh, en-GB`. */
  readonly languages: string
  readonly countries: string
  readonly weekdays: readonly number[]
  readonly hoursFrom: string
  readonly hoursTo: string
  readonly timeZone: string
  readonly from: number | null
  readonly to: number | null
  readonly firstScans: number | null
}

export const ruleValues = (rule: Rule | undefined): RuleValues => ({
  target: rule?.target ?? '',
  devices: rule?.devices ?? [],
  languages: (rule?.languages ?? []).join(', '),
  countries: (rule?.countries ?? []).join(', '),
  weekdays: rule?.weekdays ?? [],
  hoursFrom: rule?.hours?.from ?? '',
  hoursTo: rule?.hours?.to ?? '',
  timeZone: rule?.timeZone ?? timeZone(),
  from: rule?.from ?? null,
  to: rule?.to ?? null,
  firstScans: rule?.firstScans ?? null,
})

const listed = (text: string): string[] => text.split(/[\s,，、]+/).filter((part) => part !== '')
const some = <T>(values: readonly T[]): T[] | null => (values.length === 0 ? null : [...values])

export function ruleOf(values: RuleValues): Rule {
  const { target, devices, languages, countries, weekdays, hoursFrom, hoursTo, from, to, firstScans } = values
  const hasHours = hoursFrom !== '' && hoursTo !== ''
  return {
    target: target.trim(),
    from,
    to,
    weekdays: some(weekdays),
    hours: hasHours ? { from: hoursFrom, to: hoursTo } : null,
    timeZone: hasHours || weekdays.length > 0 ? values.timeZone : null,
    devices: some(devices),
    languages: some(listed(languages)),
    countries: some(listed(countries).map((code) => code.toUpperCase())),
    firstScans,
  }
}

/** A rule without a condition would hide all rules after it. */
export const hasCondition = (rule: Rule): boolean =>
  Object.entries(rule).some(([name, value]) => name !== 'target' && name !== 'timeZone' && value !== null)
