/** Devices that have opened the link of a gate. */

import type { AppContext } from '#context'
import type { GateSession } from '#db/schema/activity-gates.ts'
import { type AuthenticateGate, findBySecret } from '#http/admission.ts'
import type { Caller } from '#http/endpoint.ts'
import { forbidden, notFound, unauthorized } from '#http/errors.ts'
import { organizationDisabled } from '#http/permissions.ts'
import { secret, sha256 } from '#platform/ids.ts'

import { findActivity } from '../activities.store.ts'
import { toView as toListView } from '../check-in-lists/check-in-lists.service.ts'
import { allLists } from '../check-in-lists/check-in-lists.store.ts'
import { publishedKeys } from '../pass-keys/pass-keys.service.ts'
import { zoneOf } from '../register/register.rules.ts'
import { endOf, expiryOf, type GateEndReason, isForList, SEEN_EVERY_MS, UPLOADED_UNTIL_MS } from './gate-links.rules.ts'
import * as store from './gate-links.store.ts'
import type { GateSessionView, GateState, OpenGate } from './gate-sessions.model.ts'

/** Makes tokens of gates easy to find where they do not belong. */
const PREFIX = 'tgt_'

const unknownToken = unauthorized('Open the link of the gate again', '请重新打开检票口链接')
const ENDED: Readonly<Record<GateEndReason, ReturnType<typeof unauthorized>>> = {
  DELETED: unauthorized('The activity of this gate was deleted', '该检票口所属的活动已删除'),
  CANCELLED: unauthorized('The activity of this gate was cancelled', '该检票口所属的活动已取消'),
  REVOKED: unauthorized('The organizer has ended this gate', '主办方已停用该检票口'),
  RENEWED: unauthorized(
    'The organizer has replaced the link of this gate: ask for the new one',
    '主办方已更换该检票口的链接，请索取新链接',
  ),
  EXPIRED: unauthorized('This gate has expired', '该检票口已过期'),
}
const tooManyDevices = (max: number) =>
  forbidden(
    `This gate is open on ${max} devices already, which is its limit: ask the organizer`,
    `该检票口已在 ${max} 台设备上打开，达到上限，请联系主办方`,
  )

/** With `takesEnded`, devices can upload earlier scans for some time after the end. */
export const authenticateGate: AuthenticateGate = async (ctx, token, { takesEnded = false }) => {
  const session = await store.findByTokenHash(ctx.db.read, sha256(token))
  if (session === undefined) return unknownToken
  const { gate, activity, device, orgStatus } = session
  const now = ctx.clock.now()
  const end = endOf(gate, activity, now, device)
  const isLate = end !== undefined && !(takesEnded && now < end.at + UPLOADED_UNTIL_MS)
  if (activity.deletedAt !== null) return ENDED.DELETED
  if (isLate) return ENDED[end.why]
  if (orgStatus === 'DISABLED') return organizationDisabled
  // The request goes on if this fails, which the store reports.
  if (device.lastSeenAt < now - SEEN_EVERY_MS)
    void ctx.db
      .write('gates.seen', (tx) => store.markSeen(tx, device.id, now), { isOneStatement: true })
      .catch(() => {})
  return session
}

/**
 * Opens a gate on a device.
 * @throws AppError 404 for a link that is wrong or has ended, 403 if the gate is open on as many devices as it may, 429 after too many wrong links
 */
export async function openGate(ctx: AppContext, input: OpenGate, caller: Caller): Promise<GateSessionView> {
  const secretHash = sha256(input.secret)
  const isLive = ({ gate, activity }: store.GateOfActivity) => endOf(gate, activity, ctx.clock.now()) === undefined
  const found = await findBySecret(ctx, caller, async () => {
    const row = await store.findBySecretHash(ctx.db.read, secretHash)
    return row && isLive(row) ? row : undefined
  })
  if (found === undefined) throw notFound()
  const token = PREFIX + secret()
  const session = await ctx.db.write(
    'gates.open',
    async (tx): Promise<GateSession> => {
      const row = await store.findBySecretHash(tx, secretHash)
      if (row === undefined || !isLive(row)) throw notFound()
      if (row.orgStatus === 'DISABLED') throw organizationDisabled
      const opening = {
        gateId: row.gate.id,
        deviceKey: sha256(input.deviceId),
        name: input.deviceName ?? '',
        tokenHash: sha256(token),
        lastSeenAt: ctx.clock.now(),
      }
      const device = (await store.reopen(tx, opening)) ?? (await store.addDevice(tx, opening))
      if (device === undefined) throw tooManyDevices(row.gate.maxDevices)
      return { ...row, device }
    },
    { inOrder: 'gate_devices' },
  )
  const state = await showGate(ctx, session)
  return { token, expiresAt: state.gate.expiresAt, ...state }
}

/** `waiting`: scans that wait on the device. */
export async function showGate(
  ctx: AppContext,
  { gate, device, activity: { id } }: GateSession,
  waiting: number = device.waiting,
): Promise<GateState> {
  if (waiting !== device.waiting)
    await ctx.db.write('gates.saveWaiting', (tx) => store.saveWaiting(tx, device.id, waiting), { isOneStatement: true })
  const activity = await findActivity(ctx.db.read, id)
  if (activity === undefined) throw ENDED.DELETED
  const lists = await allLists(ctx.db.read, id)
  const { keys } = await publishedKeys(ctx)
  return {
    gate: {
      id: gate.id,
      name: gate.name,
      device: { id: device.id, name: device.name || null },
      listIds: gate.listIds && [...gate.listIds],
      showNames: gate.showNames,
      canUndo: gate.canUndo,
      canSearch: gate.canSearch,
      direction: gate.direction,
      expiresAt: expiryOf(gate, activity),
    },
    activity: {
      id: activity.id,
      name: activity.name,
      startTime: activity.startTime,
      endTime: activity.endTime,
      timeZone: zoneOf(activity),
      location: activity.location || null,
      status: activity.status,
    },
    lists: lists.filter((list) => isForList(gate, list.id)).map(toListView),
    keys,
  }
}
