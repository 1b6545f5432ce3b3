import type { IsolationFixture } from '../contract/isolation-fixture.ts'
import type { Person } from '../harness/index.ts'
import { createCategory } from './places.ts'

const category = async (person: Person, orgId?: number): Promise<number> =>
  (await createCategory(person, 'a category', orgId === undefined ? {} : { orgId })).id

export const isolation: IsolationFixture = {
  async make({ victim, mark }) {
    const assetParent = await createCategory(victim, mark)
    const assetCategory = await createCategory(victim, mark)
    return { assetParent: assetParent.id, assetCategory: assetCategory.id }
  },
  paths: [
    [/^\/api\/assets\/categories\/:/, 'assetCategory'],
    [/^\/api\/admin\/asset-categories\/:/, 'assetParent'],
  ],
  fields: {},
  fieldsIn: [[/^\/api\/assets\/categories/, { parentId: 'assetParent' }]],
  lists: [[/^\/api\/assets\/categories/, 'assetCategory']],
  dual: { assetCategory: category },
  reads: () => ['/api/assets/categories'],
}
