/** Exports and imports of a user, of which all processes together run one each at a time. */

import { describe, expect, test } from 'bun:test'

import type { SharedPlace } from '#db/process-places.ts'

import { csv } from '../assets/sheets.ts'
import { ok, type Person, type TestServer, until } from '../harness/index.ts'
import { endConnections, onPostgres, sendTo, withServers } from './several.ts'

const exportCodes = (server: TestServer, person: Person) =>
  sendTo(server, person, 'POST', '/api/qr-codes/batch/export', { body: { format: 'csv' } })
function importAssets(server: TestServer, person: Person) {
  const form = new FormData()
  form.set('file', new File([csv([['Name'], ['Chair']])], 'assets'))
  return sendTo(server, person, 'POST', '/api/assets/import', { body: form })
}

const take = ({ ctx }: TestServer, place: SharedPlace, { id }: Person) => ctx.processes.places!.take(place, id)

describe.if(onPostgres)('with several processes', () => {
  test('an export or an import that one of them runs is refused by the others, for its user only', async () => {
    await withServers(2, async ({ servers }) => {
      const [first, second] = servers as [TestServer, TestServer]
      const [ann, bob] = [await first.person(), await first.person()]
      const [giveBackExport, giveBackImport] = [await take(first, 'exports', ann), await take(first, 'imports', ann)]
      expect(await exportCodes(second, ann)).toMatchObject({ status: 429, code: 4022 })
      expect(await importAssets(second, ann)).toMatchObject({ status: 429, code: 4022 })
      ok(await exportCodes(second, bob))
      ok(await importAssets(second, bob))
      await giveBackExport!()
      ok(await exportCodes(second, ann))
      expect(await importAssets(second, ann)).toMatchObject({ status: 429, code: 4022 })
      await giveBackImport!()
      ok(await importAssets(second, ann))
    })
  })

  test('who has read the end of an export can have the next one from another process', async () => {
    await withServers(3, async ({ servers }) => {
      const ann = await servers[0]!.person()
      for (let nth = 0; nth < 30; nth++) ok(await exportCodes(servers[nth % 3]!, ann))
    })
  })

  test('a place that was lost with a connection is taken again', async () => {
    await withServers(2, async ({ servers, config }) => {
      const [first, second] = servers as [TestServer, TestServer]
      const ann = await first.person()
      const giveBack = await take(first, 'exports', ann)
      await endConnections(config.databaseUrl!)
      await until(async () => {
        const taken = await take(second, 'exports', ann).catch(() => undefined)
        await taken?.()
        const isFree = taken !== undefined
        return !isFree && (await second.request('GET', '/actuator/health')).status === 200
      })
      await until(async () => (await exportCodes(second, ann)).status === 429)
      await giveBack!()
      await until(async () => (await exportCodes(second, ann)).status === 200)
    })
  })

  test('the place of a killed process is free', async () => {
    await withServers(1, async ({ servers, config }) => {
      const ann = await servers[0]!.person()
      const program = `
        import { TimedConnection } from '#db/engine/pg-connection.ts'
        import { ProcessPlaces } from '#db/process-places.ts'
        const places = new ProcessPlaces(new TimedConnection(${JSON.stringify(config.databaseUrl)}, {}))
        console.log((await places.take('exports', ${ann.id})) !== undefined)
        setInterval(() => undefined, 1000)`
      const child = Bun.spawn([process.execPath, '-e', program], { stdout: 'pipe', cwd: process.cwd() })
      try {
        const { value } = await child.stdout.getReader().read()
        expect(new TextDecoder().decode(value)).toBe('true\n')
        expect((await exportCodes(servers[0]!, ann)).status).toBe(429)
      } finally {
        child.kill('SIGKILL')
      }
      await until(async () => (await exportCodes(servers[0]!, ann)).status === 200)
    })
  })
})
