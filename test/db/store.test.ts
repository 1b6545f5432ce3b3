import { describe, expect, test } from 'bun:test'

import { SQL } from 'bun'
import { count, eq, sql } from 'drizzle-orm'

import { WRITE_LIMITS } from '#db/engine/write.ts'
import { isUniqueViolation, StorageError } from '#db/errors.ts'
import { counters, identities, users } from '#db/schema/index.ts'
import type { Store, Tx } from '#db/store.ts'
import { publicError } from '#http/respond.ts'
import { topic } from '#platform/bus.ts'

import { race } from '../harness/race.ts'
import { onSqlite, rejection, withPlace, withStore } from './fresh.ts'

const counter = (key: string, n = 0) => ({ key, count: n, windowStart: 0, expiresAt: 0 })
const user = (name: string) => ({ username: name, usernameKey: name, nickname: name, createdAt: 1, updatedAt: 1 })
const keys = async (store: Store): Promise<string[]> =>
  (await store.read.select({ key: counters.key }).from(counters)).map(({ key }) => key).toSorted()

/** Runs a statement that drizzle does not build on the store's own connection, which domains must not do. */
const statement = async (db: unknown, text: string): Promise<unknown[][]> =>
  (db as { all(query: unknown): unknown[][] }).all(sql.raw(text))

/** Commits writes that start together in one group, however long they take on a busy machine. */
const ONE_GROUP = { ...WRITE_LIMITS, groupMs: Number.POSITIVE_INFINITY }

describe('store.write', () => {
  test('a write is visible to readers once it has resolved, and not before', async () => {
    await withStore(async (store) => {
      const before: string[][] = []
      await store.write('test', async (tx) => {
        await tx.insert(counters).values(counter('a'))
        before.push(await keys(store))
      })
      expect(before).toEqual([[]])
      expect(await keys(store)).toEqual(['a'])
    })
  })

  test('a write that throws after an await leaves no rows and runs no after-commit hook', async () => {
    await withStore(async (store) => {
      let hooks = 0
      const failing = store.write('test', async (tx) => {
        tx.afterCommit(() => hooks++)
        await tx.insert(counters).values(counter('a'))
        await tx.insert(users).values(user('anna'))
        throw new Error('on purpose')
      })
      expect(await rejection(failing)).toHaveProperty('message', 'on purpose')
      expect(await keys(store)).toEqual([])
      expect(await store.read.select().from(users)).toEqual([])
      expect(hooks).toBe(0)
    })
  })

  test('a long write that throws leaves no rows, and the writes beside it and the mark of stamps stay', async () => {
    await withStore(async (store, place) => {
      for (let i = 0; i < 5; i++) {
        // Now and then, the mark is saved together with the write that fails.
        place.clock.advance(700)
        let stamp = 0
        const failing = store.write(
          'test.long',
          async (tx) => {
            stamp = tx.stamp
            await tx.insert(counters).values(counter('lost'))
            throw new Error('on purpose')
          },
          { maxMs: 60_000 },
        )
        const others = ['before', 'after'].map((name) =>
          store.write('test', async (tx) => tx.insert(counters).values(counter(`${name} ${i}`))),
        )
        expect(await rejection(failing)).toHaveProperty('message', 'on purpose')
        await Promise.all(others)
        const [[mark]] = (await place.raw("SELECT value FROM server_state WHERE key = 'stamp.mark'")) as [[string]]
        expect(Number(mark)).toBeGreaterThanOrEqual(stamp)
      }
      const names = Array.from({ length: 5 }, (_, i) => [`before ${i}`, `after ${i}`])
      expect(await keys(store)).toEqual(names.flat().toSorted())
    })
  })

  test('a write that fails in a group loses only its own rows', async () => {
    await withStore(async (store) => {
      const outcomes = await Promise.allSettled(
        Array.from({ length: 40 }, (_, i) =>
          store.write('test', async (tx) => {
            await tx.insert(counters).values(counter(`k${i}`))
            if (i % 2 === 1) throw new Error('odd')
          }),
        ),
      )
      expect(outcomes.map(({ status }) => status)).toEqual(
        Array.from({ length: 40 }, (_, i) => (i % 2 === 1 ? 'rejected' : 'fulfilled')),
      )
      const even = Array.from({ length: 20 }, (_, i) => `k${i * 2}`)
      expect(await keys(store)).toEqual(even.toSorted())
    })
  })

  test('a write inside a write throws instead of waiting for itself, and the outer one is rolled back', async () => {
    await withStore(async (store) => {
      const nested = store.write('test', async (tx) => {
        await tx.insert(counters).values(counter('outer'))
        await store.write('test', async (inner) => inner.insert(counters).values(counter('inner')))
      })
      expect(String(await rejection(nested))).toContain('nested write')
      expect(await keys(store)).toEqual([])
    })
  })

  test('a write may be started from an after-commit hook', async () => {
    await withStore(async (store) => {
      let second: Promise<unknown> | undefined
      await store.write('test', async (tx) => {
        await tx.insert(counters).values(counter('first'))
        tx.afterCommit(() => {
          second = store.write('test', async (next) => next.insert(counters).values(counter('second')))
        })
      })
      await second
      expect(await keys(store)).toEqual(['first', 'second'])
    })
  })

  test('using a tx after its write has ended throws and changes nothing', async () => {
    await withStore(async (store) => {
      let leaked: Tx | undefined
      let late: Promise<unknown> | undefined
      await store.write('test', async (tx) => {
        leaked = tx
        await tx.insert(counters).values(counter('a'))
        // Not awaited: it runs after the function has returned, and on PostgreSQL perhaps before the commit has.
        late = rejection(
          new Promise((next) => setImmediate(next)).then(() => tx.insert(counters).values(counter('late'))),
        )
      })
      expect(String(await late)).toContain('this tx has ended')
      for (const use of [
        () => leaked!.insert(counters).values(counter('b')).execute(),
        () => leaked!.select().from(counters).execute(),
        () => leaked!.update(counters).set({ count: 9 }).execute(),
        () => leaked!.delete(counters).execute(),
        async () => leaked!.afterCommit(() => undefined),
      ])
        expect(String(await rejection((async () => use())()))).toContain('this tx has ended')
      // Even while another write is running on the same connection.
      await store.write('test', async (tx) => {
        await tx.insert(counters).values(counter('c'))
        await rejection((async () => leaked!.insert(counters).values(counter('d')))())
      })
      expect(await keys(store)).toEqual(['a', 'c'])
      expect((await store.read.select().from(counters).where(eq(counters.key, 'a')))[0]!.count).toBe(0)
    })
  })

  test('a write with a failed statement is rolled back, even if the error was caught', async () => {
    await withStore(async (store) => {
      await store.write('test', async (tx) => tx.insert(counters).values(counter('taken')))
      const swallowing = store.write('test', async (tx) => {
        await tx.insert(counters).values(counter('mine'))
        try {
          await tx.insert(counters).values(counter('taken'))
        } catch {
          // The write goes on and returns.
        }
      })
      expect(isUniqueViolation(await rejection(swallowing))).toBe(true)
      expect(await keys(store)).toEqual(['taken'])
    })
  })

  test('isUniqueViolation recognizes which unique index a write has violated', async () => {
    await withStore(async (store) => {
      await store.write('test', async (tx) => {
        const [anna] = await tx.insert(users).values(user('anna')).returning()
        await tx
          .insert(identities)
          .values({ userId: anna!.id, provider: 'EMAIL', credential: 'a@example.com', createdAt: 1 })
      })
      const name = await rejection(store.write('test', async (tx) => tx.insert(users).values(user('anna'))))
      expect(isUniqueViolation(name)).toBe(true)
      expect(isUniqueViolation(name, 'users_username_key')).toBe(true)
      expect(isUniqueViolation(name, 'identities_provider_credential')).toBe(false)
      const two = await rejection(
        store.write('test', async (tx) =>
          tx.insert(identities).values({ userId: 1, provider: 'EMAIL', credential: 'a@example.com', createdAt: 1 }),
        ),
      )
      expect(isUniqueViolation(two, 'identities_provider_credential')).toBe(true)
      const foreign = await rejection(
        store.write('test', async (tx) =>
          tx.insert(identities).values({ userId: 99, provider: 'EMAIL', credential: 'b@example.com', createdAt: 1 }),
        ),
      )
      expect(isUniqueViolation(foreign)).toBe(false)
      expect(foreign).toBeInstanceOf(Error)
      expect(() => isUniqueViolation(name, 'no_such_index')).toThrow('no unique index')
    })
  })

  test('after-commit hooks run in order, before the caller continues, and one that throws is logged', async () => {
    await withStore(async (store, { log }) => {
      const events: string[] = []
      const write = async (name: string): Promise<void> => {
        await store.write('test', async (tx) => {
          tx.afterCommit(() => events.push(`${name} first hook`))
          tx.afterCommit(() => {
            throw new Error('a hook failed')
          })
          tx.afterCommit(() => events.push(`${name} last hook`))
          await tx.insert(counters).values(counter(name))
        })
        events.push(`${name} answered`)
      }
      await write('a')
      await write('b')
      const expected = ['a', 'b'].flatMap((n) => [`${n} first hook`, `${n} last hook`, `${n} answered`])
      expect(events).toEqual(expected)
      expect(log.lines.filter(({ message }) => message === 'after-commit hook failed')).toHaveLength(2)
    })
  })

  test('a write that takes as long as the limit is logged under its name, a shorter one is not', async () => {
    await withPlace(async ({ open, log }) => {
      const slowWrites = () => log.lines.filter(({ message }) => message === 'slow write')
      const strict = await open({ limits: { ...WRITE_LIMITS, slowMs: 0 } })
      await strict.write('test.slow', async (tx) => tx.insert(counters).values(counter('slow')))
      expect(slowWrites()).toEqual([
        { level: 'warn', message: 'slow write', fields: { write: 'test.slow', ms: expect.any(Number) } },
      ])
      await strict.close()
      const lenient = await open({ limits: { ...WRITE_LIMITS, slowMs: Number.POSITIVE_INFINITY } })
      await lenient.write('test.quick', async (tx) => tx.insert(counters).values(counter('quick')))
      expect(slowWrites()).toHaveLength(1)
    })
  })

  test('close waits for running writes, and later writes are refused', async () => {
    await withPlace(async (place) => {
      const store = await place.open()
      const running = race(20, (i) => store.write('test', async (tx) => tx.insert(counters).values(counter(`k${i}`))))
      await Promise.all([running, store.close()])
      expect(String(await rejection(store.write('test', async () => 1)))).toContain('closed')
      expect(await place.raw('SELECT count(*) FROM counters')).toEqual([[onSqlite ? 20 : '20']])
    })
  })
})

test('1,000 concurrent writes lose nothing, and no reader ever sees half of a write', async () => {
  await withStore(async (store) => {
    const ACCOUNTS = 10
    await store.write('test', async (tx) =>
      tx.insert(counters).values(Array.from({ length: ACCOUNTS }, (_, i) => counter(`account ${i}`, 100))),
    )
    const writing = { done: false }
    const sums = new Set<number>()
    const odd = new Set<number>()
    const readers = race(4, async () => {
      while (!writing.done) {
        const [row] = await store.read
          .select({ sum: sql`sum(${counters.count})`.mapWith(Number), rows: count() })
          .from(counters)
        sums.add(row!.sum)
        odd.add((row!.rows - ACCOUNTS) % 2)
        await new Promise<void>((next) => setImmediate(next))
      }
    })
    // Each write moves 1 from one account to another and inserts two rows.
    await race(1000, (i) =>
      store.write('test', async (tx) => {
        const move = (name: string, by: number) =>
          tx
            .update(counters)
            .set({ count: sql`${counters.count} + ${by}` })
            .where(eq(counters.key, name))
        await move(`account ${i % ACCOUNTS}`, -1)
        await tx.insert(counters).values(counter(`debit ${i}`))
        await move(`account ${(i * 7 + 3) % ACCOUNTS}`, 1)
        await tx.insert(counters).values(counter(`credit ${i}`))
      }),
    )
    writing.done = true
    await readers
    expect([...sums]).toEqual([100 * ACCOUNTS])
    expect([...odd]).toEqual([0])
    const [row] = await store.read.select({ n: count() }).from(counters)
    expect(row!.n).toBe(ACCOUNTS + 2000)
  })
})

test('50 concurrent read-modify-writes of one row all succeed, as if they ran one after the other', async () => {
  await withStore(async (store) => {
    await store.write('test', async (tx) => tx.insert(counters).values(counter('hot')))
    const hot = eq(counters.key, 'hot')
    await race(50, () =>
      store.write('test', async (tx) => {
        const [row] = await tx.select().from(counters).where(hot)
        await tx
          .update(counters)
          .set({ count: row!.count + 1 })
          .where(hot)
      }),
    )
    expect((await store.read.select().from(counters).where(hot))[0]!.count).toBe(50)
  })
})

test('a failing COMMIT rejects every write of the group, leaves no rows, and the store works afterwards', async () => {
  await withPlace(async (place) => {
    const store = await place.open({ limits: ONE_GROUP })
    if (!onSqlite)
      await place.raw(
        'ALTER TABLE identities ADD CONSTRAINT late FOREIGN KEY (user_id) REFERENCES users (id) DEFERRABLE INITIALLY DEFERRED',
      )
    if (!onSqlite) await place.raw('ALTER TABLE identities DROP CONSTRAINT identities_user_id_users_id_fk')
    let hooks = 0
    const dangling = (tx: Tx) =>
      tx.insert(identities).values({ userId: 99, provider: 'EMAIL', credential: 'x', createdAt: 1 })
    const together = [
      store.write('test', async (tx) => {
        tx.afterCommit(() => hooks++)
        await tx.insert(counters).values(counter('innocent'))
      }),
      store.write('test', async (tx) => {
        tx.afterCommit(() => hooks++)
        if (onSqlite) await statement(tx, 'PRAGMA defer_foreign_keys = ON')
        await dangling(tx)
      }),
    ]
    const outcomes = await Promise.allSettled(together)
    // On PostgreSQL each write has a transaction of its own.
    expect(outcomes.map(({ status }) => status)).toEqual([onSqlite ? 'rejected' : 'fulfilled', 'rejected'])
    expect(hooks).toBe(onSqlite ? 0 : 1)
    expect(await keys(store)).toEqual(onSqlite ? [] : ['innocent'])
    expect(await store.read.select().from(identities)).toEqual([])
    await store.write('test', async (tx) => tx.insert(counters).values(counter('after')))
    expect(await keys(store)).toContain('after')
  })
})

test('writes that fail in a group harm no other and get their own errors, and nothing is written twice', async () => {
  await withStore(async (store, place) => {
    await store.write('test', async (tx) => void (await tx.insert(counters).values([counter('taken'), counter('sum')])))
    const attempt = (i: number) => async (tx: Tx) => {
      const key = i === 20 ? 'taken' : `k${i}`
      const [sum] = await tx.select().from(counters).where(eq(counters.key, 'sum'))
      if (i === 10) throw new Error('over quota')
      await tx.insert(counters).values(counter(key))
      if (i === 30) throw new Error('changed its mind')
      if (i === 40) await new Promise(() => {})
      await tx
        .update(counters)
        .set({ count: sum!.count + 1 })
        .where(eq(counters.key, 'sum'))
      return i
    }
    const outcomes = await Promise.allSettled(
      Array.from({ length: 64 }, (_, i) => store.write(`test.${i}`, attempt(i), i === 40 ? { maxMs: 100 } : {})),
    )
    const errors = outcomes.flatMap((outcome, i) =>
      outcome.status === 'rejected' ? [[i, outcome.reason as Error] as const] : [],
    )
    expect(errors.map(([i]) => i)).toEqual([10, 20, 30, 40])
    const [quota, taken, mind, stuck] = errors.map(([, error]) => error) as [Error, Error, Error, Error]
    expect(quota.message).toBe('over quota')
    expect(isUniqueViolation(taken)).toBe(true)
    expect(mind.message).toBe('changed its mind')
    expect(stuck.message).toContain('took longer')
    const rows = await place.raw("SELECT count(*) FROM counters WHERE key LIKE 'k%'")
    const [sum] = await place.raw("SELECT count FROM counters WHERE key = 'sum'")
    expect([Number(rows[0]![0]), Number(sum![0])]).toEqual([60, 60])
  })
})

test('writes of different owners in one group lose nothing, and those of one owner see each other', async () => {
  await withStore(async (store, place) => {
    const owners = Array.from({ length: 8 }, (_, i) => `owner${i}`)
    await store.write('test', async (tx) => void (await tx.insert(counters).values(owners.map((key) => counter(key)))))
    await race(80, (i) =>
      store.write(
        'test',
        async (tx) => {
          const key = owners[i % 8]!
          const [row] = await tx.select().from(counters).where(eq(counters.key, key))
          await tx
            .update(counters)
            .set({ count: row!.count + 1 })
            .where(eq(counters.key, key))
        },
        { rowsOf: -1 - (i % 8) },
      ),
    )
    const rows = await place.raw("SELECT count FROM counters WHERE key LIKE 'owner%'")
    expect(rows.map(([count]) => Number(count))).toEqual(owners.map(() => 10))
  })
})

test.skipIf(onSqlite)(
  'waiting writes share transactions, but not the wait for a row that another program has locked',
  async () => {
    await withStore(async (store, place) => {
      await store.write('test', async (tx) => void (await tx.insert(counters).values(counter('locked'))))
      const other = new SQL({ url: place.databaseUrl, max: 1 })
      const client = await other.reserve()
      await client.unsafe("BEGIN; UPDATE counters SET count = 7 WHERE key = 'locked'")
      let blocked: Promise<unknown> | undefined
      const free = Array.from({ length: 40 }, (_, i) => {
        if (i === 20)
          blocked = store.write('test', async (tx) => {
            await tx
              .update(counters)
              .set({ count: sql`count + 1` })
              .where(eq(counters.key, 'locked'))
          })
        return store.write('test', async (tx) => void (await tx.insert(counters).values(counter(`k${i}`))))
      })
      await Promise.all(free)
      await client.unsafe('COMMIT')
      await blocked
      client.release()
      await other.close()
      expect(await place.raw("SELECT count FROM counters WHERE key = 'locked'")).toEqual([['8']])
      const [transactions] = await place.raw("SELECT count(DISTINCT xmin::text) FROM counters WHERE key LIKE 'k%'")
      expect(Number(transactions![0])).toBeLessThan(40)
    })
  },
)

test('writes in the order of a table run one after the other and commit in that order', async () => {
  await withStore(async (store) => {
    const committed: number[] = []
    let running = 0
    let last = 0
    await race(50, () =>
      store.write(
        'test',
        async (tx) => {
          expect(++running).toBe(1)
          await tx.select().from(counters)
          const mine = ++last
          await tx.insert(counters).values(counter(`n${mine}`))
          running--
          tx.afterCommit(() => void committed.push(mine))
        },
        { inOrder: 'counters' },
      ),
    )
    expect(committed).toEqual(Array.from({ length: 50 }, (_, i) => i + 1))
  })
})

test('events that a write publishes reach their listeners after its commit, and not after a rollback', async () => {
  await withStore(async (store) => {
    const added = topic<readonly string[]>('test.added')
    const seen: unknown[] = []
    store.bus.on(added, (names) => seen.push(names))
    store.bus.on(topic<number>('test.other'), (value) => seen.push(value))
    await store.write('test', async (tx) => {
      tx.publish(added, ['a'])
      tx.publish(topic<number>('test.other'), 1)
      await tx.insert(counters).values(counter('a'))
      expect(seen).toEqual([])
    })
    const failed = store.write('test', async (tx) => {
      tx.publish(added, ['b'])
      throw new Error('rolled back')
    })
    expect(((await rejection(failed)) as Error).message).toBe('rolled back')
    expect(seen).toEqual([['a'], 1])
  })
})

describe('tx.stamp', () => {
  test('stamps increase with every write, also when the clock goes back and after a restart', async () => {
    await withPlace(async (place) => {
      const stamps: number[] = []
      const take = (store: Store) => store.write('test', async (tx) => stamps.push(tx.stamp))
      const first = await place.open()
      await take(first)
      expect(Math.abs(stamps[0]! - place.clock.now())).toBeLessThan(600_000)
      for (let i = 0; i < 50; i++) await take(first)
      place.clock.advance(60_000)
      await take(first)
      expect(stamps.at(-1)! - stamps[0]!).toBeGreaterThan(59_000)
      place.clock.advance(-3_600_000)
      for (let i = 0; i < 50; i++) await take(first)
      await first.close()
      place.clock.advance(-3_600_000)
      const second = await place.open()
      for (let i = 0; i < 50; i++) await take(second)
      expect(stamps).toEqual([...new Set(stamps)].toSorted((a, b) => a - b))
      // The clock was two hours behind: the stamps increased by ones and did not jump.
      expect(stamps.at(-1)! - stamps[51]!).toBeLessThan(600_000)
    })
  })

  test('a write has one stamp, and 500 concurrent writes have different ones', async () => {
    await withStore(async (store) => {
      const pairs = await race(500, () => store.write('test', async (tx) => [tx.stamp, tx.stamp]))
      for (const [a, b] of pairs) expect(a).toBe(b!)
      expect(new Set(pairs.map(([a]) => a)).size).toBe(500)
    })
  })

  test('writes that share their stamps have one for each COMMIT, and no other write has it', async () => {
    await withPlace(async (place) => {
      const store = await place.open({ limits: ONE_GROUP })
      const stamps = () =>
        race(40, (i) => store.write('test', async (tx) => tx.stamp, { sharesStamp: i !== 20 && i !== 21 }))
      const [first, second] = [await stamps(), await stamps()]
      const all = [...first, ...second]
      if (!onSqlite) return void expect(new Set(all).size).toBe(80)
      for (const group of [first, second]) {
        const [start] = group
        expect(group.map((stamp) => stamp - start!)).toEqual([
          ...Array<number>(20).fill(0),
          group[20]! - start!,
          group[21]! - start!,
          ...Array<number>(18).fill(group[22]! - start!),
        ])
        expect(new Set(group).size).toBe(4)
        expect(group).toEqual(group.toSorted((a, b) => a - b))
      }
      expect(second[0]).toBeGreaterThan(first.at(-1)!)
      expect(await store.settledStamp()).toBe(second.at(-1)!)
    })
  })

  test('the settled stamp stays below the stamp of a running write, and reaches it when the write has ended', async () => {
    await withStore(async (store) => {
      const { promise: released, resolve: release } = Promise.withResolvers<void>()
      const { promise: stamped, resolve: tell } = Promise.withResolvers<number>()
      const earlier = await store.write('test', async (tx) => tx.stamp)
      expect(await store.settledStamp()).toBe(earlier)
      const running = store.write('test', async (tx) => {
        tell(tx.stamp)
        await released
      })
      const stamp = await stamped
      // PostgreSQL commits it meanwhile, SQLite afterwards.
      const later = store.write('test', async (tx) => tx.stamp)
      if (!onSqlite) await later
      expect(await store.settledStamp()).toBeLessThan(stamp)
      expect(await store.settledStamp()).toBeGreaterThanOrEqual(earlier)
      release()
      await running
      expect(await store.settledStamp()).toBeGreaterThanOrEqual(stamp)
      const last = await later
      expect(await store.settledStamp()).toBe(last)
    })
  })

  test('the settled stamp passes the stamp of a write that failed', async () => {
    await withStore(async (store) => {
      let stamp = 0
      const failing = store.write('test', async (tx) => {
        stamp = tx.stamp
        throw new Error('on purpose')
      })
      await rejection(failing)
      expect(await store.settledStamp()).toBe(stamp)
    })
  })

  test('stamps cannot repeat after a crash: the mark on disk is above every stamp given so far', async () => {
    await withStore(async (store, place) => {
      for (let i = 0; i < 20; i++) {
        place.clock.advance(700)
        const stamp = await store.write('test', async (tx) => tx.stamp)
        const [[mark]] = (await place.raw("SELECT value FROM server_state WHERE key = 'stamp.mark'")) as [[string]]
        expect(Number(mark)).toBeGreaterThanOrEqual(stamp)
        expect(Number(mark) - stamp).toBeLessThan(3000)
      }
    })
  })
})

if (onSqlite) {
  test('a full disk rejects the write with one clear sentence, and with space again the store works', async () => {
    await withStore(async (store, place) => {
      await store.write('test', async (tx) => tx.insert(counters).values(counter('before')))
      const [[pages]] = (await place.raw('PRAGMA page_count')) as [[number]]
      const limit = (tx: Tx, n: number) => statement(tx, `PRAGMA max_page_count = ${n}`)
      await store.write('test', (tx) => limit(tx, pages + 2))
      const big = 'x'.repeat(100_000)
      const outcomes = await Promise.allSettled([
        store.write('test', async (tx) => tx.insert(counters).values(counter('small'))),
        store.write('test', async (tx) => tx.insert(counters).values(counter(big))),
      ])
      const last = outcomes[1] as PromiseRejectedResult
      expect(last.reason).toBeInstanceOf(StorageError)
      expect(last.reason).toMatchObject({ kind: 'full', message: expect.stringContaining('No space is left') })
      await store.write('test', (tx) => limit(tx, 1_000_000))
      await store.write('test', async (tx) => tx.insert(counters).values(counter('after')))
      // The small write may be lost with the big one or not, but its result must agree with its rows.
      const kept = outcomes[0]!.status === 'fulfilled' ? ['after', 'before', 'small'] : ['after', 'before']
      expect(await keys(store)).toEqual(kept)
      expect(await place.raw('PRAGMA integrity_check')).toEqual([['ok']])
    })
  })

  test('a write that never ends is rolled back after the time limit, and the next one is not blocked', async () => {
    await withPlace(async (place) => {
      const store = await place.open({ limits: { ...WRITE_LIMITS, stuckMs: 100 } })
      const stuck = store.write('test.stuck', async (tx) => {
        await tx.insert(counters).values(counter('stuck'))
        await new Promise(() => undefined)
      })
      // On SQLite this write awaits no I/O, so that no timer can fire before it has ended.
      const next = store.write('test', async (tx) => tx.insert(counters).values(counter('next')))
      const error = await rejection(stuck)
      expect(String(error)).toContain('test.stuck took longer than 100 ms and was rolled back')
      expect(publicError(error)).toMatchObject({ status: 503, extras: { retryAfter: 5 } })
      await next
      expect(await keys(store)).toEqual(['next'])
    })
  })

  test('a write with a longer limit may take longer, lets readers run, and does not delay the writes before it', async () => {
    await withPlace(async (place) => {
      const store = await place.open({ limits: { ...WRITE_LIMITS, stuckMs: 100 } })
      const ended: string[] = []
      const before = store
        .write('test', async (tx) => tx.insert(counters).values(counter('before')))
        .then(() => ended.push('before'))
      let reads = 0
      const long = store
        .write(
          'test.long',
          async (tx) => {
            await tx.insert(counters).values(counter('long'))
            const endsAt = performance.now() + 300
            while (performance.now() < endsAt || reads === 0) await tx.pause()
          },
          { maxMs: 60_000 },
        )
        .then(() => ended.push('long'))
      while (!ended.includes('long')) {
        // The uncommitted row is not visible.
        if (!ended.includes('long')) expect(await keys(store)).not.toContain('after')
        reads += 1
        await new Promise((go) => setImmediate(go))
      }
      await Promise.all([before, long])
      expect(ended).toEqual(['before', 'long'])
      expect(reads).toBeGreaterThan(1)
      expect(await keys(store)).toEqual(['before', 'long'])
    })
  })

  test('writes that are queued at the same time share one commit', async () => {
    await withStore(async (store, place) => {
      // The log grows with every commit: 100 single writes add far more pages than 100 together.
      const pages = async (): Promise<number> =>
        ((await place.raw('PRAGMA wal_checkpoint(NOOP)')) as [[number, number]])[0][1]
      const start = await pages()
      await race(100, (i) => store.write('test', async (tx) => tx.insert(counters).values(counter(`together ${i}`))))
      const together = (await pages()) - start
      for (let i = 0; i < 100; i++)
        await store.write('test', async (tx) => tx.insert(counters).values(counter(`alone ${i}`)))
      const alone = (await pages()) - start - together
      expect(together * 4).toBeLessThan(alone)
    })
  })

  test('every SQLite connection has WAL, synchronous=FULL, foreign keys, a busy timeout and no trusted schema', async () => {
    await withStore(async (store) => {
      const read = async (db: unknown, name: string) => (await statement(db, `PRAGMA ${name}`))[0]![0]
      const wanted = { journal_mode: 'wal', synchronous: 2, foreign_keys: 1, busy_timeout: 5000, trusted_schema: 0 }
      for (const [name, value] of Object.entries(wanted)) {
        expect([name, await read(store.read, name)]).toEqual([name, value])
        expect([name, await store.write('test', async (tx) => read(tx, name))]).toEqual([name, value])
      }
      expect(await read(store.read, 'query_only')).toBe(1)
      // In memory: otherwise savepoints write files.
      expect(await store.write('test', async (tx) => read(tx, 'temp_store'))).toBe(2)
    })
  })
} else {
  test('a second server on the same database is refused until the first one has closed it', async () => {
    await withPlace(async (place) => {
      const first = await place.open()
      const refused = await rejection(place.open())
      expect(refused).toMatchObject({ name: 'StorageError', kind: 'busy' })
      await first.close()
      const second = await place.open()
      expect(await keys(second)).toEqual([])
    })
  })

  test('a server that has lost its lock refuses writes until it holds the lock again', async () => {
    await withStore(async (store, place) => {
      await place.raw(
        "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
      )
      let refused = 0
      for (let i = 0; ; i++) {
        const outcome = await store
          .write('test', async (tx) => tx.insert(counters).values(counter(`k${i}`)))
          .then(
            () => 'written',
            (error: StorageError) => error.kind,
          )
        if (outcome === 'unreachable') refused++
        else if (refused > 0) break
        expect(['written', 'unreachable']).toContain(outcome)
        await Bun.sleep(20)
      }
      expect(refused).toBeGreaterThan(0)
    })
  })

  test('a commit waits for the disk, whatever the default of the PostgreSQL server', async () => {
    await withStore(async (store) => {
      const row = await store.write('test', async (tx) => {
        await tx.insert(counters).values(counter('any'))
        const setting = sql`current_setting('synchronous_commit')`
        const level = sql`current_setting('transaction_isolation')`
        return (await tx.select({ setting, level }).from(counters))[0]
      })
      expect(row).toEqual({ setting: 'on', level: 'serializable' })
    })
  })
}
