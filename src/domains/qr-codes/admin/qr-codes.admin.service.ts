/** Codes, scan records and categories of all users, for administrators. */

import type { AppContext } from '#context'
import { mapPage, type Page } from '#db/paging.ts'
import { adminPage, hasFilters, ownersOf } from '#domains/admin/index.ts'
import { emit } from '#domains/domain.ts'
import { type Notice, notify } from '#domains/notifications/index.ts'
import type { Actor, LoggedActor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { invalid } from '#http/validate.ts'
import { parseName } from '#lib/host-name.ts'

import { viewOf } from '../categories/categories.service.ts'
import { categoryTree, codeCountsOf, deleteCategory, moveChildren } from '../categories/categories.store.ts'
import type { QrCodeView } from '../codes/codes.model.ts'
import { type QrCodeRow, setBlocked } from '../codes/codes.store.ts'
import { toView } from '../codes/codes.view.ts'
import { toView as toScanView } from '../scans/scans.service.ts'
import type { ScanRow } from '../scans/scans.store.ts'
import { purge } from '../trash/trash.service.ts'
import type {
  AllCategoriesQuery,
  AllCodesQuery,
  AllScansQuery,
  AnyCategoryView,
  AnyCodeView,
  AnyScanView,
  BlockCode,
} from './qr-codes.admin.model.ts'
import * as store from './qr-codes.admin.store.ts'

export async function listAllCodes(ctx: AppContext, actor: Actor, query: AllCodesQuery): Promise<Page<AnyCodeView>> {
  const page = await codesPage(ctx, actor.userId, query)
  const ownerOf = await ownersOf(ctx.db.read, page.items)
  return mapPage(page, (row) => viewOfAny(ctx, row, ownerOf))
}

const viewOfAny = (ctx: AppContext, row: QrCodeRow, ownerOf: Awaited<ReturnType<typeof ownersOf>>): AnyCodeView => ({
  ...toView(ctx, row),
  deletedAt: row.deletedAt,
  ...ownerOf(row),
})

async function codesPage(ctx: AppContext, adminId: number, input: AllCodesQuery): Promise<Page<QrCodeRow>> {
  const query = input.host === undefined ? input : { ...input, host: hostNamed(input.host) }
  const category = await selectedCategory(ctx, query)
  const hasMany = query.userId !== undefined && (await store.hasManyCodes(ctx.db.read, query.userId))
  const list = store.filteredCodes(query, category, hasMany)
  return hasFilters(query, ['deleted']) ? adminPage(ctx, adminId, list, query) : store.allCodesPage(ctx.db.read, query)
}

function hostNamed(text: string): string {
  const host = text.startsWith('*') ? undefined : parseName(text)
  if (host === undefined) throw invalid('query.host', 'must be the name of a host', '须为主机名')
  return host
}

/** Undefined for all codes, null for those without a category. An unknown category has no codes. */
async function selectedCategory(
  ctx: AppContext,
  { categoryId }: AllCodesQuery,
): Promise<store.Branch | null | undefined> {
  if (categoryId === undefined) return undefined
  if (categoryId === 0) return null
  const ownerId = (await store.findAnyCategory(ctx.db.read, categoryId))?.userId
  if (ownerId === undefined) return { ownerId: 0, categoryIds: [] }
  return { ownerId, categoryIds: await categoryTree.branchIds(ctx.db.read, ownerId, categoryId) }
}

/** In the trash or not. */
export async function getAnyCode(ctx: AppContext, id: number): Promise<QrCodeView> {
  const row = await store.findAnyCode(ctx.db.read, id)
  if (row === undefined) throw notFound()
  return toView(ctx, row)
}

/** Deletes a code permanently, in the trash or not. */
export async function deleteAnyCode(ctx: AppContext, actor: LoggedActor, id: number): Promise<void> {
  await actor.write('qrCodes.deleteAny', async (tx) => {
    const row = await store.findAnyCode(tx, id)
    if (row === undefined) throw notFound()
    await purge(ctx, tx, [id])
    // Without the content, which can hold the password of a Wi-Fi network.
    const { name, contentType, isPublic, userId, orgId } = row
    const before = { name, contentType, isPublic, userId, orgId: orgId || null }
    return { result: undefined, logged: { targetId: id, targetName: name, before } }
  })
}

/** Blocks a code, in the trash or not, or unblocks it. The owner is notified unless it is the administrator. */
export async function blockAnyCode(
  ctx: AppContext,
  actor: LoggedActor,
  id: number,
  { blocked, reason }: BlockCode,
): Promise<AnyCodeView> {
  const row = await actor.write('qrCodes.blockAny', async (tx) => {
    const before = await store.findAnyCode(tx, id)
    if (before === undefined) throw notFound()
    if (blocked === (before.blockedAt !== null)) return { result: before, logged: 'unchanged' }
    const after = await setBlocked(tx, before, blocked ? tx.stamp : null)
    const ownerId = await store.ownerOfCode(tx, before)
    if (ownerId !== actor.userId) await notify(ctx, tx, { userIds: [ownerId], ...noticeOf(after, reason ?? '') })
    const logged = {
      action: blocked ? 'QR_CODE_BLOCK' : 'QR_CODE_UNBLOCK',
      targetId: id,
      targetName: before.name,
      before: { blocked: !blocked },
      after: { blocked, ...(reason && { reason }) },
    } as const
    return { result: after, logged }
  })
  return viewOfAny(ctx, row, await ownersOf(ctx.db.read, [row]))
}

function noticeOf({ id, orgId, name, blockedAt }: QrCodeRow, reason: string): Omit<Notice, 'userIds'> {
  const isBlocked = blockedAt !== null
  const why = reason === '' ? { en: '', zh: '' } : { en: ` Reason: ${reason}`, zh: `原因：${reason}` }
  return {
    type: 'SYSTEM',
    title: isBlocked
      ? { en: `An administrator of the server blocked ${name}`, zh: `服务器管理员封禁了二维码“${name}”` }
      : { en: `An administrator of the server unblocked ${name}`, zh: `服务器管理员解除了对二维码“${name}”的封禁` },
    body: isBlocked
      ? {
          en: `People who scan it read that it is blocked.${why.en}`,
          zh: `扫码者会看到此二维码已被封禁的提示。${why.zh}`,
        }
      : { en: `It leads to its content again.${why.en}`, zh: `扫码后可再次打开其内容。${why.zh}` },
    data: { qrCodeId: id, orgId: orgId || null, event: isBlocked ? 'QR_CODE_BLOCKED' : 'QR_CODE_UNBLOCKED' },
    // An administrator can do both again and again.
    subject: `QR_CODE_BLOCKED ${id}`,
  }
}

export async function listAllScans(ctx: AppContext, actor: Actor, query: AllScansQuery): Promise<Page<AnyScanView>> {
  const page = await scansPage(ctx, actor.userId, query)
  const ownerOf = await ownersOf(
    ctx.db.read,
    page.items.map(({ userId }) => ({ userId, orgId: 0 })),
  )
  return mapPage(page, (row) => ({ ...toScanView(row), owner: ownerOf({ userId: row.userId, orgId: 0 }).owner }))
}

const scansPage = (ctx: AppContext, adminId: number, query: AllScansQuery): Promise<Page<ScanRow>> =>
  hasFilters(query)
    ? adminPage(ctx, adminId, store.filteredScans(query), query)
    : store.allScansPage(ctx.db.read, query)

/** The codes of a page's categories are counted on the worker: a category can have a million. */
export async function listAllCategories(
  ctx: AppContext,
  actor: Actor,
  query: AllCategoriesQuery,
): Promise<Page<AnyCategoryView>> {
  const page = await adminPage(ctx, actor.userId, store.allCategories(query), query)
  const ownerOf = await ownersOf(
    ctx.db.read,
    page.items.map(({ userId }) => ({ userId, orgId: 0 })),
  )
  const counts = await codeCountsOf(ctx.db.readInWorker, page.items)
  return mapPage(page, (row) => ({ ...viewOf(row, counts), ...ownerOf({ userId: row.userId, orgId: 0 }) }))
}

/** Deletes a category of any user. The categories below it move to its parent. */
export async function deleteAnyCategory(ctx: AppContext, actor: LoggedActor, id: number): Promise<void> {
  await actor.write('qrCodes.deleteAnyCategory', async (tx) => {
    const row = await store.findAnyCategory(tx, id)
    if (row === undefined) throw notFound()
    const { name, parentId, userId } = row
    const movedChildren = await moveChildren(tx, userId, id, parentId)
    await emit(ctx, tx, 'category.deleting', { userId, id })
    await deleteCategory(tx, userId, id)
    const before = { name, parentId, userId, movedChildren }
    return { result: undefined, logged: { targetId: id, targetName: name, before } }
  })
}
