/** Takes back the latest use of a pass. */

import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import { badRequest, notFound } from '#http/errors.ts'

import { IN_ORDER } from '../activities.store.ts'
import { countOnList } from '../check-in-lists/check-in-lists.store.ts'
import { findPass, type PassRow } from '../passes/passes.store.ts'
import { type Asking, manageActivity, refuseIfDisabled } from '../visibility/visibility.service.ts'
import type { PassUseView } from './gates.model.ts'
import { takesUse } from './gates.rules.ts'
import { countScans, countUses, type UseRow } from './gates.store.ts'
import { listUsesOf, saveListUses } from './list-uses.store.ts'
import * as store from './undo.store.ts'
import { toUseViews } from './uses.service.ts'

const wasRefused = () =>
  badRequest('This pass was refused: there is no use to undo', '该通行证被拒绝，没有可撤销的使用')
const hasLaterUse = ({ id, usedAt }: { readonly id: number; readonly usedAt: number }) => {
  const time = new Date(usedAt).toISOString()
  return badRequest(
    `The pass was used again later: undo record ${id} of ${time} first`,
    `该通行证之后又被使用，请先撤销记录 ${id}（${time}）`,
  )
}

/**
 * Takes back an accepted use: its pass is as it was before, and no count contains it. A use that was taken back already stays as it is.
 * @throws AppError 400 unless it is the latest use of its pass
 */
export async function undoUse(
  ctx: AppContext,
  activityId: number,
  id: number,
  reason: string | null | undefined,
  asking: Asking,
): Promise<PassUseView> {
  const activity = await manageActivity(ctx, activityId, 'pass:verify', asking)
  refuseIfDisabled(activity)
  const by = { undoneByUserId: asking.viewer.userId, undoneByGateId: null, undoReason: reason ?? '' }
  const { use, pass } = await undo(ctx, activityId, id, by)
  const [view] = await toUseViews(ctx, [use], new Map([[use.passId, pass.holderName]]), true)
  return view!
}

type Undoing = Pick<UseRow, 'undoneByUserId' | 'undoneByGateId' | 'undoReason'>

/** The same without a check of the caller: `refuse` throws if they may not undo this use. */
export const undo = (
  ctx: AppContext,
  activityId: number,
  id: number,
  by: Undoing,
  refuse?: (use: UseRow) => void,
): Promise<{ readonly use: UseRow; readonly pass: PassRow }> =>
  ctx.db.write(
    'gates.undo',
    async (tx) => {
      const use = await store.findUse(tx, activityId, id)
      if (use === undefined) throw notFound()
      refuse?.(use)
      if (use.result === 'REFUSED') throw wasRefused()
      const pass = await findPass(tx, use.passId!)
      if (pass === undefined) throw notFound()
      if (use.undoneAt !== null) return { use, pass }
      const [latest, before] = await store.latestUses(tx, pass.id, use.listId)
      if (latest!.id !== id) throw hasLaterUse(latest!)
      const taken = takesUse(use, before)
      if (use.listId !== null) await restoreOnList(tx, use, taken ? 1 : 0, before)
      else await store.restorePass(tx, pass.id, taken ? 1 : 0, before)
      if (taken && use.listId === null) await countUses(tx, activityId, -1)
      await countScans(tx, [use], -1)
      return { use: await store.markUndone(tx, id, { ...by, undoneAt: ctx.clock.now() }), pass }
    },
    IN_ORDER,
  )

/** `uses` are taken back from the pass on the list of the use, and `last` is the last use there that is left. */
async function restoreOnList(tx: Tx, use: UseRow, uses: number, last: UseRow | undefined): Promise<void> {
  const { activityId } = use
  const [passId, listId] = [use.passId!, use.listId!]
  const { usedCount, isInside } = (await listUsesOf(tx, activityId, passId, listId))!
  const after = { usedCount: usedCount - uses, isInside: last?.direction === 'ENTRY', lastUsedAt: last?.usedAt ?? null }
  await saveListUses(tx, { activityId, passId, listId, ...after })
  await countOnList(tx, listId, -uses, Number(after.isInside) - Number(isInside))
}
