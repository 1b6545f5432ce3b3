/** How often a process waits for PostgreSQL during one request. On another machine each time costs the delay of the network. */

import { describe, expect, test } from 'bun:test'

import { ok } from '../harness/index.ts'
import { startPostgresProxy } from '../harness/postgres-proxy.ts'
import { onPostgres, sendTo, withServers } from './several.ts'

describe.if(onPostgres)('a request that is alone', () => {
  for (const mode of ['alone', 'shared'] as const)
    test(`waits for PostgreSQL at most 4 times to create a code and 2 times to read it, in the mode ${mode}`, async () => {
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
        let id = 0
        const create = async (i: number) => {
          const body = { name: `code ${i}`, content: 'x' }
          id = ok(await sendTo(server, person, 'POST', '/api/qr-codes', { body })).data.id
        }
        expect(await fewest(create)).toBe(mode === 'alone' ? 2 : 4)
        const read = async () => ok(await sendTo(server, person, 'GET', `/api/qr-codes/${id}`))
        expect(await fewest(read)).toBe(mode === 'alone' ? 1 : 2)
        await server.stop()
        await proxy.stop()
      })
    })
})
