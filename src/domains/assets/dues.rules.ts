/** When maintenance is due. Pure. */

import type { assetMaintenancePlans, assetMaintenanceRecords } from '#db/schema/asset-maintenance.ts'
import { addDays, addMonths } from '#lib/days.ts'

type Plan = typeof assetMaintenancePlans.$inferSelect
export type Interval = Pick<Plan, 'everyDays' | 'everyMonths' | 'firstDue'>
export type Done = Pick<typeof assetMaintenanceRecords.$inferSelect, 'doneOn' | 'nextDue'>

const dayOfMonth = (day: string): number => Number(day.slice(-2))

/**
 * The next due date by the records of a plan, the oldest first. A plan that is due on the 31st is due on the last day of a shorter month; if
 * it is done on that day, the next date is the 31st again.
 */
export function dueAfter({ everyDays, everyMonths, firstDue }: Interval, records: readonly Done[]): string {
  let due = firstDue
  let dueDay = dayOfMonth(due)
  for (const { doneOn, nextDue } of records) {
    if (nextDue !== null || everyDays !== null) {
      due = nextDue ?? addDays(doneOn, everyDays!)
      dueDay = dayOfMonth(due)
      continue
    }
    if (doneOn !== addMonths(doneOn, 0, dueDay)) dueDay = dayOfMonth(doneOn)
    due = addMonths(doneOn, everyMonths!, dueDay)
  }
  return due
}

/** The day from which users are notified. */
export const soonOf = (dueOn: string, { leadDays }: Pick<Plan, 'leadDays'>): string => addDays(dueOn, -leadDays)
