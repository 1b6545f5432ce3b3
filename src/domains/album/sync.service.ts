/** Photos of the album as devices that synchronize keep and change them. A deleted photo is gone together with its file. */

import { ownerKey } from '#db/owner-key.ts'
import type { Tx } from '#db/store.ts'
import type { SyncEntity, SyncState } from '#domains/contributions.ts'
import { budgetUsedUp, usesOf } from '#http/budget.ts'
import type { Owner } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { type CheckedItem, checkPosition, invalid, invalidAll, valueChecker } from '#http/validate.ts'

import { AddPhoto, ChangePhoto } from './album.model.ts'
import { PHOTO_BUDGET, photoChange } from './album.rules.ts'
import { checkCode, checkWatermark, deleteWithFile, insertPhoto, toView } from './album.service.ts'
import { findPhoto, type PhotoRow, updatePhoto } from './album.store.ts'
import { findPhotos, findStates, photoChanges } from './sync.store.ts'

const PART = 'data'
const checkNew = valueChecker(AddPhoto)
const checkChange = valueChecker(ChangePhoto)

export const photoEntity: SyncEntity = {
  readPoint: 'album:read',
  // No endpoint changes photos. Members who may add some may also correct them.
  points: { create: 'album:create', update: 'album:create', delete: 'album:delete' },
  references: { qrCodeId: 'qrCode' },

  changes: async (db, owner, range, limit) =>
    (await photoChanges(db, owner, range, limit)).map((row) => ({ ...row, isDeleted: false })),
  views: async (ctx, db, viewer, _locale, ids, until) =>
    (await findPhotos(db, viewer, ids, until)).map((row) => toView(ctx, row)),
  states: async (_ctx, db, _userId, ids) => (await findStates(db, ids)).map(stateOf),

  async prepareCreate(ctx, author, owner, data) {
    const input = valid(checkNew(data, PART))
    const { fileId } = input
    if (fileId == null) throw invalid(`${PART}.fileId`, 'is required', '不能为空')
    checkPosition(input, PART)
    checkWatermark(input.watermark, PART)
    const refusal = await ctx.exactLimiter.takeAll(await usesOf(ctx, PHOTO_BUDGET, author))
    if (refusal) throw budgetUsedUp(refusal)
    return async (tx, revived) => stateOf(await insertPhoto(tx, owner, input, fileId, PART, revived))
  },

  async prepareUpdate(_ctx, _author, owner, data) {
    const input = valid(checkChange(data, PART))
    checkWatermark(input.watermark, PART)
    return (tx, id) => changePhoto(tx, owner, id, input)
  },

  async remove(ctx, tx, owner, id) {
    const deleted = await deleteWithFile(ctx, tx, owner, id)
    if (deleted === undefined) throw notFound()
    return deleted
  },
}

/** @throws AppError 400 */
function valid<T>({ value, problems }: CheckedItem<T>): T {
  if (value === undefined) throw invalidAll(problems)
  return value
}

/** Values that the photo has already are not checked: its QR code may be in the trash. */
async function changePhoto(tx: Tx, owner: Owner, id: number, input: ChangePhoto): Promise<SyncState> {
  const photo = await findPhoto(tx, owner, id)
  if (photo === undefined) throw notFound()
  const change = photoChange(photo, input)
  if (Object.keys(change).length === 0) return stateOf(photo)
  checkPosition({ ...photo, ...change }, PART)
  if (change.qrCodeId != null) await checkCode(tx, owner, change.qrCodeId, PART)
  await updatePhoto(tx, owner, id, change)
  return { ...stateOf(photo), version: photo.version + 1, updatedAt: tx.stamp }
}

const stateOf = (row: Pick<PhotoRow, 'id' | 'userId' | 'orgId' | 'version' | 'updatedAt'>): SyncState => ({
  id: row.id,
  owner: ownerKey(row),
  version: row.version,
  updatedAt: row.updatedAt,
  isDeleted: false,
})
