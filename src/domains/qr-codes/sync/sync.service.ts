/** Codes, categories and scan records as rows that devices keep and change without a network. */

import type { SyncEntity, SyncState } from '#domains/contributions.ts'
import { notFound } from '#http/errors.ts'

import { addCategory, changeCategory, removeCategory, toViews } from '../categories/categories.service.ts'
import { withoutCheck } from '../codes/chosen-designs.service.ts'
import { moveToTrash, prepareChange, prepareCode, quotaOf } from '../codes/codes.service.ts'
import { findAnyCode, updateCode } from '../codes/codes.store.ts'
import { toView } from '../codes/codes.view.ts'
import { changeScan, prepareScan, removeScan, toView as toScanView } from '../scans/scans.service.ts'
import { restoring } from '../trash/trash.service.ts'
import { categoryData, codeData, newCategoryData, newCodeData, newScanData, scanData } from './sync.model.ts'
import * as store from './sync.store.ts'

const codes: SyncEntity = {
  readPoint: 'qr_code:read',
  points: { create: 'qr_code:create', update: 'qr_code:update', delete: 'qr_code:delete' },
  references: { categoryId: 'category' },
  changes: store.codeChanges,
  views: async (ctx, db, viewer, _locale, ids, until) =>
    (await store.unchangedCodes(db, viewer, ids, until)).map((row) => toView(ctx, row)),
  states: (_ctx, db, _userId, ids) => store.codeStates(db, ids),
  async prepareCreate(ctx, _author, owner, data) {
    const { insert } = await prepareCode(ctx, owner, newCodeData(data), 'data')
    return async (tx, revived) => store.codeState(await insert(tx, revived))
  },
  async prepareUpdate(ctx, _author, owner, data) {
    const decide = await prepareChange(ctx, owner, codeData(data), 'data')
    const quota = await quotaOf(ctx)
    return async (tx, id) => {
      const row = await findAnyCode(tx, owner, id)
      if (row === undefined) throw notFound()
      const restored = row.deletedAt === null ? {} : await restoring(ctx, tx, owner, quota, row)
      const change = await withoutCheck(ctx, tx, row, await decide(tx, row))
      return store.codeState(await updateCode(tx, owner, row, { ...restored, ...change }))
    }
  },
  remove: async (_ctx, tx, owner, id) => store.codeState(await moveToTrash(tx, owner, id)),
}

/** The state of a row that a write has just deleted permanently. */
const removed = (userId: number, id: number, version: number, stamp: number): SyncState => ({
  id,
  owner: -userId,
  version,
  updatedAt: stamp,
  isDeleted: true,
})

const categories: SyncEntity = {
  points: { create: 'category:create', update: 'category:update', delete: 'category:delete' },
  references: { parentId: 'category' },
  changes: store.categoryRows.changes,
  async views(_ctx, db, { userId }, _locale, ids, until) {
    const rows = await store.categoryRows.unchanged(db, userId, ids, until)
    const views = await toViews(db, userId, rows)
    return rows.map(({ version, updatedAt }, i) => ({ ...views[i]!, orgId: null, version, updatedAt }))
  },
  states: (_ctx, db, _userId, ids) => store.categoryRows.states(db, ids),
  async prepareCreate(_ctx, _author, { userId }, data) {
    const input = newCategoryData(data)
    return async (tx, revived) => store.personalState(await addCategory(tx, userId, input, 'data', revived))
  },
  async prepareUpdate(_ctx, _author, { userId }, data) {
    const input = categoryData(data)
    return async (tx, id) => store.personalState(await changeCategory(tx, userId, id, input, 'data'))
  },
  remove: async (ctx, tx, { userId }, id) => removed(userId, id, await removeCategory(ctx, tx, userId, id), tx.stamp),
}

const scans: SyncEntity = {
  points: { create: 'scan_record:create', update: 'scan_record:update', delete: 'scan_record:delete' },
  references: { qrCodeId: 'qrCode' },
  changes: store.scanRows.changes,
  async views(_ctx, db, { userId }, _locale, ids, until) {
    const rows = await store.scanRows.unchanged(db, userId, ids, until)
    return rows.map((row) => ({ ...toScanView(row), orgId: null, version: row.version, updatedAt: row.updatedAt }))
  },
  states: (_ctx, db, _userId, ids) => store.scanRows.states(db, ids),
  async prepareCreate(ctx, { actor, caller }, _owner, data) {
    const { insert } = await prepareScan(ctx, actor, newScanData(data), caller, 'data')
    return async (tx, revived) => store.personalState(await insert(tx, revived))
  },
  async prepareUpdate(_ctx, _author, { userId }, data) {
    const input = scanData(data)
    return async (tx, id) => store.personalState(await changeScan(tx, userId, id, input))
  },
  remove: async (_ctx, tx, { userId }, id) => removed(userId, id, await removeScan(tx, userId, id), tx.stamp),
}

export const syncEntities = { qrCode: codes, category: categories, scanRecord: scans }
