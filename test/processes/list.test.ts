/** The list of processes, while some stop and are killed. */

import { describe, expect, test } from 'bun:test'

import { ok, type Person, type TestServer, until } from '../harness/index.ts'
import { onPostgres, sendTo, startProcess, withServers } from './several.ts'

interface Listed {
  readonly id: string
  readonly state: string
  readonly listening: boolean
  readonly hasJobs: boolean
}

const listOf = async (server: TestServer, admin: Person): Promise<readonly Listed[]> =>
  ok(await sendTo(server, admin, 'GET', '/api/admin/processes')).data.items

describe.if(onPostgres)('with several processes', () => {
  test('a killed process is LOST, and one that was stopped is not listed', async () => {
    await withServers(1, async (several) => {
      const server = several.servers[0]!
      const admin = await server.admin()
      const [killed, stopped] = [await startProcess(several), await startProcess(several)]
      const states = async () => (await listOf(server, admin)).map(({ state }) => state)
      await until(async () => (await states()).length === 3)
      expect(await states()).toEqual(['UP', 'UP', 'UP'])
      await killed.stop()
      await stopped.stop('SIGTERM')
      await until(async () => (await states()).includes('LOST'))
      expect((await states()).toSorted()).toEqual(['LOST', 'UP'])
      const lost = (await listOf(server, admin)).find(({ state }) => state === 'LOST')
      expect(lost).toMatchObject({ listening: false, hasJobs: false })
    })
  })

  test('a process that stops is DRAINING, and every process answers the same list', async () => {
    await withServers(2, async ({ servers }) => {
      const [first, second] = servers
      const admin = await first!.admin()
      await until(async () => (await listOf(first!, admin)).filter(({ listening }) => listening).length === 2)
      const idsOf = async (server: TestServer) => (await listOf(server, admin)).map(({ id }) => id)
      expect(await idsOf(first!)).toEqual(await idsOf(second!))
      // In a process of a test, the one that has stopped to answer stays a member until its context closes.
      await first!.drain()
      await until(async () => (await listOf(second!, admin)).some(({ state }) => state === 'DRAINING'))
      const draining = (await listOf(second!, admin)).find(({ state }) => state === 'DRAINING')
      expect(draining).toMatchObject({ listening: false })
    })
  })
})
