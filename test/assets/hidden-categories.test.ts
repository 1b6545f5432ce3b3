/** Categories that an organization does not share (`shared: false`), in spreadsheets of members who do not manage categories. */

import { beforeAll, describe, expect, test } from 'bun:test'

import * as XLSX from '@e965/xlsx'

import { createRole } from '../access/helpers.ts'
import { ok, type Person, useServer } from '../harness/index.ts'
import { addMembers, createOrg, type Org, setRole } from '../orgs/helpers.ts'
import { createAsset, getAsset } from './helpers.ts'
import { createCategory } from './places.ts'
import { type Cells, dryRun, imported, sendImport } from './sheets.ts'

const { server, admin, owner, clerk } = useServer({ people: ['owner', 'clerk'] })
let org: Org
/** Ids: `Open`, `Open/Secret` and `Open/Secret/Below`, of which the clerk sees the first. */
const ids: Record<'open' | 'secret' | 'below' | 'own', number> = { open: 0, secret: 0, below: 0, own: 0 }

beforeAll(async () => {
  org = await createOrg(owner)
  await addMembers(owner, org, clerk)
  const create = async (name: string, parentId: number | null, shared: boolean, who = owner) =>
    (await createCategory(who, name, { orgId: org.id, parentId, shared })).id
  ids.open = await create('Open', null, true)
  ids.secret = await create('Secret', ids.open, false)
  ids.below = await create('Below', ids.secret, true)
  await setRole(owner, org, clerk, 'ADMIN')
  ids.own = await create('Own', null, false, clerk)
  const permissions = ['asset:read', 'asset:create', 'asset:update', 'asset:import', 'asset:export']
  const role = await createRole(admin, { domain: 'ORG', scopeId: org.id, permissions })
  await setRole(owner, org, clerk, role.code)
  for (const [name, assetNo, categoryId] of [
    ['open', 'H-1', ids.open],
    ['secret', 'H-2', ids.secret],
    ['below', 'H-3', ids.below],
    ['own', 'H-4', ids.own],
  ] as const)
    await createAsset(owner, { name, assetNo, categoryId, orgId: org.id })
})

async function fileOf(person: Person, query = ''): Promise<Uint8Array<ArrayBuffer>> {
  const headers = { authorization: `Bearer ${person.token}`, 'x-device-id': person.deviceId }
  const response = await fetch(`${server.url}/api/assets/export?orgId=${org.id}&sort=assetNo${query}`, { headers })
  expect(response.status).toBe(200)
  return new Uint8Array(await response.arrayBuffer())
}

/** The categories of the exported assets. */
async function categories(person: Person): Promise<unknown[]> {
  const book = XLSX.read(await fileOf(person), { type: 'buffer' })
  const rows = XLSX.utils.sheet_to_json<Record<string, unknown>>(book.Sheets[book.SheetNames[0]!]!, { defval: '' })
  return rows.map((row) => row['Category'])
}

const sheet = (category: string, assetNo?: string): Cells[] => [
  ['Name', 'Category', 'Asset no.'],
  ['x', category, assetNo ?? ''],
]
const categoryOf = async (assetNo: string) => {
  const { items } = ok(await owner.call('assets.list', { query: { orgId: org.id, keyword: assetNo } })).data
  return ok(await getAsset(owner, items[0]!.id)).data.categoryId
}

describe('categories that are not shared', () => {
  test('an export and its template name them to members who manage categories, and their own to their creators', async () => {
    expect(await categories(owner)).toEqual(['Open', 'Open / Secret', 'Open / Secret / Below', 'Own'])
    expect(await categories(clerk)).toEqual(['Open', '', '', 'Own'])
    // The template offers all categories as choices.
    const choices = async (person: Person) => {
      const { files } = XLSX.read(await fileOf(person, '&template=true'), {
        type: 'buffer',
        bookFiles: true,
      }) as unknown as {
        files: Record<string, { content: Uint8Array }>
      }
      return Object.values(files)
        .map(({ content }) => new TextDecoder().decode(content))
        .join('')
    }
    expect(await choices(owner)).toContain('Secret')
    expect(await choices(clerk)).toContain('Own')
    expect(await choices(clerk)).not.toMatch(/Secret|Below/)
  })

  test('an import that names one is refused like an import that names an unknown one', async () => {
    for (const path of ['Open/Secret', 'open / SECRET', 'Open/Secret/Below', 'Secret']) {
      const [hidden, unknown] = [
        await dryRun(clerk, sheet(path), { orgId: org.id }),
        await dryRun(clerk, sheet('Open/Nothing'), { orgId: org.id }),
      ]
      expect(hidden.errors).toEqual([{ ...unknown.errors[0]!, value: path }])
      // The answer repeats the text of the file.
      const rest = (result: typeof hidden, text: string) =>
        JSON.stringify({ ...result, errors: [] }).replaceAll(JSON.stringify(text), '"the text"')
      expect(rest(hidden, path)).toBe(rest(unknown, 'Open/Nothing'))
      // The present category of the asset makes no difference.
      expect((await dryRun(clerk, sheet(path, 'H-2'), { orgId: org.id })).errorCount).toBe(1)
      expect((await sendImport(clerk, sheet(path), { orgId: org.id })).status).toBe(400)
    }
    expect((await sendImport(clerk, sheet('Open'), { orgId: org.id, createCategories: true })).status).toBe(403)
    await imported(clerk, sheet('Own', 'H-5'), { orgId: org.id })
    await imported(owner, sheet('Open/Secret', 'H-6'), { orgId: org.id })
    expect([await categoryOf('H-5'), await categoryOf('H-6')]).toEqual([ids.own, ids.secret])
  })

  test('an export that comes back takes no asset out of a category that its reader does not see, also with clearEmpty', async () => {
    const result = await imported(clerk, await fileOf(clerk), { orgId: org.id, clearEmpty: true })
    expect(result).toMatchObject({ errorCount: 0, created: 0, updated: 0 })
    expect([await categoryOf('H-1'), await categoryOf('H-2'), await categoryOf('H-3')]).toEqual([
      ids.open,
      ids.secret,
      ids.below,
    ])
    await imported(clerk, sheet('', 'H-1'), { orgId: org.id, clearEmpty: true })
    expect(await categoryOf('H-1')).toBeNull()
    await imported(owner, sheet('', 'H-2'), { orgId: org.id, clearEmpty: true })
    expect(await categoryOf('H-2')).toBeNull()
  })
})
