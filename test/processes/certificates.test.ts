/** The certificates of several processes. */

import { describe, expect, test } from 'bun:test'

import { ok, type Person, type TestServer, until } from '../harness/index.ts'
import { onPostgres, sendTo, startProcess, withServers } from './several.ts'

interface Served {
  readonly id: string
  readonly serial: string | null
}

const served = async (server: TestServer, admin: Person): Promise<readonly Served[]> =>
  ok(await sendTo(server, admin, 'GET', '/api/admin/server')).data.certificate.processes
const serials = async (server: TestServer, admin: Person) => (await served(server, admin)).map(({ serial }) => serial)

describe.if(onPostgres)('with several processes', () => {
  test('every one shows the certificates of all, all are renewed by one request, and a lost process is left out', async () => {
    await withServers(
      1,
      async (several) => {
        const server = several.servers[0]!
        const admin = await server.admin()
        const other = await startProcess(several)
        await until(async () => (await serials(server, admin)).filter((serial) => serial !== null).length === 2)
        const before = await serials(server, admin)
        expect(new Set(before).size).toBe(2)

        ok(await sendTo(server, admin, 'POST', '/api/admin/server/certificate/renew'))
        const isNew = (serial: string | null) => serial !== null && !before.includes(serial)
        await until(async () => {
          const now = await serials(server, admin)
          return now.length === 2 && now.every(isNew)
        })

        await other.stop()
        await until(async () => (await served(server, admin)).length === 1)
        expect((await serials(server, admin)).every(isNew)).toBe(true)
      },
      { lan: true, httpPort: 0, publicUrl: 'https://127.0.0.1:0' },
    )
  })
})
