/** Files of another database: a server never deletes what it does not know to be its own. */

import { describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { deleteOrphanBytes } from '#domains/files/clean-up.service.ts'
import { jobs } from '#domains/files/files.jobs.ts'
import { HOUR } from '#platform/clock.ts'

import { freshDatabase } from '../harness/database.ts'
import { inProcess, ok, startServer, type TestServer, until } from '../harness/index.ts'
import { startS3 } from '../harness/s3.ts'
import { text, uploaded } from './helpers.ts'

const s3 = await startS3()
const FILES = 80
const DAYS = 48 * HOUR

/** A data directory whose server can be started with its own database and with others. */
async function place(storageUrl = '') {
  const dataDir = mkdtempSync(join(tmpdir(), 'tessera-test-'))
  const own = process.env['TEST_DATABASE_URL'] ? await freshDatabase() : undefined
  const aside = join(dataDir, 'aside')
  const start = (databaseUrl: string) => startServer({ dataDir, config: { databaseUrl, storageUrl } })
  const others: Awaited<ReturnType<typeof freshDatabase>>[] = []
  return {
    dataDir,
    start: () => start(own?.url ?? ''),
    /** Runs `work` with a server on a new database beside the same files. */
    async withOther(work: (server: TestServer) => Promise<void>) {
      const other = own && (await freshDatabase())
      if (other) others.push(other)
      if (!own) for (const end of ['', '-wal', '-shm']) move(`tessera.db${end}`, aside + end)
      const server = await start(other?.url ?? '')
      try {
        await work(server)
      } finally {
        await server.stop()
        if (!own)
          for (const end of ['', '-wal', '-shm']) {
            rmSync(join(dataDir, `tessera.db${end}`), { force: true })
            if (existsSync(aside + end)) renameSync(aside + end, join(dataDir, `tessera.db${end}`))
          }
      }
    },
    async end() {
      for (const database of [own, ...others]) await database?.drop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }

  function move(name: string, target: string): void {
    if (existsSync(join(dataDir, name))) renameSync(join(dataDir, name), target)
  }
}

const count = async ({ ctx }: TestServer): Promise<number> => (await Array.fromAsync(ctx.blobs.list(''))).length

/** Makes the stored files two days old. */
function age(dataDir: string): void {
  const at = Date.now() / 1000 - 48 * 3600
  for (const entry of readdirSync(join(dataDir, 'files'), { recursive: true, withFileTypes: true }))
    if (entry.isFile()) utimesSync(join(entry.parentPath, entry.name), at, at)
}

/** The daily clean-up and that of administrators, days later. */
async function cleanUp(server: TestServer): Promise<void> {
  server.clock.advance(DAYS)
  for (const job of jobs) await job.run(server.ctx)
  const admin = await server.admin()
  const refused = await admin.post('/api/admin/files/cleanup-orphaned', { force: true })
  expect([refused.status, refused.message]).toEqual([400, expect.stringContaining('another database')])
  const health = await admin.get('/actuator/health')
  expect(health.text).toContain('files adopt')
}

const stores = [
  { name: 'on local disk', storageUrl: () => '' },
  ...(s3 === undefined ? [] : [{ name: 'in S3', storageUrl: () => s3.storageUrl({ prefix: `own${Math.random()}` }) }]),
]

for (const { name, storageUrl } of stores)
  describe.if(inProcess)(`files ${name}`, () => {
    test('a start with another database deletes none of them, and the right one cleans up again', async () => {
      const { dataDir, start, withOther, end } = await place(storageUrl())
      let server = await start()
      const alice = await server.person()
      const ids: number[] = []
      for (let i = 0; i < FILES; i++) ids.push((await uploaded(alice, text(20 + i))).id)
      const stored = await count(server)
      await server.stop()
      if (storageUrl() === '') age(dataDir)
      await withOther(async (other) => {
        await cleanUp(other)
        // Its own files do not make the others look like a few orphans.
        const bob = await other.person()
        for (let i = 0; i < 5; i++) await uploaded(bob, text(500 + i))
        await cleanUp(other)
        expect(await count(other)).toBe(stored + 5)
      })
      server = await start()
      const again = await server.person()
      expect(await count(server)).toBe(stored + 5)
      server.clock.advance(DAYS)
      // The server's own job may begin at this time, too.
      await deleteOrphanBytes(server.ctx)
      await until(async () => (await count(server)) === stored)
      expect(ok(await again.get('/actuator/health')).status).toBe(200)
      await server.stop()
      await end()
    })
  })

describe.if(inProcess)('a store of files without an id', () => {
  const marker = (dataDir: string) => join(dataDir, 'files/.installation')

  test('is taken over by the database that knows its files, and not by another one', async () => {
    const { dataDir, start, withOther, end } = await place()
    let server = await start()
    const alice = await server.person()
    for (let i = 0; i < 3; i++) await uploaded(alice, text(20 + i))
    await server.stop()
    // As an earlier version has left it.
    age(dataDir)
    rmSync(marker(dataDir))
    await withOther(async (other) => {
      await cleanUp(other)
      expect(existsSync(marker(dataDir))).toBe(false)
    })
    server = await start()
    expect(existsSync(marker(dataDir))).toBe(true)
    server.clock.advance(DAYS)
    expect(await deleteOrphanBytes(server.ctx)).toMatchObject({ count: 0 })
    expect(await count(server)).toBe(3)
    await server.stop()
    await end()
  })
})

test.if(inProcess)('a new database deletes nothing in its first hours, even where it owns the files', async () => {
  const { dataDir, start, end } = await place()
  const server = await start()
  await Bun.write(join(dataDir, 'files/ab/unknown.abc'), 'orphan')
  age(dataDir)
  const run = async () => {
    for (const job of jobs) await job.run(server.ctx)
  }
  await run()
  expect(await count(server)).toBe(1)
  server.clock.advance(6 * HOUR)
  await run()
  expect(await count(server)).toBe(0)
  await server.stop()
  await end()
})
