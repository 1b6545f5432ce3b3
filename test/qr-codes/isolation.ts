import type { IsolationFixture } from '../contract/isolation-fixture.ts'
import { ok } from '../harness/index.ts'

export const isolation: IsolationFixture = {
  async make({ victim, mark }) {
    const category = ok(await victim.call('categories.create', { body: { name: mark } })).data.id
    const child = ok(
      await victim.call('categories.create', { body: { name: `${mark} child`, parentId: category } }),
    ).data
    const code = ok(await victim.call('qrCodes.create', { body: { name: mark, content: mark, categoryId: category } }))
    const trashed = ok(await victim.call('qrCodes.create', { body: { name: mark, content: `${mark} trashed` } })).data
      .id
    ok(await victim.call('qrCodes.delete', { params: { id: trashed } }))
    const scan = ok(await victim.call('scanRecords.create', { body: { content: mark, source: 'CAMERA' } })).data.id
    return { category, child: child.id, code: code.data.id, trashed, scan }
  },
  paths: [
    [/^\/api\/qr-codes\/trash\/restore\/:/, 'trashed'],
    [/^\/api\/qr-codes\/:/, 'code'],
    [/^\/api\/categories\/:/, 'category'],
    [/^\/api\/scan-records\/:/, 'scan'],
  ],
  fields: { categoryId: 'category', parentId: 'child', qrCodeId: 'code', sourceId: 'code' },
  lists: [
    [/^\/api\/categories/, 'category'],
    [/^\/api\/qr-codes/, 'code'],
  ],
  reads: () => [
    '/api/qr-codes?size=100',
    '/api/qr-codes/trash?size=100',
    '/api/categories?size=100',
    '/api/categories/tree',
    '/api/scan-records?size=100',
  ],
}
