/** The one thing that an organizer does next with an activity, by its state. */

import type { Activity, OperationId } from '../../api/types.ts'

export type NextStep = 'PUBLISH' | 'ISSUE' | 'GATE' | 'CHECK_IN' | 'WRITE' | 'SHARE' | 'END'

type State = Pick<
  Activity,
  'status' | 'startTime' | 'endTime' | 'hasPass' | 'hasCheckIn' | 'registration' | 'stats'
> & { readonly checkInConfig: Pick<Activity['checkInConfig'], 'closesAt'> }

/**
 * Undefined if nothing is left to do, or if the user may not do it.
 *
 * @param endOfDay the last millisecond of the user's day: the gate is opened on the day on which the activity starts
 */
export function nextStepOf(
  activity: State,
  can: (id: OperationId) => boolean,
  now: number,
  endOfDay: number,
): NextStep | undefined {
  const { status, startTime, endTime, hasPass, hasCheckIn, checkInConfig, stats } = activity
  const isOver = status === 'ACTIVE' && now > endTime
  if (status === 'DRAFT' || isOver)
    return can('activities.setStatus') ? (status === 'DRAFT' ? 'PUBLISH' : 'END') : undefined
  if (status !== 'ACTIVE' || stats === null) return undefined
  const isToday = startTime <= endOfDay
  // People at the entrance come first; late passes can be issued meanwhile.
  if (isToday && hasPass && stats.passes > 0 && can('passes.uploadRedemptions')) return 'GATE'
  if (hasPass && isLacking(activity) && can('passes.issue')) return 'ISSUE'
  if (isToday && hasCheckIn && now <= (checkInConfig.closesAt ?? endTime)) return 'CHECK_IN'
  // People who get the link now could only wait for a place.
  return isTaken(activity, now) && can('activityMessages.create') ? 'WRITE' : 'SHARE'
}

/** Whether somebody has registered, and nobody else gets a place by registering now. */
function isTaken({ registration, startTime, stats }: State, now: number): boolean {
  const confirmed = stats?.registrations.confirmed ?? 0
  if (registration === null || confirmed === 0) return false
  return confirmed >= (registration.capacity ?? Infinity) || now > (registration.closesAt ?? startTime)
}

/**
 * Whether somebody has no pass for certain. Passes of guests are counted with those of registered people, so that some may still lack theirs
 * when there are as many passes as registrations.
 */
const isLacking = ({ registration, stats }: State): boolean =>
  stats !== null && stats.passes < (registration === null ? 1 : stats.registrations.confirmed)
