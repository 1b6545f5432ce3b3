import { endpoint, gate, gateUntilUploaded } from '#http/endpoint.ts'

import { PassUseView, UndoAtGate, VerifyAtGate } from '../gates/gates.model.ts'
import { RedemptionResults, Revocations, RevocationsAtGateQuery, UploadAtGate } from '../gates/offline.model.ts'
import { ByRecord, GatePassesQuery, GatePassPage, GateVerification } from './gate-scans.model.ts'
import * as service from './gate-scans.service.ts'

const shared = { tag: 'Passes', access: gate } as const

export const gateScanEndpoints = [
  endpoint({
    ...shared,
    id: 'gate.verify',
    method: 'POST',
    path: '/public/gate/verify',
    summary: 'Verify or redeem a pass at the gate of the device',
    description:
      'Like `POST /api/activities/{id}/pass/verify`. Without `redeem`, the answer shows only the state of the pass and the first character of the name.',
    body: VerifyAtGate,
    data: GateVerification,
    budgets: [{ ...service.redemptionsOfGate, cost: ({ body }) => (body.redeem === true ? 1 : 0) }],
    refuses: {
      400: 'The input is not valid, or the nonce was used for another pass.',
      403: 'The gate is not for this direction or check-in list, or the organization is disabled.',
    },
    run: ({ ctx, gate: session, body, caller }) => service.verifyAtGate(ctx, session, body, caller),
  }),
  endpoint({
    ...shared,
    id: 'gate.revocations',
    method: 'GET',
    path: '/public/gate/revocations',
    summary: 'List the revoked passes for the gate of the device',
    description:
      'Like `GET /api/activities/{id}/pass/revocations`, for checks without a connection. The list is signed.',
    query: RevocationsAtGateQuery,
    data: Revocations,
    refuses: { 403: 'The gate is not for this check-in list, or the organization is disabled.' },
    run: ({ ctx, gate: session, query }) => service.revocationsAtGate(ctx, session, query),
  }),
  endpoint({
    ...shared,
    id: 'gate.redemptions',
    method: 'POST',
    path: '/public/gate/redemptions',
    summary: 'Upload what the device has scanned without a connection',
    description:
      'Like `POST /api/activities/{id}/pass/redemptions`. For 48 hours after the end of the gate, its token is still taken here: what was scanned before ' +
      'the end is judged as usual, and later scans are `REFUSED` with `GATE_NOT_ALLOWED`.',
    access: gateUntilUploaded,
    body: UploadAtGate,
    data: RedemptionResults,
    maxBody: 4 * 1024 * 1024,
    budgets: [{ ...service.redemptionsOfGate, cost: ({ body }) => body.items.length }],
    run: ({ ctx, gate: session, body }) => service.uploadAtGate(ctx, session, body.items),
  }),
  endpoint({
    ...shared,
    id: 'gate.passes',
    method: 'GET',
    path: '/public/gate/passes',
    summary: 'Search passes by name at the gate of the device',
    description: 'If the gate has `canSearch`: the newest 20 that match. Managers see how often each device searches.',
    query: GatePassesQuery,
    data: GatePassPage,
    budgets: [service.searches],
    refuses: { 403: 'The gate may not look up passes, or the organization is disabled.' },
    run: ({ ctx, gate: session, query }) => service.searchAtGate(ctx, session, query),
  }),
  endpoint({
    ...shared,
    id: 'gate.undo',
    method: 'POST',
    path: '/public/gate/records/:id/undo',
    summary: 'Undo a scan of the gate of the device',
    description:
      'If the gate has `canUndo`, the latest use of a pass that one of its devices has scanned in the last 15 minutes. A use that was undone already is ' +
      'answered unchanged.',
    params: ByRecord,
    body: UndoAtGate,
    data: PassUseView,
    refuses: {
      400: 'The pass was refused, has a later accepted use, or was scanned too long ago.',
      403: 'The gate may not undo, or the organization is disabled.',
      404: 'The gate has no such record, or the pass was deleted.',
    },
    run: ({ ctx, gate: session, params, body }) => service.undoAtGate(ctx, session, params.id, body.reason),
  }),
]
