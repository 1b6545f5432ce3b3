/** Transfers: handing an asset to another custodian, location or organization, and the history of it. */

import type { AppContext } from '#context'
import { orgOf, ownerKey } from '#db/owner-key.ts'
import { mapPage, type Page, type PageInput } from '#db/paging.ts'
import type { Tx } from '#db/store.ts'
import { recordDeleted } from '#db/tombstones.ts'
import * as access from '#domains/access/index.ts'
import { giveToOrganization, storageQuota } from '#domains/files/index.ts'
import { giveFound } from '#domains/found/index.ts'
import { changeOwner } from '#domains/metadata/index.ts'
import { notify } from '#domains/notifications/index.ts'
import type { Caller, Owner } from '#http/endpoint.ts'
import { badRequest, notFound } from '#http/errors.ts'
import { invalid, invalidAll } from '#http/validate.ts'

import { giveMaintenance } from '../dues.store.ts'
import { toDetail } from '../entities.service.ts'
import * as store from '../history.store.ts'
import { giveLoans } from '../loans/loans.store.ts'
import { takenNumbers } from '../numbers.store.ts'
import { numberTaken, scrapped } from '../register/register.errors.ts'
import type { AssetChange } from '../register/register.rules.ts'
import { type AssetRow, findAsset, updateRows } from '../register/register.store.ts'
import {
  checkRoom,
  limitsOf,
  publishable,
  recordTransfers,
  referenceProblems,
  updateAssets,
} from '../writing.service.ts'
import type { TransferAsset, Transferred, TransferView } from './transfers.model.ts'

const nothingToTransfer = () =>
  badRequest(
    'Name a custodian, a location or an organization that the asset does not have yet',
    '请指定与当前不同的保管人、位置或组织',
  )
const twoCustodians = () => invalid('body.toUserId', 'must equal custodianId', '须与 custodianId 相同')
const notPersonal = () => invalid('body.toOrgId', 'is possible for your own assets only', '仅个人资产可以转给组织')

export async function transferAsset(
  ctx: AppContext,
  owner: Owner,
  id: number,
  input: TransferAsset,
  { locale }: Caller,
): Promise<Transferred> {
  const { custodianId, toUserId, locationId, toOrgId } = input
  if (custodianId !== undefined && toUserId !== undefined && custodianId !== toUserId) throw twoCustodians()
  const custodian = custodianId === undefined ? toUserId : custodianId
  const change: AssetChange = {
    ...(custodian !== undefined && { custodianId: custodian }),
    ...(locationId !== undefined && { locationId }),
  }
  const note = input.note ?? ''
  const give = toOrgId === undefined ? undefined : await prepareGift(ctx, owner, toOrgId)
  const { asset, transfer } = await ctx.db.write('assets.transfer', async (tx) => {
    const before = await findAsset(tx, owner, id)
    if (before === undefined) throw notFound()
    if (before.status === 'SCRAPPED') throw scrapped()
    const { row, transfers } =
      give === undefined ? await move(ctx, tx, owner, before, change, note) : await give(tx, before, change, note)
    if (transfers.length === 0) throw nothingToTransfer()
    await notifyCustodians(ctx, tx, owner, row, transfers)
    return { asset: row, transfer: transfers[0]! }
  })
  const viewer = { userId: owner.userId, orgId: orgOf(asset.owner) }
  return { asset: await toDetail(ctx, viewer, asset, locale), transfer: toView(transfer) }
}

interface Moved {
  readonly row: AssetRow
  readonly transfers: readonly store.TransferRow[]
}

async function move(
  ctx: AppContext,
  tx: Tx,
  owner: Owner,
  row: AssetRow,
  change: AssetChange,
  note: string,
): Promise<Moved> {
  const { rows, transfers } = await updateAssets(ctx, tx, owner, [{ row, change, path: 'body' }], { note })
  return { row: rows[0]!, transfers }
}

/**
 * Prepares giving personal assets to an organization in which the user may create assets. Category, custodian, location and the values
 * in the user's own fields are cleared, unless the request names others, and files count towards the organization's storage from then on.
 * @throws AppError 400 or 403
 */
async function prepareGift(ctx: AppContext, owner: Owner, toOrgId: number) {
  if (owner.orgId !== 0) throw notPersonal()
  await access.requirePoint(ctx, owner.userId, toOrgId, 'asset:create')
  const { quota } = await limitsOf(ctx)
  const storage = await storageQuota(ctx)
  const receiver: Owner = { userId: owner.userId, orgId: toOrgId }
  return async (tx: Tx, before: AssetRow, wanted: AssetChange, note: string): Promise<Moved> => {
    const change = { categoryId: null, custodianId: null, locationId: null, ...wanted }
    const problems = await referenceProblems(tx, receiver, [{ change, path: 'body' }])
    if ((await takenNumbers(tx, ownerKey(receiver), [before.assetNoKey])).size > 0)
      problems.push(numberTaken('body.toOrgId'))
    if (problems.length > 0) throw invalidAll(problems)
    await checkRoom(ctx, tx, receiver, quota, 1)
    const recordFiles = await giveMaintenance(tx, before.id, ownerKey(receiver))
    for (const file of [...before.photoIds, ...recordFiles]) await giveToOrganization(tx, file, toOrgId, storage)
    await changeOwner(ctx, tx, 'asset', before.id, before.owner, ownerKey(receiver), storage)
    const publicFields = await publishable(tx, receiver, before.publicFields)
    const given = { ...change, publicFields, owner: ownerKey(receiver) }
    const [row] = await updateRows(tx, [{ row: before, change: given }])
    await giveLoans(tx, before.id, ownerKey(receiver))
    await giveFound(tx, 'ASSET', before.id, ownerKey(receiver))
    await recordDeleted(tx, 'asset', [{ owner: before.owner, id: before.id, version: 0 }])
    return { row: row!, transfers: await recordTransfers(tx, owner, [{ before, after: row! }], note) }
  }
}

/** The custodians of an asset before and after a write. */
type Handover = Pick<store.TransferRow, 'fromUserId' | 'toUserId'>

/** Notifies new custodians of an asset, except the user who made them so. */
export async function notifyCustodians(
  ctx: AppContext,
  tx: Tx,
  { userId }: { readonly userId: number },
  asset: AssetRow,
  transfers: readonly Handover[],
): Promise<void> {
  for (const { fromUserId, toUserId } of transfers) {
    if (toUserId === null || toUserId === fromUserId || toUserId === userId) continue
    await notify(ctx, tx, {
      userIds: [toUserId],
      type: 'ASSET',
      title: { en: 'An asset was handed to you', zh: '你有新的保管资产' },
      body: {
        en: `You are now the custodian of ${asset.name} (${asset.assetNo}).`,
        zh: `你现在是资产 ${asset.name}（${asset.assetNo}）的保管人。`,
      },
      data: { assetId: asset.id, orgId: orgOf(asset.owner) || null, event: 'TRANSFERRED' },
      subject: `ASSET ${asset.id}`,
    })
  }
}

/** Assets that were handed over together, by their new custodians. */
export class Handovers {
  readonly #byPerson = new Map<number, { count: number; readonly ids: number[] }>()
  #first: { readonly row: AssetRow; readonly transfers: readonly Handover[] } | undefined

  take({ userId }: { readonly userId: number }, row: AssetRow, transfers: readonly Handover[]): void {
    for (const { fromUserId, toUserId } of transfers) {
      if (toUserId === null || toUserId === fromUserId || toUserId === userId) continue
      const found = this.#byPerson.get(toUserId) ?? { count: 0, ids: [] }
      this.#byPerson.set(toUserId, found)
      found.count += 1
      if (found.ids.length < MAX_LISTED) found.ids.push(row.id)
      this.#first ??= { row, transfers }
    }
  }

  /** Notifies each new custodian once. */
  async notify(ctx: AppContext, tx: Tx, owner: Owner): Promise<void> {
    const [[, only] = []] = this.#byPerson
    if (this.#byPerson.size === 1 && only?.count === 1 && this.#first !== undefined)
      return notifyCustodians(ctx, tx, owner, this.#first.row, this.#first.transfers)
    for (const [userId, { count, ids }] of this.#byPerson)
      await notify(ctx, tx, {
        userIds: [userId],
        type: 'ASSET',
        title: { en: 'Assets were handed to you', zh: '你有新的保管资产' },
        body: {
          en: count === 1 ? '1 asset was handed to you.' : `${count} assets were handed to you.`,
          zh: `你有 ${count} 项新的保管资产。`,
        },
        data: { assetIds: ids, orgId: owner.orgId || null, event: 'TRANSFERRED' },
      })
  }
}

/** Ids in a notification. */
const MAX_LISTED = 100

/** Newest first. */
export async function listTransfers(
  ctx: AppContext,
  owner: Owner,
  id: number,
  page: PageInput,
): Promise<Page<TransferView>> {
  if ((await findAsset(ctx.db.read, owner, id)) === undefined) throw notFound()
  return mapPage(await store.transfersPage(ctx.db.read, id, page), toView)
}

const toView = (row: store.TransferRow): TransferView => ({
  id: row.id,
  assetId: row.assetId,
  fromUserId: row.fromUserId,
  fromUserName: row.fromUserName,
  toUserId: row.toUserId,
  toUserName: row.toUserName,
  fromLocationId: row.fromLocationId,
  fromLocationName: row.fromLocationName,
  toLocationId: row.toLocationId,
  toLocationName: row.toLocationName,
  fromOrgId: row.fromOrgId,
  toOrgId: row.toOrgId,
  note: row.note,
  operatorId: row.operatorId,
  operatorName: row.operatorName,
  createdAt: row.createdAt,
})
