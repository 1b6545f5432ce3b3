import type { IsolationFixture } from '../contract/isolation-fixture.ts'
import { ok, type Person } from '../harness/index.ts'
import { freeLabel } from './helpers.ts'

/** A code that has a short link. */
async function createLink(person: Person, orgId: number | null = null): Promise<number> {
  const body = { name: 'a link', content: 'https://example.com/', isDynamic: true, orgId }
  return ok(await person.call('qrCodes.create', { body })).data.id
}

async function createCode(person: Person, orgId: number | null = null): Promise<number> {
  return ok(await person.call('qrCodes.create', { body: { name: 'a code', content: 'x', orgId } })).data.id
}

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
    const codeToDelete = await createCode(victim)
    const categoryToDelete = ok(await victim.call('categories.create', { body: { name: 'a category' } })).data.id
    const design = ok(await victim.call('qrCodeDesigns.create', { body: { name: mark } })).data.id
    const label = await freeLabel(victim)
    const batch = ok(await victim.call('qrBlanks.create', { body: { name: mark, count: 1 } })).data.id
    return {
      label,
      design,
      batch,
      category,
      categoryToDelete,
      child: child.id,
      code: code.data.id,
      codeToDelete,
      trashed,
      scan,
    }
  },
  paths: [
    [/^\/api\/qr-codes\/trash\/(restore\/)?:/, 'trashed'],
    [/^\/api\/qr-codes\/blanks\/:/, 'label'],
    [/^\/api\/qr-codes\/batches\/:/, 'batch'],
    [/^\/api\/qr-codes\/:/, 'code'],
    [/^\/api\/admin\/qr-codes\/:/, 'codeToDelete'],
    [/^\/api\/qr-code-designs\/:/, 'design'],
    [/^\/api\/categories\/:/, 'category'],
    [/^\/api\/admin\/categories\/:/, 'categoryToDelete'],
    [/^\/api\/scan-records\/:/, 'scan'],
  ],
  fields: {
    categoryId: 'category',
    parentId: 'child',
    qrCodeId: 'code',
    sourceId: 'code',
    batchId: 'batch',
    designId: 'design',
  },
  lists: [
    [/^\/api\/categories/, 'category'],
    [/^\/api\/qr-codes/, 'code'],
  ],
  dual: {
    batch: async (person, orgId) =>
      ok(await person.call('qrBlanks.create', { body: { name: 'Labels', count: 1, orgId: orgId ?? null } })).data.id,
    code: createCode,
    'qrCodes.link': createLink,
    'qrCodes.tryLink': createLink,
    design: async (person, orgId) =>
      ok(await person.call('qrCodeDesigns.create', { body: { name: 'a design', orgId: orgId ?? null } })).data.id,
    async trashed(person, orgId) {
      const id = await createCode(person, orgId)
      ok(await person.call('qrCodes.delete', { params: { id }, query: { orgId } }))
      return id
    },
  },
  // Slugs stand for these rows. Who may change them is tested in blanks.test.ts.
  callersOwn: ['qrBlanks.bind', 'qrBlanks.release', 'qrBlanks.void'],
  reads: () => [
    '/api/qr-codes?size=100',
    '/api/qr-codes/blanks?size=100',
    '/api/qr-codes/batches?size=100',
    '/api/qr-codes/trash?size=100',
    '/api/qr-code-designs?size=100',
    '/api/categories?size=100',
    '/api/categories/tree',
    '/api/scan-records?size=100',
  ],
}
