/** When backups are due, and which ones the schedule deletes. */

import { createdAtOf, type FoundBackup } from '#platform/backup/folder.ts'
import { DAY } from '#platform/clock.ts'

export interface Schedule {
  readonly every: 'OFF' | 'DAILY' | 'WEEKLY'
  readonly hour: number
  /** As `timeZone` (lib/days.ts) returns it. */
  readonly zone: string
}

const SUNDAY = 7

const atHour = (day: Temporal.PlainDate, { hour, zone }: Schedule): number =>
  // An hour that the clocks leave out in spring becomes the one after it.
  day.toZonedDateTime({ timeZone: zone, plainTime: Temporal.PlainTime.from({ hour }) }).epochMilliseconds

/** The latest time at or before `now` at which a backup was due; undefined if the schedule is off. */
export function lastDue(schedule: Schedule, now: number): number | undefined {
  return dueAround(schedule, now).findLast((at) => at <= now)
}

/** The first time after `now` at which a backup is due; undefined if the schedule is off. */
export function nextDue(schedule: Schedule, now: number): number | undefined {
  return dueAround(schedule, now).find((at) => at > now)
}

/** All due times of the week before and after `now`. */
function dueAround(schedule: Schedule, now: number): number[] {
  const { every, zone } = schedule
  if (every === 'OFF') return []
  const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone).toPlainDate()
  return Array.from({ length: 17 }, (_, i) => today.add({ days: i - 8 }))
    .filter((day) => every === 'DAILY' || day.dayOfWeek === SUNDAY)
    .map((day) => atHour(day, schedule))
}

/** Complete, of this server, and not found damaged. */
export const isGood = ({ file, note }: FoundBackup): boolean =>
  file !== undefined && note?.source !== 'UPLOAD' && note?.verification?.state !== 'DAMAGED'

/** Whether no good backup is as new as the schedule promises. One interval of delay is allowed, for the backup itself and restarts. */
export function isOverdue({ every }: Schedule, lastGoodAt: number | undefined, now: number): boolean {
  if (every === 'OFF') return false
  return lastGoodAt === undefined || now - lastGoodAt > 2 * (every === 'DAILY' ? 1 : 7) * DAY
}

/**
 * Backups of the schedule that are older than the `keep` newest of it that can be restored. `found`: the newest first. `made` is the backup
 * that was just made and verified. It counts as the newest and is always kept, even if the clock was ahead when the others were made.
 */
export function toDelete(found: readonly FoundBackup[], keep: number, made: string): string[] {
  const others = found.filter(({ name, note }) => note?.source === 'SCHEDULE' && name !== made)
  // A backup that could not be read when it was verified may be good, but nobody knows.
  const restorable = others.filter((one) => isGood(one) && one.note?.verification?.state !== 'FAILED')
  const oldestKept = restorable[keep - 2]
  if (keep > 1 && oldestKept === undefined) return []
  const isOld = (one: FoundBackup) => oldestKept === undefined || createdAtOf(one) < createdAtOf(oldestKept)
  return others.filter(isOld).map(({ name }) => name)
}
