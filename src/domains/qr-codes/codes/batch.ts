import type { AppContext } from '#context'
import type { FieldProblem } from '#http/errors.ts'
import { invalidAll } from '#http/validate.ts'

import type { Owner } from '../owner.ts'
import { noSuchCategory } from './errors.ts'
import type { NewQrCode, QrCodeView } from './model.ts'
import { checkRoom, quotaOf } from './quota.ts'
import { insertCode, type QrCodeRow } from './store.ts'
import { toView } from './view.ts'
import { checkMayPublish, contentProblem, isOwnCategory, newRow } from './write.ts'

/** All or nothing. Every item that cannot be is named in the `details` of the one 400. */
export async function createBatch(
  ctx: AppContext,
  owner: Owner,
  items: readonly NewQrCode[],
): Promise<{ items: QrCodeView[]; count: number }> {
  if (items.some((item) => item.isPublic)) await checkMayPublish(ctx, owner)
  const tooLong = items.map((item, i) => contentProblem(item.content, item.style?.level, `body.items.${i}.content`))
  const values = items.map(newRow)
  const categoryIds = new Set(values.flatMap((row) => (row.categoryId === null ? [] : [row.categoryId])))
  const quota = await quotaOf(ctx)
  const rows = await ctx.db.write('qrCodes.createBatch', async (tx) => {
    const unknown = new Set<number>()
    for (const id of categoryIds) if (!(await isOwnCategory(tx, owner, id))) unknown.add(id)
    const problems = values.flatMap(({ categoryId }, i): FieldProblem[] => [
      ...(tooLong[i] ? [tooLong[i]] : []),
      ...(categoryId !== null && unknown.has(categoryId) ? [noSuchCategory(`body.items.${i}.categoryId`)] : []),
    ])
    if (problems.length > 0) throw invalidAll(problems)
    await checkRoom(tx, owner, quota, values.length)
    const made: QrCodeRow[] = []
    for (const row of values) made.push(await insertCode(tx, owner, row))
    return made
  })
  return { items: rows.map((row) => toView(ctx, row)), count: rows.length }
}
