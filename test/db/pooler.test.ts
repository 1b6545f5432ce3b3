/** The pools of a process work through a pooler in either mode, and one in transaction mode is refused for everything else. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { sql } from 'drizzle-orm'

import { isSameDatabase, poolerProblem, poolsTransactions } from '#db/pooler.ts'
import { counters } from '#db/schema/index.ts'

import { until } from '../harness/index.ts'
import { freePort } from '../harness/s3.ts'
import { Installation, onPostgres } from '../ops/cli.ts'
import { rejection, withStore } from './fresh.ts'
import { counter } from './sharing.ts'

const program = Bun.which('pgbouncer')

/** PgBouncer with its defaults, in front of the server of the tests. */
class Pooler {
  readonly folder = mkdtempSync(join(tmpdir(), 'tessera-pooler-'))
  child: Bun.Subprocess | undefined
  port = 0

  constructor(readonly mode: 'session' | 'transaction') {}

  async start(): Promise<void> {
    const { hostname, port, username } = new URL(process.env['TEST_DATABASE_URL']!)
    this.port = await freePort()
    const file = join(this.folder, 'pgbouncer.ini')
    writeFileSync(
      file,
      `[databases]\n* = host=${hostname} port=${port || 5432} user=${username}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${this.port}\nunix_socket_dir =\nauth_type = any\npool_mode = ${this.mode}\ndefault_pool_size = 40\n`,
    )
    chmodSync(this.folder, 0o755)
    // It refuses to run as root.
    const prefix = process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--'] : []
    this.child = Bun.spawn([...prefix, program!, '-q', file], { stdout: 'ignore', stderr: 'ignore' })
    const isUp = () =>
      Bun.connect({ hostname: '127.0.0.1', port: this.port, socket: { data() {} } }).then(
        (socket) => (socket.end(), true),
        () => false,
      )
    await until(isUp)
  }

  through(databaseUrl: string): string {
    const url = new URL(databaseUrl)
    url.host = `127.0.0.1:${this.port}`
    return url.href
  }

  async stop(): Promise<void> {
    this.child?.kill('SIGKILL')
    await this.child?.exited
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** Many writes, reads and searches at once, and a search that takes too long. */
async function use(shared: boolean, poolerOf: (databaseUrl: string) => string): Promise<void> {
  await withStore(async (first, place) => {
    await first.close()
    const poolerUrl = poolerOf(place.databaseUrl)
    const store = await place.open({ shared, poolerUrl, databaseConnections: 12, searchMs: 1000 })
    const count = { n: sql<number>`count(*)::int` }
    await Promise.all(
      Array.from({ length: 60 }, async (_, n) => {
        await store.write('test', (tx) => tx.insert(counters).values(counter(`k${n}`, n)))
        const [own] = await store.read
          .select()
          .from(counters)
          .where(sql`${counters.key} = ${`k${n}`}`)
        expect(own).toMatchObject({ count: n })
        expect((await store.search(n, async (db) => db.select(count).from(counters)))[0]!.n).toBeGreaterThan(0)
      }),
    )
    expect(await store.read.select(count).from(counters)).toEqual([{ n: 60 }])
    const [settings] = await store.write('test', async (tx) =>
      tx
        .select({
          commit: sql`current_setting('synchronous_commit')`,
          idle: sql`current_setting('idle_in_transaction_session_timeout')`,
        })
        .from(sql`(VALUES (1)) AS one`),
    )
    expect(settings).toEqual({ commit: 'on', idle: '10s' })
    const slow = store.search(1, async (db) =>
      db.select({ n: sql`(SELECT 1 FROM pg_sleep(60))` }).from(sql`(VALUES (1)) AS one`),
    )
    expect(await rejection(slow)).toMatchObject({ reason: 'timeout' })
  })
}

describe.if(onPostgres)('with two addresses of one database', () => {
  test.each([false, true])(
    'the pools work without prepared statements and settings of connections, shared: %p',
    (shared) => use(shared, (databaseUrl) => databaseUrl),
  )

  test('PostgreSQL itself is no pooler, and other databases are noticed', async () => {
    await withStore(async (_, { databaseUrl }) => {
      expect(await poolsTransactions(databaseUrl)).toBe(false)
      expect(await poolerProblem(databaseUrl, databaseUrl)).toBeUndefined()
      const other = process.env['TEST_DATABASE_URL']!
      expect(await isSameDatabase(databaseUrl, other)).toBe(false)
      expect(await poolerProblem(databaseUrl, other)).toContain('lead to different databases')
    })
  })

  describe.if(program !== null)('through PgBouncer', () => {
    const [session, transaction] = [new Pooler('session'), new Pooler('transaction')]
    beforeAll(() => Promise.all([session.start(), transaction.start()]))
    afterAll(() => Promise.all([session.stop(), transaction.stop()]))

    test.each([
      ['session', false],
      ['session', true],
      ['transaction', false],
      ['transaction', true],
    ] as const)('in %s mode the pools work, shared: %p', (mode, shared) =>
      use(shared, (databaseUrl) => (mode === 'session' ? session : transaction).through(databaseUrl)),
    )

    test('the server is refused without a way past it, and doctor says why', async () => {
      const place = await Installation.make()
      try {
        for (const [pooler, why] of [
          [session, 'is a pooler that refuses settings'],
          [transaction, 'is a pooler in transaction mode'],
        ] as const) {
          const pooled = pooler.through(place.databaseUrl)
          const env = { TESSERA_DATABASE_URL: pooled }
          const { code, stderr } = await place.run(['serve'], { env })
          expect([code, stderr]).toEqual([2, expect.stringContaining(why)])
          expect(stderr).toContain('TESSERA_DATABASE_DIRECT_URL')
          const doctor = await place.run(['doctor'], { env })
          expect([doctor.code, doctor.stdout]).toEqual([1, expect.stringContaining(why)])
          const both = { TESSERA_DATABASE_URL: pooled, TESSERA_DATABASE_DIRECT_URL: place.databaseUrl }
          const server = await place.serve([], { env: both })
          expect((await fetch(`${server.url}/actuator/health/ready`)).status).toBe(200)
          expect((await place.run(['doctor'], { env: both })).stdout).toMatch(/OK +pooler /)
          expect(await server.end()).toBe(0)
        }
      } finally {
        await place.dispose()
      }
    })
  })
})
