import { endpoint, gate, open } from '#http/endpoint.ts'

import { GateQuery, GateSessionView, GateState, OpenGate } from './gate-sessions.model.ts'
import * as service from './gate-sessions.service.ts'

const tag = 'Passes'

export const gateSessionEndpoints = [
  endpoint({
    id: 'gate.open',
    method: 'POST',
    path: '/public/gate/session',
    summary: 'Open a gate on a device',
    description:
      'With the secret of its link, which a manager hands over. The token opens the operations under `/public/gate` of this activity alone; there is no ' +
      'refresh. It ends with the gate. Of wrong links, 60 a minute from an IP address are answered.',
    tag,
    access: open,
    isSecretLink: true,
    body: OpenGate,
    data: GateSessionView,
    refuses: {
      403: 'The gate is open on as many devices as it may, or the organization is disabled.',
      404: 'The link is wrong or has ended.',
    },
    run: ({ ctx, body, caller }) => service.openGate(ctx, body, caller),
  }),
  endpoint({
    id: 'gate.get',
    method: 'GET',
    path: '/public/gate',
    summary: 'Get the gate of the device',
    description: 'With its activity, and the keys for checking passes without a connection.',
    tag,
    access: gate,
    query: GateQuery,
    data: GateState,
    run: ({ ctx, gate: session, query }) => service.showGate(ctx, session, query.waiting),
  }),
]
