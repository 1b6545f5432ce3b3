/** Decides what an organizer should do next. Pure. */

import type { activities, activityCounters } from '#db/schema/activities.ts'
import { DAY, HOUR, MINUTE } from '#platform/clock.ts'

import type { NextStep } from './overview.model.ts'

/** Minutes that the overview shows. */
const MINUTES = 60

/** The starts of the last 60 minutes, the present one last. */
export const lastMinutes = (now: number): readonly number[] => {
  const present = now - (now % MINUTE)
  return Array.from({ length: MINUTES }, (_, i) => present - (MINUTES - 1 - i) * MINUTE)
}

type Activity = Pick<
  typeof activities.$inferSelect,
  'status' | 'hasPass' | 'autoIssue' | 'startTime' | 'endTime' | 'capacity' | 'registration'
>

interface Facts {
  readonly counters: Pick<typeof activityCounters.$inferSelect, 'confirmed' | 'waiting' | 'passes'>
  readonly revoked: number
  /** Gates without an account that have not ended. */
  readonly gates: number
  /** When a manager sent the last message; undefined if none was sent. */
  readonly lastMessageAt: number | undefined
}

/** Gates ask for news every minute. */
const ONLINE_MS = 2 * MINUTE
export const isOnline = (lastSeenAt: number | null, now: number): boolean =>
  lastSeenAt !== null && now - lastSeenAt <= ONLINE_MS

const REMINDER_MS = 48 * HOUR
const GATE_MS = DAY
const SILENCE_MS = 7 * DAY

/** The steps that make sense now, in the order of `NEXT_STEPS`. */
export function nextSteps(
  activity: Activity,
  { counters, revoked, gates, lastMessageAt }: Facts,
  now: number,
): NextStep[] {
  const { status, hasPass, autoIssue, startTime, endTime, capacity, registration } = activity
  if (status === 'DRAFT') return ['PUBLISH']
  if (status !== 'ACTIVE' || now > endTime) return []
  const { confirmed, waiting, passes } = counters
  const isAsked = registration?.approval === true || capacity === 0 || confirmed < capacity
  const isSoon = now < startTime && startTime - now <= REMINDER_MS
  const isSilent = lastMessageAt === undefined || now - lastMessageAt > SILENCE_MS
  return [
    ...(waiting > 0 && isAsked ? (['ANSWER_REQUESTS'] as const) : []),
    ...(hasPass && !autoIssue && confirmed > passes - revoked ? (['ISSUE_PASSES'] as const) : []),
    ...(isSoon && isSilent && confirmed + passes > 0 ? (['SEND_REMINDER'] as const) : []),
    ...(hasPass && gates === 0 && startTime - now <= GATE_MS ? (['OPEN_GATE'] as const) : []),
  ]
}
