/** Devices of gates without an account check, redeem and look up passes, and undo uses. */

import type { AppContext } from '#context'
import type { Page } from '#db/paging.ts'
import type { GateSession } from '#db/schema/activity-gates.ts'
import type { Direction } from '#db/schema/passes.ts'
import type { Budget } from '#http/budget.ts'
import type { Caller } from '#http/endpoint.ts'
import { badRequest, forbidden, notFound } from '#http/errors.ts'
import { MINUTE } from '#platform/clock.ts'

import type { PassUseView, VerifyAtGate } from '../gates/gates.model.ts'
import { type Checker, checkFound, claimOf, findClaimed, redeem, redemptions } from '../gates/gates.service.ts'
import type { UseRow } from '../gates/gates.store.ts'
import type { RedemptionItem, RedemptionResults, Revocations } from '../gates/offline.model.ts'
import { revocationsOf, type Since, upload } from '../gates/offline.service.ts'
import { undo } from '../gates/undo.service.ts'
import { toUseViews } from '../gates/uses.service.ts'
import { maskName } from '../passes/passes.rules.ts'
import { type PassRow, searchPasses } from '../passes/passes.store.ts'
import { viewOf } from '../passes/passes.view.ts'
import { endOf, isForList, UNDO_MS } from './gate-links.rules.ts'
import { countSearch } from './gate-links.store.ts'
import { type GatePass, type GatePassesQuery, type GateVerification, MAX_FOUND } from './gate-scans.model.ts'

export const redemptionsOfGate: Omit<Budget, 'cost'> = { ...redemptions, name: 'redemptions of a gate', per: 'gate' }

export const searches: Budget = {
  name: 'searches of a gate',
  counts: { en: 'searches', zh: '查找次数' },
  per: 'device of a gate',
  limit: 60,
  windowMs: MINUTE,
}

const isForEntries = () => forbidden('This gate is for entries only', '该检票口仅用于入场')
const isForExits = () => forbidden('This gate is for exits only', '该检票口仅用于离场')
const isForOtherLists = () => forbidden('This gate is not for this check-in list', '该检票口不用于此签到名单')
const mayNotUndo = () => forbidden('This gate may not undo scans', '该检票口不能撤销')
const mayNotSearch = () => forbidden('This gate may not look up passes by name', '该检票口不能按姓名查找')
const tooLate = () =>
  badRequest(
    'Only scans of the last 15 minutes can be undone here: ask the organizer',
    '只能撤销 15 分钟内的扫码，请联系主办方',
  )

/** 0 instead of a user: see the column. */
const checkerOf = ({ gate, device }: GateSession): Checker => ({
  verifierUserId: 0,
  gateId: gate.id,
  gateDeviceId: device.id,
})

const isFor = ({ gate }: GateSession, direction: Direction): boolean =>
  gate.direction === 'BOTH' || gate.direction === direction

/** The direction of a scan, by default the one that the gate is for. @throws AppError 403 if it is not for this one */
function directionAt(session: GateSession, given: Direction | null | undefined): Direction {
  const direction = given ?? (session.gate.direction === 'EXIT' ? 'EXIT' : 'ENTRY')
  if (!isFor(session, direction)) throw direction === 'ENTRY' ? isForExits() : isForEntries()
  return direction
}

export async function verifyAtGate(
  ctx: AppContext,
  session: GateSession,
  input: VerifyAtGate,
  caller: Caller,
): Promise<GateVerification> {
  const { activity } = session
  const claim = claimOf(input, 'body')
  const direction = directionAt(session, input.direction)
  const listId = input.listId ?? null
  if (!isForList(session.gate, listId)) throw isForOtherLists()
  const checker = checkerOf(session)
  if (input.redeem !== true) {
    const found = await findClaimed(ctx, activity.id, claim)
    return checkFound(
      ctx,
      activity,
      found,
      { direction, listId },
      {
        checker,
        counted: redemptionsOfGate,
        actor: undefined,
        caller,
      },
    )
  }
  const { use, pass } = await redeem(ctx, {
    activityId: activity.id,
    claim,
    direction,
    nonce: input.nonce ?? null,
    listId,
    checker,
  })
  return {
    valid: use.result === 'ACCEPTED',
    reason: use.reason,
    pass: pass === undefined ? null : gatePass(ctx, session, pass),
    use: await shownUse(ctx, session, use, pass),
    undone: use.undoneAt !== null,
  }
}

async function shownUse(
  ctx: AppContext,
  session: GateSession,
  use: UseRow,
  pass: PassRow | undefined,
): Promise<PassUseView> {
  const { gate, device } = session
  // A repeated scan can be one of another device.
  const own = use.gateDeviceId === device.id && {
    devices: new Map([[device.id, { id: gate.id, name: gate.name, deviceName: device.name || null }]]),
    names: new Map([[gate.id, gate.name]]),
  }
  const [view] = await toUseViews(ctx, [use], new Map([[use.passId, pass?.holderName]]), true, own || undefined)
  return gateUse(session, view!)
}

/** Items that were scanned after the end of the gate, or in a direction or on a list that it is not for, are refused. */
export const uploadAtGate = (
  ctx: AppContext,
  session: GateSession,
  items: readonly RedemptionItem[],
): Promise<RedemptionResults> => {
  const { gate, device, activity } = session
  const end = endOf(gate, activity, ctx.clock.now(), device)?.at ?? Infinity
  return upload(ctx, activity, items, {
    checker: checkerOf(session),
    isRefused: ({ direction, listId, usedAt }) =>
      usedAt >= end || !isFor(session, direction) || !isForList(gate, listId),
  })
}

export async function revocationsAtGate(
  ctx: AppContext,
  { gate, activity }: GateSession,
  query: Since,
): Promise<Revocations> {
  if (query.listId !== undefined && !isForList(gate, query.listId)) throw isForOtherLists()
  return revocationsOf(ctx, activity.id, query)
}

/** Passes by the name of the holder. Each search is counted, which managers see. */
export async function searchAtGate(
  ctx: AppContext,
  session: GateSession,
  { keyword }: GatePassesQuery,
): Promise<Page<GatePass>> {
  const { gate, device, activity } = session
  if (!gate.canSearch || !gate.showNames) throw mayNotSearch()
  await ctx.db.write('gates.countSearch', (tx) => countSearch(tx, device.id), { isOneStatement: true })
  // Devices wait for their own searches only. No user has a negative id.
  const found = await ctx.db.search(-device.id, (db) =>
    searchPasses(db, { activityId: activity.id }, { keyword }, ctx.clock.now(), { page: 1, size: MAX_FOUND }),
  )
  return { ...found, items: found.items.map((row) => gatePass(ctx, session, row)) }
}

/** Takes back the latest use of a pass, if a device of this gate has scanned it a short time ago. */
export async function undoAtGate(
  ctx: AppContext,
  session: GateSession,
  id: number,
  reason: string | null | undefined,
): Promise<PassUseView> {
  const { gate, activity } = session
  if (!gate.canUndo) throw mayNotUndo()
  const by = { undoneByUserId: null, undoneByGateId: gate.id, undoReason: reason ?? '' }
  const { use, pass } = await undo(ctx, activity.id, id, by, (use) => {
    if (use.gateId !== gate.id) throw notFound()
    if (use.undoneAt === null && use.usedAt < ctx.clock.now() - UNDO_MS) throw tooLate()
  })
  return shownUse(ctx, session, use, pass)
}

/** A pass as the gate sees it. A reason that a manager wrote may name the holder, too. */
function gatePass(ctx: AppContext, { gate: { showNames } }: GateSession, row: PassRow): GatePass {
  const { holderUserId: _, qrContent: __, publicUrl: ___, ...shown } = viewOf(ctx, row, null)
  return showNames ? shown : { ...shown, holderName: maskName(row.holderName), fields: [], revokeReason: null }
}

/** A record, from that of managers. Users who have undone it and their reasons are not shown. */
function gateUse({ gate: { showNames } }: GateSession, use: PassUseView): PassUseView {
  const isUndoneByGate = use.undoneBy?.gateId !== undefined
  return {
    ...use,
    holderName: showNames || use.holderName === '' ? use.holderName : maskName(use.holderName),
    verifierUserId: null,
    undoneBy: isUndoneByGate ? use.undoneBy : null,
    undoReason: isUndoneByGate ? use.undoReason : null,
  }
}
