/** Stores that share a PostgreSQL database, while connections break, processes are killed and PostgreSQL restarts. */

import { afterAll, describe, expect, test } from 'bun:test'
import { resolve } from 'node:path'

import { BUS_TIMES } from '#db/engine/pg-bus.ts'
import { chatNumbers } from '#db/schema/index.ts'
import type { Store } from '#db/store.ts'

import { until } from '../harness/index.ts'
import { onSqlite, type Place, withStore, withTwo } from './fresh.ts'
import { startPostgres } from './postgres-server.ts'
import { ascending, hear, latch, publish, published, publisher } from './sharing.ts'

const children: Bun.Subprocess[] = []
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
})

interface Other {
  readonly child: Bun.Subprocess
  readonly written: number[]
  readonly events: number[]
  gaps: number
}

/** Starts sharing-process.ts and reads its output. */
async function startOther(
  { databaseUrl }: Pick<Place, 'databaseUrl'>,
  from = -1,
  keepMs = BUS_TIMES.keepMs,
): Promise<Other> {
  const script = resolve(import.meta.dir, 'sharing-process.ts')
  const child = Bun.spawn([process.execPath, script, databaseUrl, String(from), String(keepMs)], {
    env: { ...process.env, TESSERA_DATABASE_URL: databaseUrl },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  children.push(child)
  const other: Other = { child, written: [], events: [], gaps: 0 }
  let isStarted = false
  void (async () => {
    let rest = ''
    for await (const bytes of child.stdout) {
      const lines = (rest + Buffer.from(bytes).toString()).split('\n')
      rest = lines.pop()!
      for (const line of lines) {
        const { started, written, event, gap } = JSON.parse(line) as Record<string, unknown>
        if (started === true) isStarted = true
        if (written !== undefined) other.written.push(written as number)
        if (event !== undefined) other.events.push(event as number)
        if (gap === true) other.gaps++
      }
    }
  })()
  await until(() => isStarted || child.exitCode !== null)
  expect(isStarted).toBe(true)
  return other
}

/** Ends connections of Tessera to the database, as a failure of the network would. */
const endConnections = (place: Pick<Place, 'raw'>, which = 'true') =>
  place.raw(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND (${which})`,
  )

/** Backends that run or have open a write. */
const OPEN_WRITES = 'SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND backend_xid IS NOT NULL'

async function isReachable(store: Store): Promise<boolean> {
  return Promise.resolve(store.bus.caughtUp()).then(
    () => true,
    () => false,
  )
}

if (!onSqlite)
  describe('stores that share a database', () => {
    test('hear of every committed write exactly once, whatever connections break', async () => {
      await withTwo(async (a, b, place) => {
        const [atA, atB] = [hear(a), hear(b)]
        const publishers = [0, 1, 2, 3].map((i) => publisher(i % 2 === 0 ? a : b, i * 100_000))
        const committed = () => publishers.reduce((sum, { written }) => sum + written.length, 0)
        for (let i = 0; i < 25 || committed() <= 50; i++) {
          // Every third time all of them, otherwise about half.
          await endConnections(place, i % 3 === 0 ? 'true' : 'random() < 0.5')
          await Bun.sleep(60)
        }
        await Promise.all(publishers.map(({ stop }) => stop()))
        for (const store of [a, b, a, b]) await until(() => isReachable(store))
        const rows = await published(place)
        // A write whose COMMIT got no answer may have been committed although it was refused.
        const known = new Set(rows)
        for (const { written } of publishers) for (const n of written) expect(known.has(n)).toBe(true)
        expect(
          publishers.every(({ refused }) => [...refused].every((kind) => kind === 'StorageError unreachable')),
        ).toBe(true)
        expect(publishers.some(({ refused }) => refused.size > 0)).toBe(true)
        expect(ascending(atA.events)).toEqual(rows)
        expect(ascending(atB.events)).toEqual(rows)
      })
    })

    test('write on while only the connection of the lock is lost, and report a gap', async () => {
      await withTwo(async (a, b, place) => {
        const atA = hear(a)
        const publishing = publisher(a, 0)
        for (let i = 0; i < 5; i++) {
          const gaps = atA.gaps
          await endConnections(place, `query LIKE 'SELECT pg_try_advisory_lock%'`)
          await until(() => atA.gaps > gaps)
        }
        await publishing.stop()
        expect([...publishing.refused]).toEqual([])
        expect(ascending(publishing.written)).toEqual(await published(place))
        await b.bus.caughtUp()
      })
    })

    test('report a gap once when they read events on a new connection, because PostgreSQL may have given ids again', async () => {
      await withTwo(async (a, _, place) => {
        const atA = hear(a)
        for (let nth = 1; nth <= 3; nth++) {
          await endConnections(place, `query LIKE '%bus_events%' AND query LIKE '%pg_postmaster_start_time%'`)
          await until(() => isReachable(a))
          await until(() => atA.gaps === nth)
          await publish(a, nth)
          await a.bus.caughtUp()
          expect(atA).toEqual({ events: Array.from({ length: nth }, (__, i) => i + 1), gaps: nth })
        }
      })
    })

    test('hear every event of a process that was killed in the middle of its writes', async () => {
      await withStore(async (first, place) => {
        await first.close()
        const store = await place.open({ shared: true })
        const heard = hear(store)
        for (let round = 0; round < 3; round++) {
          const other = await startOther(place, round * 100_000)
          await until(() => other.written.length >= 30)
          other.child.kill('SIGKILL')
          await other.child.exited
          // PostgreSQL may still run the last COMMITs of the process.
          await until(async () => (await place.raw(OPEN_WRITES)).length === 0)
          await store.bus.caughtUp()
          await store.bus.caughtUp()
          const rows = await published(place)
          for (const n of other.written) expect(rows).toContain(n)
          expect(ascending(heard.events)).toEqual(rows)
          expect(heard.gaps).toBe(0)
        }
      })
    })

    test('are not blocked for long by a process that stops in the middle of a write with inOrder', async () => {
      await withTwo(async (a, b) => {
        const [began, released] = [latch(), latch()]
        const inOrder = { inOrder: 'chat_numbers', maxMs: 600_000 }
        const stuck = a
          .write(
            'test',
            async (tx) => {
              await tx.insert(chatNumbers).values({ id: 2, last: 1 })
              began.open()
              await released.opened
              await tx.insert(chatNumbers).values({ id: 3, last: 1 })
            },
            inOrder,
          )
          .then(
            () => 'written',
            (error: { kind: string }) => error.kind,
          )
        await began.opened
        await b.write('test', async (tx) => tx.insert(chatNumbers).values({ id: 2, last: 2 }), inOrder)
        released.open()
        expect(await stuck).toBe('unreachable')
        expect(await b.read.select().from(chatNumbers)).toEqual([{ id: 2, last: 2 }])
      })
    })

    test('report a gap after a time in which rows may have been deleted', async () => {
      await withStore(async (first, place) => {
        await first.close()
        const store = await place.open({ shared: true })
        const other = await startOther(place, -1, 6000)
        await publish(store, 1)
        await until(() => other.events.length === 1)
        const { gaps } = other
        other.child.kill('SIGSTOP')
        await publish(store, 2)
        await Bun.sleep(3500)
        await place.raw('DELETE FROM bus_events')
        other.child.kill('SIGCONT')
        await until(() => other.gaps > gaps)
        await publish(store, 3)
        await until(() => other.events.length === 2)
        expect(other.events).toEqual([1, 3])
        other.child.kill('SIGKILL')
        await other.child.exited
      })
    })

    test('deliver the events of a write that was committed although its COMMIT got no answer', async () => {
      const server = await startPostgres()
      if (server === undefined) return
      try {
        await withTwo(
          async (a, b, place) => {
            const [atA, atB] = [hear(a), hear(b)]
            // A commit is complete on this server, and waits for another one that does not exist.
            const waitFor = async (standby: string) => {
              await place.raw(`ALTER SYSTEM SET synchronous_standby_names = '${standby}'`)
              await place.raw('SELECT pg_reload_conf()')
            }
            await waitFor('nobody')
            const numbers: number[] = []
            // The first commits may be faster than the new setting.
            for (let outcome = 'written'; outcome === 'written';) {
              const n = numbers.push(numbers.length)
              const publishing = publish(a, n - 1).then(
                () => 'written',
                (error: { kind: string }) => error.kind,
              )
              await until(async () => {
                await endConnections(place, `wait_event = 'SyncRep'`)
                return (await published(place)).length === n
              })
              outcome = await publishing
              expect(['written', 'unreachable']).toContain(outcome)
            }
            await waitFor('')
            await until(() => atA.events.length === numbers.length && atB.events.length === numbers.length)
            await publish(b, numbers.push(numbers.length) - 1)
            for (const store of [a, b]) await store.bus.caughtUp()
            expect([atA.events, atB.events]).toEqual([numbers, numbers])
          },
          BUS_TIMES,
          server.databaseUrl,
        )
      } finally {
        await server.remove()
      }
    })

    test('refuse writes while PostgreSQL is stopped, and miss nothing after its restart', async () => {
      const server = await startPostgres()
      if (server === undefined) return
      try {
        await withTwo(
          async (a, b, place) => {
            const [atA, atB] = [hear(a), hear(b)]
            const other = await startOther(place)
            const publishers = [publisher(a, 0), publisher(b, 100_000)]
            // PostgreSQL may give the ids of transactions that a crash has undone to the next ones. Their events then look old, and the gap
            // that each store reports after a restart stands for them.
            const atGaps = new Set<number>()
            for (const mode of ['fast', 'immediate'] as const) {
              const before = publishers.map(({ written }) => written.length)
              await until(() => publishers.every(({ written }, i) => written.length > before[i]! + 20))
              const gaps = [atA, atB, other].map((at) => at.gaps)
              const earlier = new Set(await published(place))
              await server.stop(mode)
              for (const { refused } of publishers) refused.clear()
              await until(() => publishers.every(({ refused }) => refused.size > 0))
              expect(
                await a.bus.caughtUp()!.then(
                  () => '',
                  (error: { kind: string }) => error.kind,
                ),
              ).toBe('unreachable')
              await server.start()
              for (const store of [a, b]) await until(() => isReachable(store))
              await until(() => [atA, atB, other].every((at, i) => at.gaps > gaps[i]!))
              for (const n of await published(place)) if (!earlier.has(n)) atGaps.add(n)
            }
            const counts = publishers.map(({ written }) => written.length)
            await until(() => publishers.every(({ written }, i) => written.length > counts[i]! + 20))
            await Promise.all(publishers.map(({ stop }) => stop()))
            for (const store of [a, b, a, b]) await store.bus.caughtUp()
            const rows = await published(place)
            const known = (events: readonly number[]) =>
              ascending([...events, ...[...atGaps].filter((n) => !events.includes(n))])
            expect(known(atA.events)).toEqual(rows)
            expect(known(atB.events)).toEqual(rows)
            await until(() => known(other.events).length >= rows.length)
            expect(known(other.events)).toEqual(rows)
            for (const { written } of publishers) for (const n of written) expect(rows).toContain(n)
          },
          BUS_TIMES,
          server.databaseUrl,
        )
      } finally {
        await server.remove()
      }
    })
  })
