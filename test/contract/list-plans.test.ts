/** On PostgreSQL, the first page of each list is read in the order of an index, whatever order is asked for: no plan sorts the rows. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { SQL } from 'bun'

import { domains } from '#app'
import type { AnyEndpoint } from '#http/endpoint.ts'

import { openActivity } from '../activities/check-in-helpers.ts'
import { issueOne } from '../activities/gate-helpers.ts'
import { sent } from '../activities/message-helpers.ts'
import { createInventory } from '../assets/counting.ts'
import { createAsset } from '../assets/helpers.ts'
import { befriend, createGroup } from '../chat/group-helpers.ts'
import { statementsOf } from '../db/plans.ts'
import { inProcess, ok, useServer } from '../harness/index.ts'
import { createField } from '../metadata/helpers.ts'
import { createOrg } from '../orgs/helpers.ts'

interface Node {
  readonly 'Node Type': string
  readonly Plans?: readonly Node[]
}
const namesOf = (node: Node): string[] => [node['Node Type'], ...(node.Plans ?? []).flatMap(namesOf)]

/** Lists of few rows, by the condition that keeps them few. */
const SORTED: Readonly<Record<string, string>> = {
  'categories.list': 'one user has at most 1,000',
  'checkInLists.list': 'one activity has at most 100',
  'contacts.list': 'one user has at most 5,000, and a name can be the nickname of the other user',
  'metadata.objects': 'there are some dozen objects',
  'metadata.allObjects': 'there are some dozen objects',
  'metadata.fields': 'three owners have some hundred fields each',
  'metadata.orgFields': 'three owners have some hundred fields each',
  'metadata.templates': 'three owners have some hundred templates each',
  'metadata.orgTemplates': 'three owners have some hundred templates each',
  'sync.devicesOf': 'one user has some dozen devices',
  'agreements.list': 'there are some dozen versions',
}

interface Listing {
  readonly id: string
  readonly path: string
  readonly sorts: readonly (string | undefined)[]
}

/** All operations that answer pages, with the values of their parameter `sort`. */
const lists = domains
  .flatMap((domain) => ('endpoints' in domain ? (domain.endpoints as readonly AnyEndpoint[]) : []))
  .flatMap(({ id, method, path, query }): Listing[] => {
    const fields = (query as { properties?: Record<string, { enum?: string[] }> } | undefined)?.properties
    if (method !== 'GET' || fields?.['page'] === undefined) return []
    return [{ id, path, sorts: [undefined, ...(fields['sort']?.enum ?? [])] }]
  })

describe.if(inProcess && !!process.env['TEST_DATABASE_URL'])('plans of PostgreSQL', () => {
  const { server, admin, alice } = useServer({ people: ['alice'] })
  /** The ids of paths, by the part of the path up to the id. */
  const ids: [path: string, id: number | string][] = []
  const queries: Record<string, string> = {}
  let sql: SQL

  beforeAll(async () => {
    const activity = await openActivity(server, admin, { hasPass: true })
    const pass = await issueOne(admin, activity.id)
    const message = await sent(admin, activity)
    const inventory = await createInventory(admin)
    const asset = await createAsset(admin)
    const org = await createOrg(admin)
    await befriend(server, admin, alice)
    const group = await createGroup(admin, [alice])
    const code = ok(await admin.call('qrCodes.create', { body: { name: 'Menu', content: 'https://example.org' } })).data
    const field = await createField(admin)
    queries['metadata.searchValues'] = `fieldId=${field.id}`
    queries['assetReservations.list'] = `orgId=${org.id}`
    queries['assets.available'] = `orgId=${org.id}&from=${Date.now()}&to=${Date.now() + 3_600_000}`
    queries['sync.devicesOf'] = `userId=${admin.id}`
    ids.push(
      [':orgId', org.id],
      [':userId', admin.id],
      [':objectName', 'asset'],
      [':passId', pass.id],
      [':activityId', activity.id],
      [':messageId', message.id],
      [':qrCodeId', code.id],
    )
    ids.push(['inventories/:id', inventory.id], ['assets/:id', asset.id], ['activities/:id', activity.id])
    const supply = ok(await admin.call('supplies.create', { body: { name: 'Chalk' } })).data
    ids.push(['supplies/:id', supply.id])
    ids.push(['groups/:id', group.id], ['orgs/:id', org.id])
    const webhook = { name: 'ERP', url: 'https://example.org/hook', events: ['asset.*'] }
    const ofServer = ok(await admin.call('webhooks.createOfServer', { body: webhook })).data
    ids.push(['admin/webhooks/:id', ofServer.id])
    ids.push(['webhooks/:id', ok(await admin.call('webhooks.create', { body: webhook })).data.id])
    // As if the tables were large: the planner sorts only where no index has the order.
    const connection = { enable_sort: 'off', enable_seqscan: 'off', enable_bitmapscan: 'off' }
    sql = new SQL({ url: server.ctx.config.databaseUrl, max: 1, connection })
  })
  afterAll(() => sql.close())

  const pathOf = (path: string): string =>
    ids.reduce((filled, [part, id]) => filled.replace(part, part.replace(/:\w+/, String(id))), path)

  async function nodesOf(text: string, params: unknown[]): Promise<string[]> {
    const [row] = (await sql.unsafe(`EXPLAIN (FORMAT JSON) ${text}`, params).values()) as [[unknown]]
    const [{ Plan }] = (typeof row[0] === 'string' ? JSON.parse(row[0]) : row[0]) as [{ Plan: Node }]
    return namesOf(Plan)
  }

  const cases = lists.flatMap(({ id, path, sorts }) =>
    sorts.map((sort) => [id, sort ?? 'its own order', path, sort] as const),
  )
  test.each(cases)('%s in the order %s are not sorted', async (id, _, path, sort) => {
    const query = ['page=1', 'size=20', queries[id], sort && `sort=${sort}`].filter(Boolean).join('&')
    const statements = await statementsOf(server.ctx.db.read, async () => {
      expect((await admin.get(`${pathOf(path)}?${query}`)).status).toBe(200)
    })
    const pages = statements.filter(([text]) => text.includes(' order by ') && text.includes(' limit '))
    for (const [text, params] of pages) {
      // Rows with the same first column may be sorted by the others.
      const sorts = (await nodesOf(text, params)).filter((name) => name === 'Sort')
      expect([text, sorts]).toEqual([text, SORTED[id] && sorts.length > 0 ? ['Sort'] : []])
    }
  })
})
