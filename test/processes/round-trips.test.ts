/** How often a process waits for PostgreSQL during one request. On another machine each time costs the delay of the network. */

import { describe, expect, test } from 'bun:test'

import { openActivity } from '../activities/check-in-helpers.ts'
import { issueOne } from '../activities/gate-helpers.ts'
import { ok } from '../harness/index.ts'
import { startPostgresProxy } from '../harness/postgres-proxy.ts'
import { onPostgres, sendTo, withServers } from './several.ts'

describe.if(onPostgres)('a request that is alone', () => {
  for (const mode of ['alone', 'shared'] as const)
    test(`waits for PostgreSQL a few times only, in the mode ${mode}`, async () => {
      await withServers(0, async ({ config, start }) => {
        const proxy = await startPostgresProxy(config.databaseUrl!)
        const sharedFiles = mode === 'alone' ? '' : config.sharedFiles!
        const server = await start({ databaseUrl: proxy.databaseUrl, sharedFiles })
        const person = await server.person()
        /** Work in the background may add some now and then. */
        const fewest = async (run: (i: number) => Promise<unknown>) => {
          const counts: number[] = []
          for (let i = 0; i < 30; i++) {
            const before = proxy.roundTrips
            await run(i)
            counts.push(proxy.roundTrips - before)
          }
          return Math.min(...counts)
        }
        // The read of events, and the stamp of a write.
        const more = mode === 'alone' ? 0 : 2
        let id = 0
        const create = async (i: number) => {
          const body = { name: `code ${i}`, content: 'x' }
          id = ok(await sendTo(server, person, 'POST', '/api/qr-codes', { body })).data.id
        }
        expect(await fewest(create)).toBeLessThanOrEqual(2 + more)
        const read = async () => ok(await sendTo(server, person, 'GET', `/api/qr-codes/${id}`))
        expect(await fewest(read)).toBeLessThanOrEqual(mode === 'alone' ? 1 : 2)
        const { publicUrl } = ok(await sendTo(server, person, 'GET', `/api/qr-codes/${id}`)).data
        const body = { content: publicUrl }
        const scan = async () => ok(await sendTo(server, person, 'POST', '/api/scan-records', { body }))
        expect(await fewest(scan)).toBeLessThanOrEqual(3 + more)
        const activity = await openActivity(server, person, { hasPass: true, checkInConfig: { maxPerUser: 0 } })
        const path = `/api/activities/${activity.id}`
        const arrive = async () => ok(await sendTo(server, person, 'POST', `${path}/check-in`, { body: {} }))
        expect(await fewest(arrive)).toBeLessThanOrEqual(6 + more)
        const pass = await issueOne(person, activity.id, { maxUses: 0 })
        const use = { content: pass.qrContent, redeem: true }
        const redeem = async () => ok(await sendTo(server, person, 'POST', `${path}/pass/verify`, { body: use }))
        expect(await fewest(redeem)).toBeLessThanOrEqual(5 + more)
        await server.stop()
        await proxy.stop()
      })
    })
})
