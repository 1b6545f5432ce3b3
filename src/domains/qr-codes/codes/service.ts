import type { AppContext } from '#context'
import type { Tx } from '#db/store.ts'
import { notFound } from '#http/errors.ts'

import type { Owner } from '../owner.ts'
import { noSuchCategory, refuse } from './errors.ts'
import type { NewQrCode, QrCodeView, UpdateQrCode } from './model.ts'
import { checkRoom, quotaOf } from './quota.ts'
import { type Change, findCode, insertCode, type QrCodeRow, updateCode } from './store.ts'
import { toView } from './view.ts'
import { changeOf, checkMayPublish, contentProblem, isOwnCategory, newRow } from './write.ts'

export async function getCode(ctx: AppContext, owner: Owner, id: number): Promise<QrCodeView> {
  const row = await findCode(ctx.db.read, owner, id)
  if (row === undefined) throw notFound()
  return toView(ctx, row)
}

export async function createCode(ctx: AppContext, owner: Owner, input: NewQrCode): Promise<QrCodeView> {
  const problem = contentProblem(input.content, input.style?.level, 'body.content')
  if (problem) throw refuse(problem)
  if (input.isPublic) await checkMayPublish(ctx, owner)
  const values = newRow(input)
  const quota = await quotaOf(ctx)
  const row = await ctx.db.write('qrCodes.createCode', async (tx) => {
    if (values.categoryId !== null && !(await isOwnCategory(tx, owner, values.categoryId)))
      throw refuse(noSuchCategory('body.categoryId'))
    await checkRoom(tx, owner, quota, 1)
    return insertCode(tx, owner, values)
  })
  return toView(ctx, row)
}

export async function editCode(ctx: AppContext, owner: Owner, id: number, input: UpdateQrCode): Promise<QrCodeView> {
  if (input.isPublic) await checkMayPublish(ctx, owner)
  return change(ctx, owner, id, async (tx, row) => {
    const changed = changeOf(row, input)
    const content = changed.content ?? row.content
    const problem = contentProblem(
      content,
      (changed.style ?? row.style).level,
      input.content === undefined ? 'body.style' : 'body.content',
    )
    if (problem) throw refuse(problem)
    if (changed.categoryId != null && !(await isOwnCategory(tx, owner, changed.categoryId)))
      throw refuse(noSuchCategory('body.categoryId'))
    return changed
  })
}

export const pinCode = (ctx: AppContext, owner: Owner, id: number, pinned: boolean): Promise<QrCodeView> =>
  change(ctx, owner, id, () => ({ pinned }))

export const publishCode = (ctx: AppContext, owner: Owner, id: number, isPublic: boolean): Promise<QrCodeView> =>
  change(ctx, owner, id, () => ({ isPublic }))

/** To the trash: see `trash/`. */
export async function deleteCode(ctx: AppContext, owner: Owner, id: number): Promise<void> {
  await ctx.db.write('qrCodes.deleteCode', async (tx) => {
    const row = await findCode(tx, owner, id)
    if (row === undefined) throw notFound()
    await updateCode(tx, owner, row, { deletedAt: tx.stamp })
  })
}

/** Reads, decides and writes in one transaction, so that two changes at once never lose one. A change of nothing changes nothing. */
async function change(
  ctx: AppContext,
  owner: Owner,
  id: number,
  decide: (tx: Tx, row: QrCodeRow) => Change | Promise<Change>,
): Promise<QrCodeView> {
  const row = await ctx.db.write('qrCodes.updateCode', async (tx) => {
    const before = await findCode(tx, owner, id)
    if (before === undefined) throw notFound()
    const changed = await decide(tx, before)
    if (Object.keys(changed).length === 0) return before
    return updateCode(tx, owner, before, changed)
  })
  return toView(ctx, row)
}
