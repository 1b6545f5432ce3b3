import type { IsolationFixture } from '../contract/isolation-fixture.ts'
import { ok } from '../harness/index.ts'

/** Filled when the rows exist: one push with the ids of all rows of the victim, and with references to them. */
const stolen: object[] = []

export const isolation: IsolationFixture = {
  async make({ victim, mark, owned }) {
    const category = ok(await victim.call('categories.create', { body: { name: mark } })).data.id
    ok(await victim.call('categories.update', { params: { id: category }, body: { name: `${mark} changed` } }))
    const record = { entity: 'category', serverId: category, baseVersion: 1, updatedAt: 1 } as const
    const records = [
      { ...record, localId: `${mark} pushed`, data: { name: `${mark} on the phone` } },
      {
        entity: 'category',
        localId: 'made by the victim',
        baseVersion: 0,
        updatedAt: 1,
        data: { name: `${mark} new` },
      },
    ]
    const { results } = ok(await victim.call('sync.push', { body: { records } })).data
    const [conflict, created] = results
    const rows = {
      qrCode: ['code', 'trashed'],
      category: ['category', 'child'],
      scanRecord: ['scan'],
      albumPhoto: ['photo'],
      asset: ['asset'],
      assetCategory: ['assetCategory'],
    }
    const names = Object.entries(rows).flatMap(([entity, of]) => of.map((name) => [entity, owned[name]!] as const))
    const all = [...names, ['category', category] as const, ['category', created!.serverId!] as const]
    const data = { name: 'stolen', title: 'stolen', address: 'stolen', pinned: true, isPublic: true }
    const references = {
      categoryId: owned['category'],
      parentId: owned['category'],
      qrCodeId: owned['code'],
      fileId: owned['albumFile'],
      orgId: owned['org'],
      content: 'x',
    }
    for (const [i, [entity, serverId]] of all.entries())
      for (const baseVersion of [0, 1, 2]) {
        const given = { entity, serverId, baseVersion, updatedAt: Date.now() }
        stolen.push({ ...given, localId: `change ${i}`, data }, { ...given, localId: `delete ${i}`, deleted: true })
      }
    for (const entity of Object.keys(rows))
      for (const [name, id] of Object.entries(references))
        stolen.push({
          entity,
          localId: `${entity} ${name}`,
          baseVersion: 0,
          updatedAt: Date.now(),
          data: { ...data, content: 'x', [name]: id },
        })
    // Local ids are those of a device: the same ones mean nothing on another.
    stolen.push({
      entity: 'category',
      localId: 'made by the victim',
      baseVersion: 0,
      updatedAt: Date.now(),
      deleted: true,
    })
    return { conflict: conflict!.conflictId!, pushedCategory: created!.serverId! }
  },
  paths: [],
  fields: { conflictId: 'conflict' },
  bodies: [[/^\/api\/sync\/push$/, { records: stolen }]],
  reads: () => ['/api/sync/conflicts?status=ALL&size=100'],
}
