/** The database, the files, the jobs and the limits of the server in the console. */

import { describe, expect, test } from 'bun:test'

import { dialect } from '#db/dialect.ts'

import { createRole, grant } from '../access/helpers.ts'
import { text, upload } from '../files/helpers.ts'
import { inProcess, ok, until, useServer } from '../harness/index.ts'
import { onPostgres, startProcess, withServers } from '../processes/several.ts'

const { server, admin, alice } = useServer({ people: ['alice'], config: { databaseConnections: 21 } })

describe('GET /api/admin/system', () => {
  test('shows the database, the files and the limits of a process', async () => {
    ok(await upload(alice, text(1000)))
    const { database, files, perProcess, unanswered } = ok(await admin.call('system.get')).data
    const isSqlite = dialect === 'sqlite'
    expect(database.kind).toBe(isSqlite ? 'SQLITE' : 'POSTGRESQL')
    expect(database.version).toMatch(/^\d+\.\d+/)
    expect(database.sizeBytes).toBeGreaterThan(100_000)
    if (isSqlite) expect(database.connections).toBeNull()
    else {
      expect(database.connections!.open).toBeGreaterThan(2)
      expect(database.connections!.most).toBeGreaterThanOrEqual(database.connections!.open)
    }
    expect(files).toMatchObject({ storage: 'LOCAL', count: 1, bytes: 1000 })
    expect(files.freeDiskBytes).toBeGreaterThan(1_000_000)
    expect(perProcess.find(({ name }) => name === 'IMAGES')).toEqual({ name: 'IMAGES', most: 2 })
    if (inProcess && !isSqlite) expect(perProcess[0]).toEqual({ name: 'DATABASE_CONNECTIONS', most: 21 })
    expect(unanswered).toEqual([])
  })

  test.if(inProcess)('shows when each job last succeeded', async () => {
    const { clock } = server
    const read = async () => ok(await admin.call('system.get')).data.jobs
    const before = await read()
    expect(before.length).toBeGreaterThan(5)
    expect(before.map(({ name }) => name)).toContain('qrCodes.purgeTrash')
    for (const { everySeconds } of before) expect(everySeconds).toBeGreaterThanOrEqual(10)
    const from = clock.now()
    clock.advance(120_000)
    await until(async () => (await read()).every(({ lastSuccessAt }) => lastSuccessAt !== null))
    for (const { lastSuccessAt } of await read()) {
      expect(lastSuccessAt!).toBeGreaterThan(from)
      expect(lastSuccessAt!).toBeLessThanOrEqual(clock.now())
    }
  })

  test.if(onPostgres)('knows the jobs of another process, and does not ask one that is lost', () =>
    withServers(1, async (several) => {
      const [first] = several.servers
      const root = await first!.admin()
      const read = async (call = root.call) => ok(await call('system.get')).data
      first!.clock.advance(120_000)
      await until(async () => (await read()).jobs.some(({ lastSuccessAt }) => lastSuccessAt !== null))
      const second = await several.start()
      const other = await second.admin()
      await until(async () => (await read(other.call)).jobs.some(({ lastSuccessAt }) => lastSuccessAt !== null))
      expect((await read(other.call)).unanswered).toEqual([])

      const child = await startProcess(several)
      const living = async () => (await first!.ctx.processes.list())!.filter(({ isLost }) => !isLost)
      await until(async () => (await living()).length === 3)
      await child.stop()
      await until(async () => (await living()).length === 2)
      expect((await read()).unanswered).toEqual([])
    }),
  )

  test('is answered to holders of system:read only', async () => {
    expect((await server.request('GET', '/api/admin/system')).status).toBe(401)
    expect((await alice.call('system.get')).status).toBe(403)
    const [reader, clerk] = [await server.person(), await server.person()]
    ok(await grant(admin, reader, await createRole(admin, { permissions: ['system:read'] })))
    ok(await grant(admin, clerk, await createRole(admin, { permissions: ['user:read'] })))
    expect((await reader.call('system.get')).status).toBe(200)
    expect((await clerk.call('system.get')).status).toBe(403)
  })
})
