/** Decides which rule of a short link a scan meets. */

import { localTime } from './days.ts'
import type { Device } from './visitor.ts'

export const RULE_DEVICES = ['IOS', 'ANDROID', 'WINDOWS', 'MACOS', 'LINUX', 'MOBILE', 'DESKTOP', 'OTHER'] as const
export type RuleDevice = (typeof RULE_DEVICES)[number]
const GROUPS: Partial<Record<Device, RuleDevice>> = {
  IOS: 'MOBILE',
  ANDROID: 'MOBILE',
  WINDOWS: 'DESKTOP',
  MACOS: 'DESKTOP',
  LINUX: 'DESKTOP',
}

/** All of the conditions that it has must hold. */
export interface RuleConditions {
  /** Epoch milliseconds; `from` inclusive, `to` exclusive. */
  readonly from?: number
  readonly to?: number
  /** 1–7, Monday first. With `hours` over midnight, the day on which they begin. */
  readonly weekdays?: readonly number[]
  /** `HH:MM` on the clocks of `timeZone`; `to` exclusive, and on the next day unless it is after `from`. */
  readonly hours?: { readonly from: string; readonly to: string }
  readonly timeZone?: string
  readonly devices?: readonly string[]
  readonly languages?: readonly string[]
  readonly countries?: readonly string[]
  readonly firstScans?: number
}

export interface RuleVisitor {
  /** Epoch milliseconds. */
  readonly at: number
  readonly device: Device
  /** The first choice, in lower case; empty if it is not known. */
  readonly language: string
  /** ISO 3166-1 alpha-2; null if it is not known. */
  readonly country: string | null
}

export interface ScanState {
  /** For each rule with `firstScans`: the scans for which it still holds. */
  readonly left: readonly (number | null)[]
  /** Rules with `firstScans` never hold for robots, which would use them up. */
  readonly isRobot: boolean
}

/** The index of the first rule that holds; -1 if none does. */
export const matchingRule = (
  rules: readonly RuleConditions[],
  visitor: RuleVisitor,
  { left, isRobot }: ScanState,
): number =>
  rules.findIndex(
    (rule, i) => (rule.firstScans === undefined || (!isRobot && (left[i] ?? 0) > 0)) && holds(rule, visitor),
  )

function holds(rule: RuleConditions, { at, device, language, country }: RuleVisitor): boolean {
  const { from, to, devices, languages, countries } = rule
  if (from !== undefined && at < from) return false
  if (to !== undefined && at >= to) return false
  if (devices !== undefined && !devices.some((one) => one === device || one === GROUPS[device])) return false
  if (languages !== undefined && !languages.some((tag) => speaks(language, tag.toLowerCase()))) return false
  if (countries !== undefined && (country === null || !countries.includes(country))) return false
  return holdsByClock(rule, at)
}

/** BCP 47: `zh` includes `zh-Hans`, not the other way round. */
const speaks = (language: string, tag: string): boolean => language === tag || language.startsWith(`${tag}-`)

/** By the clocks on the wall: an hour that is repeated when summer time ends holds both times. */
function holdsByClock({ hours, weekdays, timeZone }: RuleConditions, at: number): boolean {
  if ((hours === undefined && weekdays === undefined) || timeZone === undefined) return true
  const local = localTime(at, timeZone)
  let day = local.dayOfWeek
  if (hours !== undefined) {
    const time = minuteOf(local.hour, local.minute)
    const [begin, end] = [minutesOf(hours.from), minutesOf(hours.to)]
    if (begin < end) {
      if (time < begin || time >= end) return false
    } else if (time < end) day = day === 1 ? 7 : day - 1
    else if (time < begin) return false
  }
  return weekdays === undefined || weekdays.includes(day)
}

const minuteOf = (hour: number, minute: number): number => hour * 60 + minute
const minutesOf = (time: string): number => minuteOf(Number(time.slice(0, 2)), Number(time.slice(3, 5)))
