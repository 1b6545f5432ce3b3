/** Activities and what belongs to them as webhooks tell of them: without codes, contacts of people, and contents of passes. */

import type { EventRows } from '#domains/contributions.ts'
import { Id, Model, Nullable, Text, Time } from '#http/schema.ts'

import { findActivity } from './activities.store.ts'
import { CheckInView } from './check-ins/check-ins.model.ts'
import { toView as toCheckInView } from './check-ins/check-ins.service.ts'
import { checkInsByIds } from './check-ins/check-ins.store.ts'
import * as store from './event-rows.store.ts'
import { PassView } from './passes/passes.model.ts'
import { viewOf } from './passes/passes.view.ts'
import { ActivityView } from './register/register.model.ts'
import { toView } from './register/register.view.ts'
import { RegistrationStatus } from './registrations/registrations.model.ts'

const activities: EventRows = {
  schema: ActivityView,
  name: 'name',
  async rows(ctx, tx, _owner, ids) {
    const views = []
    for (const id of ids) {
      const row = await findActivity(tx, id)
      if (row !== undefined) views.push(await toView(ctx, row, { isManager: false, isMember: true }))
    }
    return views
  },
}

const registrations: EventRows = {
  schema: Model('RegistrationEvent', {
    id: Id,
    activityId: Id,
    userId: Nullable({ ...Id, description: 'Null for a guest' }),
    name: Text('Lin Mei'),
    status: RegistrationStatus,
    createdAt: Time,
    updatedAt: Time,
  }),
  name: 'name',
  rows: (_ctx, tx, _owner, ids) => store.registrationsByIds(tx, ids),
}

const checkIns: EventRows = {
  schema: CheckInView,
  name: 'nickname',
  rows: async (_ctx, tx, _owner, ids) => (await checkInsByIds(tx, ids)).map(toCheckInView),
}

/** With them somebody could get in. */
const { uuid: _uuid, qrContent: _qrContent, publicUrl: _publicUrl, fields: _fields, ...shown } = PassView.properties

const passes: EventRows = {
  schema: Model('PassEvent', shown),
  name: 'holderName',
  rows: async (ctx, tx, _owner, ids) =>
    (await store.passesByIds(tx, ids)).map((row) => {
      const { uuid: _1, qrContent: _2, publicUrl: _3, fields: _4, ...view } = viewOf(ctx, row, null)
      return view
    }),
}

export const eventRows = { activity: activities, registration: registrations, check_in: checkIns, pass: passes }
