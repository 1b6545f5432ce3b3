/** Processes of two versions on one database: each process is replaced by one of the next version, and back. */

import { describe, expect, test } from 'bun:test'
import { resolve } from 'node:path'

import { SQL } from 'bun'

import { defaultConfig } from '#config/config.ts'

import type { Migration } from '../../migrations/index.ts'
import { registerWriters } from '../chat/writers.ts'
import { ok, type Person, until } from '../harness/index.ts'
import { startProxy } from '../harness/proxy.ts'
import { ADMIN, firstAddress, spawnServer } from '../harness/server.ts'
import { onPostgres, type Several, withServers } from './several.ts'

const OTHER_VERSION = resolve(import.meta.dir, 'other-version.ts')
const PROCESSES = 3
/** Rows that are created before and after each replacement. */
const BETWEEN = 30

const migration = (kind: string, name: string, sql: string): Migration => ({
  name,
  sql: `-- ${kind} 9.0.0\n\n${sql}`,
})
const column = migration('EXPAND', '9000_note', 'ALTER TABLE qr_codes ADD COLUMN note text;')
const index = migration(
  'EXPAND',
  '9001_note_indexes',
  'CREATE INDEX CONCURRENTLY "qr_codes_note" ON "qr_codes" ("updated_at");',
)
const contract = migration('CONTRACT', '9002_note_contract', 'CREATE TABLE without_older (a integer);')

/** Starts a process of this version, or of one with more migrations. The caller ends it. */
function spawn({ config, newDataDir }: Several, more: readonly Migration[] = []) {
  const main = { path: OTHER_VERSION, env: { TEST_MORE_MIGRATIONS: JSON.stringify(more) } }
  const given = { ...defaultConfig, ...config, port: 0, dataDir: newDataDir(), logLevel: 'error' } as const
  const child = spawnServer(
    { ...given, adminUsername: ADMIN.username, adminPassword: ADMIN.password, rateLimit: false },
    main,
  )
  return {
    child,
    listening: firstAddress(child.stdout),
    async end(signal: NodeJS.Signals = 'SIGKILL') {
      child.kill(signal)
      await child.exited
    },
  }
}

type Started = ReturnType<typeof spawn>

interface Database {
  readonly sql: SQL
  rows(text: string): Promise<unknown[][]>
}

/** Runs `use` without servers, and ends all processes that it has started. */
const withProcesses = (
  use: (start: (more?: readonly Migration[]) => Started, database: Database) => Promise<void>,
): Promise<void> =>
  withServers(0, async (several) => {
    const started: Started[] = []
    const sql = new SQL({ url: several.config.databaseUrl!, max: 2 })
    const start = (more: readonly Migration[] = []): Started => {
      const one = spawn(several, more)
      // A process that is killed while it starts never listens.
      one.listening.catch(() => undefined)
      started.push(one)
      return one
    }
    const rows = async (text: string) => (await sql.unsafe(text).values()) as unknown[][]
    try {
      await use(start, { sql, rows })
    } finally {
      await sql.close()
      await Promise.all(started.map((one) => one.end()))
    }
  })

const APPLIED = "SELECT name FROM schema_migrations WHERE name >= '9000' ORDER BY name"

/** Creates codes one after the other until `isOver`, and repeats what a client may repeat. Returns the names, and answers that no client should get. */
async function createCodes(
  { token, deviceId }: Person,
  url: string,
  prefix: string,
  created: string[],
  isOver: () => boolean,
) {
  const problems: string[] = []
  for (let n = 0; !isOver(); n++) {
    const name = `${prefix} ${n}`
    const headers = {
      authorization: `Bearer ${token}`,
      'x-device-id': deviceId,
      'content-type': 'application/json',
      'idempotency-key': crypto.randomUUID(),
    }
    const body = JSON.stringify({ name, content: 'https://example.org' })
    for (;;) {
      const answer = await fetch(`${url}/api/qr-codes`, { method: 'POST', headers, body }).catch(() => undefined)
      if (answer?.ok) break
      const mayRepeat =
        answer === undefined || (answer.headers.has('retry-after') && [409, 503].includes(answer.status))
      if (!mayRepeat) problems.push(`${answer.status} ${await answer.text()}`)
      await Bun.sleep(20)
    }
    created.push(name)
  }
  return problems
}

describe.if(onPostgres)('processes of two versions', () => {
  test('each process is replaced by one of the next version and back, and no request fails', async () => {
    await withProcesses(async (start, { rows }) => {
      const processes = Array.from({ length: PROCESSES }, () => start())
      const urls = await Promise.all(processes.map(({ listening }) => listening))
      const proxy = await startProxy(urls)
      try {
        const people = await registerWriters(proxy.url, 4)
        const created: string[] = []
        let isOver = false
        const writing = people.map((one, i) => createCodes(one, proxy.url, `code ${i}`, created, () => isOver))
        const moreCreated = async () => {
          const before = created.length
          await until(() => created.length > before + BETWEEN)
        }
        const replaceAll = async (more: readonly Migration[]) => {
          for (let i = 0; i < PROCESSES; i++) {
            const next = start(more)
            urls[i] = await next.listening
            proxy.use(urls)
            await processes[i]!.end('SIGTERM')
            processes[i] = next
            await moreCreated()
          }
        }
        await moreCreated()
        await replaceAll([column, index])
        expect(await rows(APPLIED)).toEqual([[column.name], [index.name]])
        await replaceAll([])
        isOver = true
        expect(await Promise.all(writing)).toEqual(people.map(() => []))
        expect((await rows('SELECT name FROM qr_codes')).flat().toSorted()).toEqual(created.toSorted() as unknown[])
        expect(ok(await people[0]!.get('/api/qr-codes')).data.total).toBeGreaterThan(0)
      } finally {
        await proxy.stop()
      }
    })
  })

  test('a removal waits for the last older process, and refuses older ones from then on', async () => {
    await withProcesses(async (start, { rows }) => {
      const older = [start(), start()]
      await Promise.all(older.map(({ listening }) => listening))
      const next = [column, index, contract]
      const newer = [start(next), start(next)]
      await Promise.all(newer.map(({ listening }) => listening))
      expect(await rows(APPLIED)).toEqual([[column.name], [index.name]])
      // The version before may still start.
      const another = start()
      await another.listening
      await another.end('SIGTERM')
      await older[0]!.end('SIGTERM')
      // One that does not answer is taken for dead: its row would be too old after half a minute.
      older[1]!.child.kill('SIGSTOP')
      expect(await rows(APPLIED)).toEqual([[column.name], [index.name]])
      await rows("DELETE FROM processes WHERE report::json->>'schema' < '9000'")
      await until(async () => (await rows(APPLIED)).length === 3)
      older[1]!.child.kill('SIGCONT')
      expect(await older[1]!.child.exited).toBe(4)
      expect(await start().child.exited).toBe(4)
      await start(next).listening
    })
  })

  test('a process that is killed while it creates an index leaves the work to the next one', async () => {
    await withProcesses(async (start, { sql, rows }) => {
      await start().listening
      const writing = await sql.reserve()
      await writing.unsafe('BEGIN')
      await writing.unsafe('LOCK TABLE qr_codes IN ROW EXCLUSIVE MODE')
      const killed = start([index])
      const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
        AND query LIKE 'CREATE INDEX%' AND pid <> pg_backend_pid()`
      await until(async () => (await rows(waiting)).length > 0)
      await killed.end()
      const next = start([index])
      await writing.unsafe('COMMIT')
      writing.release()
      await next.listening
      expect(await rows(APPLIED)).toEqual([[index.name]])
      expect(await rows("SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('qr_codes_note')")).toEqual([
        [true],
      ])
    })
  })
})
