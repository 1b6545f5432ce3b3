/** Decisions about an activity that all topics need. Pure. */

import type { activities } from '#db/schema/activities.ts'
import { serverZone } from '#platform/clock.ts'

/** The zone in which the times of the activity are named: an IANA name. */
export const zoneOf = ({ timeZone }: Pick<typeof activities.$inferSelect, 'timeZone'>): string =>
  timeZone || serverZone()
