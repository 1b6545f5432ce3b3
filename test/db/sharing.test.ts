/** Several stores on one PostgreSQL database: events, stamps, orders and the lock. */

import { describe, expect, test } from 'bun:test'

import { SQL } from 'bun'
import { eq, sql } from 'drizzle-orm'

import { BUS_TIMES, READ, READ_SETTINGS } from '#db/engine/pg-bus.ts'
import { connectPostgres } from '#db/engine/pg-connection.ts'
import { migrate } from '#db/migrate.ts'
import { chatNumbers, counters } from '#db/schema/index.ts'
import type { Store } from '#db/store.ts'
import { topic } from '#platform/bus.ts'

import { migrations } from '../../migrations/index.ts'
import { until } from '../harness/index.ts'
import { race } from '../harness/race.ts'
import { onSqlite, rejection, withPlace, withTwo } from './fresh.ts'
import { ascending, changed, counter, hear, latch, publish, published } from './sharing.ts'

if (onSqlite)
  test('processes share only PostgreSQL: on SQLite nothing has to be caught up with', async () => {
    await withPlace(async (place) => {
      const store = await place.open({ shared: true })
      expect(store.bus.caughtUp()).toBeUndefined()
    })
  })
else {
  const numbers = (count: number) => Array.from({ length: count }, (_, i) => i)
  const stampOf = (store: Store) => store.write('test', async (tx) => tx.stamp)
  /** No notifications are needed, and polling does not help. */
  const NEVER_POLLS = { ...BUS_TIMES, pollMs: 3_600_000 }

  describe('the bus of a shared database', () => {
    test('each event of a committed write reaches each store once; events of failed writes reach none', async () => {
      await withTwo(async (a, b) => {
        const [atA, atB] = [hear(a), hear(b)]
        await race(200, (n) => publish(n % 2 === 0 ? a : b, n))
        const failed = a.write('test', async (tx) => {
          tx.publish(changed, -1)
          throw new Error('rolled back')
        })
        expect(String(await rejection(failed))).toContain('rolled back')
        for (const store of [a, b, a, b]) await store.bus.caughtUp()
        expect(ascending(atA.events)).toEqual(numbers(200))
        expect(ascending(atB.events)).toEqual(numbers(200))
        expect([atA.gaps, atB.gaps]).toEqual([0, 0])
      })
    })

    test('a write wakes the listeners of the other store without a request and without polling', async () => {
      await withTwo(async (a, b) => {
        const atB = hear(b)
        await publish(a, 1)
        await until(() => atB.events.length === 1)
      }, NEVER_POLLS)
    })

    test('a lost notification is replaced by polling', async () => {
      await withTwo(async (a, b, place) => {
        const atB = hear(b)
        await a.bus.caughtUp()
        // Nothing announces this row.
        await place.raw(
          `INSERT INTO bus_events (xid, origin, topic, payload, created_at) VALUES (pg_current_xact_id()::text::bigint, 'x', 'test.changed', '7', 0)`,
        )
        await until(() => atB.events.length === 1)
        expect(atB.events).toEqual([7])
      })
    })

    test('caughtUp resolves after the events of every write that was committed before', async () => {
      await withTwo(async (a, b) => {
        const atB = hear(b)
        for (let n = 0; n < 200; n++) {
          await publish(a, n)
          await b.bus.caughtUp()
          expect(atB.events.at(-1)).toBe(n)
        }
      })
    })

    test('events are read by their transactions with one plan, in an empty table and in a long one', async () => {
      await withTwo(async (a, _, { databaseUrl, raw }) => {
        await using connection = connectPostgres(databaseUrl, 1, { settings: READ_SETTINGS })
        const planOf = async () => {
          await connection.unsafe(`PREPARE read (text, text, text, text, int) AS ${READ}`)
          const rows = await connection.unsafe(`EXPLAIN EXECUTE read ('1', '2,3', 'x', '', 0)`)
          await connection.unsafe('DEALLOCATE read')
          return rows.map((row: Record<string, string>) => row['QUERY PLAN']).join('\n')
        }
        const plans = [await planOf()]
        await raw(
          `INSERT INTO bus_events (xid, origin, topic, payload, created_at) SELECT 1, 'x', 'test.changed', '0', 0 FROM generate_series(1, 20000)`,
        )
        await raw('ANALYZE bus_events')
        plans.push(await planOf())
        for (const plan of plans) {
          expect(plan).toContain('xid >= ($1)::bigint')
          expect(plan.match(/Scan (using|on) bus_events_xid/g)).toHaveLength(3)
          expect(plan).not.toMatch(/bus_events_pkey|Seq Scan|Parallel/)
        }
        await a.bus.caughtUp()
      })
    })

    test('requests that wait at the same time share one query, and a later one does not', async () => {
      await withTwo(async (_, b) => {
        const first = b.bus.caughtUp()
        expect(b.bus.caughtUp()).toBe(first!)
        await new Promise((next) => setImmediate(() => setImmediate(next)))
        // The query of the first ones has been sent, and may have missed a write that was committed since.
        const later = b.bus.caughtUp()
        expect(later).not.toBe(first!)
        expect(b.bus.caughtUp()).toBe(later!)
        await later
      }, NEVER_POLLS)
    })

    test('an event of a transaction that was open during many reads is delivered once it is committed', async () => {
      await withTwo(async (a, b) => {
        const atB = hear(b)
        const [inserted, released] = [latch(), latch()]
        const slow = a.write('test', async (tx) => {
          await tx.insert(counters).values(counter('slow'))
          tx.publish(changed, 1000)
          inserted.open()
          await released.opened
        })
        await inserted.opened
        for (let n = 0; n < 20; n++) {
          await publish(a, n)
          await b.bus.caughtUp()
        }
        expect(atB.events).toEqual(numbers(20))
        released.open()
        await slow
        await b.bus.caughtUp()
        await b.bus.caughtUp()
        expect(atB.events).toEqual([...numbers(20), 1000])
      })
    })

    test('payloads arrive as they were published', async () => {
      await withTwo(async (a, b) => {
        const any = topic<unknown>('test.any')
        const heard: unknown[] = []
        b.bus.on(any, (payload) => heard.push(payload))
        const payloads = [null, 0, '', 'ü "\\ \u0000 \ud83d\ude00', { b: [1, { a: 2.5 }], '': false }, [], 2 ** 53]
        await a.write('test', async (tx) => {
          for (const payload of payloads) tx.publish(any, payload)
        })
        await b.bus.caughtUp()
        expect(heard).toEqual(payloads)
      })
    })

    test('a write whose event cannot be sent is rolled back', async () => {
      await withTwo(async (a, _b, place) => {
        const write = a.write('test', async (tx) => {
          await tx.insert(counters).values(counter('k1'))
          tx.publish(changed, 1n as unknown as number)
        })
        expect(await rejection(write)).toBeInstanceOf(TypeError)
        expect(await published(place)).toEqual([])
      })
    })

    test('more events than a store can deliver one by one are reported as a gap', async () => {
      await withTwo(async (a, b) => {
        const atB = hear(b)
        await a.write('test', async (tx) => {
          for (let n = 0; n <= 10_000; n++) tx.publish(changed, n)
        })
        await b.bus.caughtUp()
        expect(atB).toEqual({ events: [], gaps: 1 })
        await publish(a, 1)
        await b.bus.caughtUp()
        expect(atB).toEqual({ events: [1], gaps: 1 })
      }, NEVER_POLLS)
    })

    test('rows of a restored backup, with transaction ids of another server, are not delivered', async () => {
      await withTwo(async (a, b, place) => {
        const atB = hear(b)
        await place.raw(
          `INSERT INTO bus_events (xid, origin, topic, payload, created_at) VALUES (9000000000000000, 'x', 'test.changed', '7', 0)`,
        )
        await b.bus.caughtUp()
        await publish(a, 1)
        await b.bus.caughtUp()
        expect(atB).toEqual({ events: [1], gaps: 0 })
      })
    })

    test('old rows are deleted', async () => {
      const times = { ...BUS_TIMES, keepMs: 100_000, cleanMs: 20 }
      await withTwo(async (a, _, place) => {
        await publish(a, 1)
        await place.raw(
          `INSERT INTO bus_events (xid, origin, topic, payload, created_at)
           SELECT 1, 'x', 'old', '1', (extract(epoch FROM now()) * 1000)::bigint - 101000`,
        )
        // A migration that removes something announces itself on the bus, too.
        const topics = async () =>
          (await place.raw(`SELECT topic FROM bus_events WHERE topic NOT LIKE 'schema.%'`)).flat()
        await until(async () => !(await topics()).includes('old'))
        expect(await topics()).toEqual(['test.changed'])
      }, times)
    })

    test('each event is read once, and old rows are deleted, while another program keeps a transaction open', async () => {
      const times = { ...BUS_TIMES, keepMs: 100_000, cleanMs: 20 }
      await withTwo(async (a, b, { databaseUrl, raw }) => {
        await using other = new SQL({ url: databaseUrl, max: 1 })
        // Its own id and its snapshot keep the versions of all rows that change from now on.
        await other.unsafe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT pg_current_xact_id()').simple()
        const [atA, atB] = [hear(a), hear(b)]
        const addOld = () =>
          raw(
            `INSERT INTO bus_events (xid, origin, topic, payload, created_at)
             SELECT 1, 'x', 'old', '1', (extract(epoch FROM now()) * 1000)::bigint - 101000 FROM generate_series(1, 3000)`,
          )
        const pages = async () => Number((await raw("SELECT pg_relation_size('bus_events') / 8192"))[0]![0])
        for (let round = 0; round < 5; round++) {
          await race(20, (n) => publish(n % 2 ? a : b, round * 20 + n))
          await addOld()
          await until(async () => (await raw("SELECT 1 FROM bus_events WHERE topic = 'old' LIMIT 1")).length === 0)
        }
        for (const store of [a, b]) await store.bus.caughtUp()
        expect([ascending(atA.events), ascending(atB.events)]).toEqual([numbers(100), numbers(100)])
        expect([atA.gaps, atB.gaps]).toEqual([0, 0])
        await other.unsafe('COMMIT').simple()
        // The space can be used again, as soon as no deletion of that time runs.
        await until(async () => {
          await raw('VACUUM bus_events')
          const grown = await pages()
          await addOld()
          return (await pages()) === grown
        })
      }, times)
    })

    test('tell reaches the listeners of all stores, leaves no row, and refuses a payload that is too long', async () => {
      await withTwo(async (a, b, place) => {
        const [atA, atB] = [hear(a), hear(b)]
        for (const n of numbers(500)) a.bus.tell(changed, n)
        expect(atA.events).toEqual(numbers(500))
        await until(() => atB.events.length === 500)
        expect(atB.events).toEqual(numbers(500))
        expect(await place.raw(`SELECT * FROM bus_events WHERE topic LIKE 'test.%'`)).toEqual([])
        const long = topic<string>('test.long')
        expect(() => a.bus.tell(long, 'ä'.repeat(4000))).toThrow('too long')
        const heard: string[] = []
        b.bus.on(long, (text) => heard.push(text))
        a.bus.tell(long, 'ä'.repeat(3900))
        await until(() => heard.length === 1)
        expect(heard[0]).toBe('ä'.repeat(3900))
      })
    })

    test('notifications of other programs on the channel do no harm', async () => {
      await withTwo(async (a, b, place) => {
        const atB = hear(b)
        const texts = ['', 'x', '{}', '[]', '[1,true,null]', '["x",true,{"topic":1}]', '["x",false,[],7]']
        for (const text of texts) await place.raw(`SELECT pg_notify('tessera_bus', '${text}')`)
        a.bus.tell(changed, 1)
        await until(() => atB.events.length === 1)
        expect(atB).toEqual({ events: [1], gaps: 0 })
      })
    })
  })

  describe('stamps of a shared database', () => {
    test('each stamp is greater than those of all earlier writes of all stores, also after restarts and when the clock goes back', async () => {
      await withTwo(async (a, b, place) => {
        const stamps: number[] = []
        for (let i = 0; i < 30; i++) stamps.push(await stampOf(i % 2 === 0 ? a : b))
        expect(Math.abs(stamps[0]! - place.clock.now())).toBeLessThan(600_000)
        place.clock.advance(60_000)
        stamps.push(await stampOf(b))
        expect(stamps.at(-1)! - stamps[0]!).toBeGreaterThan(59_000)
        place.clock.advance(-3_600_000)
        for (let i = 0; i < 30; i++) stamps.push(await stampOf(i % 2 === 0 ? a : b))
        await a.close()
        const c = await place.open({ shared: true })
        for (let i = 0; i < 30; i++) stamps.push(await stampOf(i % 2 === 0 ? c : b))
        await b.close()
        await c.close()
        const alone = await place.open()
        for (let i = 0; i < 3; i++) stamps.push(await stampOf(alone))
        await alone.close()
        stamps.push(await stampOf(await place.open({ shared: true })))
        expect(stamps).toEqual(ascending([...new Set(stamps)]))
        expect(stamps.at(-1)! - stamps[30]!).toBeLessThan(600_000)
      })
    })

    test('400 concurrent writes of two stores have different stamps', async () => {
      await withTwo(async (a, b) => {
        const stamps = await race(400, (i) => stampOf(i % 2 === 0 ? a : b))
        expect(new Set(stamps).size).toBe(400)
      })
    })

    test('a write that sees the row of another write has a greater stamp', async () => {
      await withTwo(async (a, b) => {
        await a.write('test', async (tx) => tx.insert(counters).values(counter('row', tx.stamp)))
        const wrong: [number, number][] = []
        const next = (store: Store) =>
          store.write('test', async (tx) => {
            const { stamp } = tx
            const [row] = await tx.select().from(counters).where(eq(counters.key, 'row'))
            if (stamp <= row!.count) wrong.push([row!.count, stamp])
            await tx.update(counters).set({ count: stamp }).where(eq(counters.key, 'row'))
          })
        await race(150, (i) => next(i % 2 === 0 ? a : b))
        expect(wrong).toEqual([])
      })
    })

    test('a write that has waited for a table gets a greater stamp than the writes that were committed meanwhile', async () => {
      await withTwo(async (a, b, place) => {
        const inOrder = { inOrder: 'chat_numbers' }
        const [began, released] = [latch(), latch()]
        const first = a.write(
          'test',
          async () => {
            began.open()
            await released.opened
          },
          inOrder,
        )
        await began.opened
        const waiting = b.write('test', async (tx) => tx.stamp, inOrder)
        await until(
          async () =>
            (await place.raw("SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'chat_numbers'::regclass"))
              .length > 0,
        )
        const meanwhile = await stampOf(a)
        released.open()
        await first
        expect(await waiting).toBeGreaterThan(meanwhile)
      })
    })

    test('no stamp of a write that another store has open is settled, and all are when it has ended', async () => {
      await withTwo(async (a, b) => {
        const earlier = await stampOf(a)
        expect([await a.settledStamp(), await b.settledStamp()]).toEqual([earlier, earlier])
        const [began, released] = [latch(), latch()]
        let stamp = 0
        const open = b.write('test', async (tx) => {
          stamp = tx.stamp
          await tx.insert(counters).values(counter('open'))
          began.open()
          await released.opened
          throw new Error('rolled back')
        })
        await began.opened
        const later = await stampOf(a)
        expect(later).toBeGreaterThan(stamp)
        for (const store of [a, b]) {
          expect(await store.settledStamp()).toBeLessThan(stamp)
          expect(await store.settledStamp()).toBeGreaterThanOrEqual(earlier)
        }
        released.open()
        await rejection(open)
        expect([await a.settledStamp(), await b.settledStamp()]).toEqual([later, later])
      })
    })

    test('all writes up to the settled stamp are visible when it has been read, while two stores write', async () => {
      await withTwo(async (a, b) => {
        let isWriting = true
        let nth = 0
        let written = 0
        const writer = async (store: Store) => {
          for (; isWriting; written++)
            await store.write('test', async (tx) => {
              await tx.insert(counters).values(counter(`k${nth++}`, tx.stamp))
              if (tx.stamp % 3 === 0) await Bun.sleep(tx.stamp % 20)
            })
        }
        const writers = [a, a, a, b, b, b].map(writer)
        const checks: { settled: number; visible: Set<number> }[] = []
        const all = async () => (await a.read.select({ stamp: counters.count }).from(counters)).map((row) => row.stamp)
        for (let i = 0; i < 60 || written < 60; i++) {
          const settled = await (i % 2 === 0 ? a : b).settledStamp()
          checks.push({ settled, visible: new Set(await all()) })
        }
        isWriting = false
        await Promise.all(writers)
        const stamps = await all()
        for (const { settled, visible } of checks)
          expect(stamps.filter((stamp) => stamp <= settled && !visible.has(stamp))).toEqual([])
        expect(checks.at(-1)!.settled).toBeGreaterThan(checks[0]!.settled)
        expect(await b.settledStamp()).toBe(Math.max(...stamps))
      })
    })
  })

  test('numbers that writes of two stores take with inOrder become visible in ascending order, without gaps', async () => {
    await withTwo(async (a, b) => {
      const take = (store: Store) =>
        store.write(
          'test',
          async (tx) => {
            const [row] = await tx
              .insert(chatNumbers)
              .values({ id: 1, last: 1 })
              .onConflictDoUpdate({ target: chatNumbers.id, set: { last: sql`${chatNumbers.last} + 1` } })
              .returning({ last: chatNumbers.last })
            await tx.insert(counters).values(counter(`n${row!.last}`, row!.last))
            if (row!.last % 7 === 0) await Bun.sleep(3)
          },
          { inOrder: 'chat_numbers' },
        )
      let isRunning = true
      const incomplete: number[][] = []
      const watch = async (store: Store) => {
        while (isRunning) {
          const seen = ascending((await store.read.select({ n: counters.count }).from(counters)).map(({ n }) => n))
          if (seen.length !== (seen.at(-1) ?? 0)) incomplete.push(seen)
        }
      }
      const watching = [watch(a), watch(b)]
      await race(120, (i) => take(i % 2 === 0 ? a : b))
      isRunning = false
      await Promise.all(watching)
      expect(incomplete).toEqual([])
      expect((await a.read.select().from(counters)).length).toBe(120)
    })
  })

  describe('the lock of a shared database', () => {
    test('a process that wants the database alone is refused while others share it, and the other way round', async () => {
      await withTwo(async (a, b, place) => {
        const refused = { name: 'StorageError', kind: 'busy', message: expect.stringContaining('S3') }
        expect(await rejection(place.open())).toMatchObject(refused)
        await a.close()
        expect(await rejection(place.open())).toMatchObject(refused)
        await b.close()
        const alone = await place.open()
        expect(await rejection(place.open({ shared: true }))).toMatchObject(refused)
        await alone.close()
        await publish(await place.open({ shared: true }), 1)
      })
    })

    test('a store refuses writes and requests while another process has the database for itself', async () => {
      await withTwo(async (a, b, place) => {
        const atA = hear(a)
        await b.close()
        // The other process waits for the lock and gets it when the connection that holds it is lost.
        const key = '32762643830108769'
        const alone = place.raw(`DO $$ BEGIN PERFORM pg_advisory_xact_lock(${key}); PERFORM pg_sleep(3); END $$`)
        const locks = `FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND (classid::bigint << 32 | objid::bigint) = ${key}
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
        await until(async () => (await place.raw(`SELECT 1 ${locks} AND NOT granted`)).length === 1)
        await place.raw(`SELECT pg_terminate_backend(pid) ${locks} AND mode = 'ShareLock'`)
        await until(
          async () => (await place.raw(`SELECT 1 ${locks} AND granted AND mode = 'ExclusiveLock'`)).length === 1,
        )
        expect(await rejection(publish(a, 0))).toMatchObject({ name: 'StorageError', kind: 'busy' })
        expect(await rejection(a.bus.caughtUp()!)).toMatchObject({ name: 'StorageError', kind: 'busy' })
        expect(await rejection(a.checkWritable())).toMatchObject({ name: 'StorageError', kind: 'busy' })
        await alone
        await until(() => atA.gaps > 0)
        await publish(a, 1)
      })
    })

    test('a process of a newer version is refused until those of the earlier version have stopped', async () => {
      await withTwo(async (a, b, place) => {
        const { databaseUrl, dataDir, clock, log } = place
        const newer = { name: '9000_newer', sql: 'CREATE TABLE newer (a integer)' }
        const options = { databaseUrl, dataDir, clock, log, shared: true, migrations: [...migrations.postgres, newer] }
        expect(await rejection(migrate(options))).toMatchObject({
          kind: 'busy',
          message: expect.stringContaining('earlier version'),
        })
        await Promise.all([a.close(), b.close()])
        expect((await migrate(options)).applied).toEqual(['9000_newer'])
      })
    })

    test('processes that start together on an empty database all start', async () => {
      await withPlace(async (place) => {
        const stores = await race(4, () => place.open({ shared: true }))
        await race(4, (i) => publish(stores[i]!, i))
        expect(place.log.lines.filter(({ message }) => message === 'migration applied').length).toBe(
          migrations.postgres.length,
        )
      })
    })
  })
}
