/** Check-ins by hand. */

import type { AppContext } from '#context'
import { badRequest, notFound } from '#http/errors.ts'

import { noCheckIn, notActive } from '../activities.errors.ts'
import { findActivity, IN_ORDER } from '../activities.store.ts'
import { deleteRecord } from '../check-ins/check-ins.admin.store.ts'
import type { CheckInView } from '../check-ins/check-ins.model.ts'
import { toView } from '../check-ins/check-ins.service.ts'
import * as checkIns from '../check-ins/check-ins.store.ts'
import { managedRegistration } from '../participants/listing.service.ts'
import { findById } from '../registrations/waiting.store.ts'
import { type Asking, MANAGER_POINT, refuseIfDisabled } from '../visibility/visibility.service.ts'
import type { CheckInByHand } from './additions.model.ts'

const noPlace = () => badRequest('Only CONFIRMED participants can be checked in', '仅可为已报名的参与者签到')
const notByHand = () => badRequest('The person was not checked in by hand', '该人员没有人工签到记录')

/** A participant who has checked in already keeps that check-in, which is answered. `undo` answers the check-in that it deletes. */
export async function checkInByHand(
  ctx: AppContext,
  id: number,
  { undo }: CheckInByHand,
  asking: Asking,
): Promise<CheckInView> {
  await managedRegistration(ctx, id, MANAGER_POINT, asking)
  const record = await ctx.db.write(
    'registrations.checkIn',
    async (tx) => {
      const row = await findById(tx, id)
      const activity = row && (await findActivity(tx, row.activityId))
      if (row === undefined || activity === undefined) throw notFound()
      refuseIfDisabled(activity)
      const participant = {
        activityId: activity.id,
        userId: row.userId,
        registrationId: row.userId === null ? id : null,
      }
      if (undo) {
        const latest = await checkIns.latestOf(tx, participant, 'MANUAL')
        if (latest === undefined || !(await deleteRecord(tx, latest.id))) throw notByHand()
        return latest
      }
      if (!activity.hasCheckIn) throw noCheckIn()
      if (activity.status !== 'ACTIVE') throw notActive()
      if (row.status !== 'CONFIRMED') throw noPlace()
      await checkIns.insertByHand(tx, participant)
      return (await checkIns.latestOf(tx, participant))!
    },
    IN_ORDER,
  )
  return toView(record)
}
