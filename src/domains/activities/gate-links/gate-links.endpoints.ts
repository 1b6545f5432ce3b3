import { dualByRow, endpoint } from '#http/endpoint.ts'
import { ById, InOrg } from '#http/schema.ts'

import { ByGate, GatePage, GatesQuery, GateView, NewGate, newGates, UpdateGate } from './gate-links.model.ts'
import { MAX_LIVE_GATES } from './gate-links.rules.ts'
import * as service from './gate-links.service.ts'

const shared = { tag: 'Passes', access: dualByRow('activity:update') } as const
const refuses = {
  400: 'The gate or the activity has ended, or the gate would have.',
  403: 'You may see the activity, but not change it.',
} as const

export const gateLinkEndpoints = [
  endpoint({
    ...shared,
    id: 'activityGates.create',
    method: 'POST',
    path: '/api/activities/:id/gates',
    summary: 'Create a gate that needs no account',
    description:
      'Anyone who gets its `url`, for example as a QR code, can scan passes of the activity with a phone, and sees nothing else. An activity has at most ' +
      `${MAX_LIVE_GATES} gates that have not ended.`,
    params: ById,
    query: InOrg,
    body: NewGate,
    data: GateView,
    budgets: [newGates],
    refuses: { 400: 'The activity is over, or the gate would have ended.', 403: refuses[403] },
    run: ({ ctx, owner, params, body, caller }) => service.createGate(ctx, params.id, body, { viewer: owner, caller }),
  }),
  endpoint({
    ...shared,
    id: 'activityGates.list',
    method: 'GET',
    path: '/api/activities/:id/gates',
    summary: 'List the gates of an activity that need no account, newest first',
    description: 'With those that have ended. Without the point `activity:update` the links are null.',
    access: dualByRow('pass:verify'),
    params: ById,
    query: GatesQuery,
    data: GatePage,
    refuses: { 403: 'You may see the activity, but not verify its passes.' },
    run: ({ ctx, owner, params, query, caller }) => service.listGates(ctx, params.id, query, { viewer: owner, caller }),
  }),
  endpoint({
    ...shared,
    id: 'activityGates.update',
    method: 'PUT',
    path: '/api/activities/:id/gates/:gateId',
    summary: 'Update a gate that needs no account',
    description:
      'Absent fields stay; null sets the default. Its devices have the new settings with their next request. Those beyond a lower `maxDevices` stay.',
    params: ByGate,
    query: InOrg,
    body: UpdateGate,
    data: GateView,
    refuses,
    run: ({ ctx, owner, params, body, caller }) => service.updateGate(ctx, params, body, { viewer: owner, caller }),
  }),
  endpoint({
    ...shared,
    id: 'activityGates.revoke',
    method: 'DELETE',
    path: '/api/activities/:id/gates/:gateId',
    summary: 'End a gate that needs no account',
    description:
      'Its link and its devices end at once. For 48 hours the devices can still upload what they have scanned before. Ending it again changes nothing.',
    params: ByGate,
    query: InOrg,
    refuses: { 403: refuses[403] },
    run: ({ ctx, owner, params, caller }) => service.revokeGate(ctx, params, { viewer: owner, caller }),
  }),
  endpoint({
    ...shared,
    id: 'activityGates.renew',
    method: 'POST',
    path: '/api/activities/:id/gates/:gateId/renew',
    summary: 'Replace the link of a gate that needs no account',
    description: 'The old link and the devices that have opened it end at once.',
    params: ByGate,
    query: InOrg,
    data: GateView,
    refuses,
    run: ({ ctx, owner, params, caller }) => service.renewGate(ctx, params, { viewer: owner, caller }),
  }),
]
