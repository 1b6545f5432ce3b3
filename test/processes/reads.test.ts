/** A write that one process has answered is seen by the next request at any other. `ROUNDS=10000` makes it thorough. */

import { describe, expect, test } from 'bun:test'

import { ok } from '../harness/index.ts'
import { addMembers, createOrg } from '../orgs/helpers.ts'
import { onPostgres, sendTo, withServers } from './several.ts'

const ROUNDS = Number(process.env['ROUNDS'] ?? 60)

describe.if(onPostgres)('with three processes', () => {
  test('a row, its list, total, search and sync show each write of another process at once', async () => {
    await withServers(3, async ({ servers }) => {
      const first = servers[0]!
      const ann = await first.person()
      const bob = await first.person()
      const org = await createOrg(ann)
      await addMembers(ann, org, bob)
      let since: number = ok(await bob.get(`/api/sync/pull?since=0&entities=qrCode`)).data.serverTime
      const ids: number[] = []
      for (let nth = 0; nth < ROUNDS; nth++) {
        const [at, next] = [servers[nth % 3]!, servers[(nth + 1 + (Math.floor(nth / 3) % 2)) % 3]!]
        const read = async (path: string) => ok(await sendTo(next, bob, 'GET', path)).data
        const name = `code ${nth}`
        const body = { name, content: 'x', orgId: org.id }
        const { id, version } = ok(await sendTo(at, ann, 'POST', '/api/qr-codes', { body })).data
        ids.unshift(id)
        expect((await read(`/api/qr-codes/${id}?orgId=${org.id}`)).name).toBe(name)
        const list = await read(`/api/qr-codes?orgId=${org.id}&sort=-createdAt`)
        expect([list.total, list.items[0].id]).toEqual([ids.length, id])
        expect(
          (await read(`/api/qr-codes?orgId=${org.id}&keyword=${encodeURIComponent(name)}`)).items.map(
            (row: { id: number }) => row.id,
          ),
        ).toContain(id)
        const page = await read(`/api/sync/pull?since=${since}&entities=qrCode`)
        expect(page.changes.qrCode.updated.map((row: { id: number }) => row.id)).toEqual([id])
        expect(page.serverTime).toBeGreaterThan(since)
        since = page.serverTime
        // Every third row is changed and deleted at once, so that the next round sees that too.
        if (nth % 3 !== 0) continue
        const path = `/api/qr-codes/${id}?orgId=${org.id}`
        ok(await sendTo(next, ann, 'PUT', path, { body: { name: 'changed', version } }))
        expect(ok(await sendTo(at, bob, 'GET', path)).data.name).toBe('changed')
        ok(await sendTo(at, ann, 'DELETE', path))
        expect((await sendTo(next, bob, 'GET', path)).status).toBe(404)
        ids.shift()
        const after = await read(`/api/sync/pull?since=${since}&entities=qrCode`)
        expect(after.changes.qrCode).toEqual({ updated: [], deleted: [id] })
        since = after.serverTime
      }
    })
  })
})
