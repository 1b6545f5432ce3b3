import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { and, eq, inArray, isNull, type SQL } from 'drizzle-orm'

import { notByIndex } from '#db/dialect.ts'
import { withFixedPlan } from '#db/engine/sqlite.ts'
import type { ReadDb } from '#db/engine/write.ts'
import type { Runner } from '#db/query/builders.ts'
import { qrCodes } from '#db/schema/qr-codes.ts'

import { inProcess, startServer } from '../harness/index.ts'
import { withPlace } from './fresh.ts'
import { statementsOf } from './plans.ts'

/** Statistics of a small database mislead the planner once it has grown: a page of members took 49 ms instead of 1. */
test.if(inProcess && !process.env['TEST_DATABASE_URL'])(
  'stopping the server leaves no planner statistics in the SQLite database',
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'tessera-test-'))
    try {
      const server = await startServer({ dataDir })
      const person = await server.person()
      await person.post('/api/orgs', { name: 'small' })
      await server.stop()
      const db = new Database(join(dataDir, 'tessera.db'), { readonly: true })
      const tables = db.query<{ name: string }, []>('SELECT name FROM sqlite_master').all()
      db.close()
      expect(tables.some((t) => t.name === 'organizations')).toBe(true)
      expect(tables.filter((t) => t.name.startsWith('sqlite_stat'))).toEqual([])
    } finally {
      rmSync(dataDir, { recursive: true, force: true })
    }
  },
)

describe('a query of SQLite is compiled once, because', () => {
  const cases: readonly [string, string][] = [
    ['select "id" from "files" where "id" = ? limit ?', 'select "id" from "files" where "id" = +? limit +?'],
    ['SELECT 1 WHERE ? IN (?,?)', 'SELECT 1 WHERE +? IN (+?,+?)'],
    [
      '\n with recursive a as (select ?) select * from a where b = ?',
      '\n with recursive a as (select +?) select * from a where b = +?',
    ],
  ]
  test.each(cases)('each placeholder of %j gets a plus', (sql, fixed) => {
    expect(withFixedPlan(sql)).toBe(fixed)
  })

  test.each([
    `select '?', "?", \`?\`, 'it''s ?' from "a?b"`,
    'insert into "files" ("id") values (?)',
    'update "files" set "id" = ? returning "id"',
    'delete from "files" where "id" = ?',
  ])('%j stays as it is', (sql) => {
    expect(withFixedPlan(sql)).toBe(sql)
  })
})

test.if(!process.env['TEST_DATABASE_URL'])('a plus before a placeholder keeps all values as they are', () => {
  using db = new Database(':memory:')
  for (const value of [null, 7, -1.5, '007', '+1', new Uint8Array([1, 2])]) {
    const [row] = db.query('select typeof(?1), typeof(+?1), ?1 is +?1').values(value)
    expect(row).toEqual([row![0]!, row![0]!, 1])
  }
})

test.if(!process.env['TEST_DATABASE_URL'])('an index is used for a placeholder with a plus', () => {
  using db = new Database(':memory:')
  db.run('create table t (a text, b text, c integer); create index t_ab on t (a, b) where c = 0')
  const plan = db.query(
    `explain query plan ${withFixedPlan('select c from t where a = ? and b > ? and c = 0 order by b')}`,
  )
  expect(JSON.stringify(plan.all('x', 'y'))).toContain('t_ab (a=? AND b>?)')
})

test.if(!!process.env['TEST_DATABASE_URL'])('PostgreSQL looks up no column that must not be looked up', () =>
  withPlace(async (place) => {
    // It takes any index instead of reading the table.
    await place.raw(
      `do $$ begin execute format('alter database %I set enable_seqscan = off', current_database()); end $$`,
    )
    const store = await place.open()
    const conditionsOf = async (where: SQL): Promise<string[]> => {
      const [statement] = await statementsOf(store.read, () =>
        store.read.select({ id: qrCodes.id }).from(qrCodes).where(where),
      )
      const { runner } = store.read as ReadDb
      const lines = (await (runner as Runner).rows(`explain ${statement![0]}`, statement![1])).map(String)
      return lines.filter((line) => line.includes('Index Cond'))
    }
    const ids = inArray(qrCodes.id, [1, 2, 3])
    expect(await conditionsOf(eq(qrCodes.userId, 7))).toHaveLength(1)
    expect(await conditionsOf(eq(notByIndex(qrCodes.userId), 7))).toEqual([])
    const both = await conditionsOf(and(ids, eq(notByIndex(qrCodes.userId), 7), isNull(notByIndex(qrCodes.deletedAt)))!)
    expect(both.join()).toContain('(id = ANY')
    expect(both.join()).not.toContain('user_id')
  }),
)
