/**
 * The contract with drizzle's undocumented parts (docs/adr/0012-drizzle-internals.md). A failure here after an upgrade of
 * drizzle-orm means that src/db/query/ has to change; it is not a fault of the schema or of a query.
 */

import { describe, expect, test } from 'bun:test'

import { count, eq, is, Param, Placeholder, type Query, sql } from 'drizzle-orm'

import { dialect } from '#db/dialect.ts'
import {
  builderClass,
  decoderOf,
  mapResultRow,
  type PreparedQuery,
  preparedQueryOf,
  type SelectedField,
} from '#db/query/drizzle-internals.ts'
import { categories, qrCodes, users } from '#db/schema/index.ts'
import type { Builders } from '#db/store.ts'

/** Notes what the builders ask for, and answers every query with one row of its own. */
class Recorder {
  readonly calls: string[] = []
  query: Query | undefined
  fields: readonly SelectedField[] | undefined
  prepared: PreparedQuery | undefined
}

const RecordingBuilders = builderClass<Recorder>((recorder, query, fields) => {
  recorder.query = query
  recorder.fields = fields
  const called = (name: string) => () => {
    recorder.calls.push(name)
    return Promise.resolve([['a row']])
  }
  recorder.prepared = {
    joinsNotNullableMap: undefined,
    all: called('all'),
    run: called('run'),
    execute: called('execute'),
    setToken() {
      return this
    },
  }
  return recorder.prepared
}) as unknown as new (recorder: Recorder) => Builders & { transaction(fn: () => void): unknown }

function recording(): { recorder: Recorder; db: InstanceType<typeof RecordingBuilders> } {
  const recorder = new Recorder()
  return { recorder, db: new RecordingBuilders(recorder) }
}

const codeValues = {
  uuid: 'u',
  userId: 1,
  name: 'n',
  content: 'c',
  contentType: 'TEXT',
  tags: [],
  style: {},
  createdAt: 1,
  updatedAt: 1,
}

/** PostgreSQL's builders always call `execute`; SQLite's do for deletes only. */
const method = (onSqlite: string): string => (dialect === 'sqlite' ? onSqlite : 'execute')

describe('an awaited builder runs the query that the session prepared and resolves with its result:', () => {
  const statements: [name: string, run: (db: Builders) => PromiseLike<unknown>, method: string][] = [
    ['select', (db) => db.select().from(users), method('all')],
    ['select distinct', (db) => db.selectDistinct({ id: users.id }).from(users), method('all')],
    ['insert', (db) => db.insert(qrCodes).values(codeValues), method('run')],
    ['insert … returning', (db) => db.insert(qrCodes).values(codeValues).returning(), method('all')],
    ['update', (db) => db.update(users).set({ nickname: 'x' }), method('run')],
    ['update … returning', (db) => db.update(users).set({ nickname: 'x' }).returning(), method('all')],
    ['delete', (db) => db.delete(users), 'execute'],
    ['delete … returning', (db) => db.delete(users).returning({ id: users.id }), 'execute'],
  ]
  for (const [name, run, expected] of statements)
    test(`${name} calls ${expected}() once`, async () => {
      const { recorder, db } = recording()
      expect((await run(db)) as unknown).toEqual([['a row']])
      expect(recorder.calls).toEqual([expected])
      expect(recorder.query!.sql).toStartWith(name.split(' ')[0]!)
    })
})

test('a builder prepares its query without running it', () => {
  const { recorder, db } = recording()
  const prepared = preparedQueryOf(
    db
      .select()
      .from(users)
      .where(eq(users.id, sql.placeholder('id'))),
  )
  expect(prepared).toBe(recorder.prepared!)
  expect(recorder.calls).toEqual([])
})

test('an insert, update or delete without RETURNING has no fields', () => {
  const { recorder, db } = recording()
  for (const builder of [
    db.insert(qrCodes).values(codeValues),
    db.update(users).set({ nickname: 'x' }),
    db.delete(users),
  ]) {
    preparedQueryOf(builder)
    expect(recorder.fields).toBeUndefined()
  }
})

test('a selected field has a path of one part, and of two parts (table, column) in a join', () => {
  const { recorder, db } = recording()
  preparedQueryOf(db.select({ id: users.id, n: count() }).from(users))
  expect(recorder.fields!.map(({ path }) => path)).toEqual([['id'], ['n']])
  preparedQueryOf(db.select().from(qrCodes).leftJoin(categories, eq(categories.id, qrCodes.categoryId)))
  expect(recorder.fields!.map(({ path }) => path)).toContainEqual(['qr_codes', 'uuid'])
  expect(recorder.fields!.map(({ path }) => path)).toContainEqual(['categories', 'name'])
})

test('a select assigns joinsNotNullableMap, which says which tables may have no row', () => {
  const { recorder, db } = recording()
  preparedQueryOf(db.select().from(qrCodes).leftJoin(categories, eq(categories.id, qrCodes.categoryId)))
  expect(recorder.prepared!.joinsNotNullableMap).toEqual({ qr_codes: true, categories: false })
})

test('mapResultRow nests the columns of a join and gives null for a table without a row', () => {
  const { recorder, db } = recording()
  preparedQueryOf(
    db
      .select({ code: { uuid: qrCodes.uuid }, category: { id: categories.id, name: categories.name } })
      .from(qrCodes)
      .leftJoin(categories, eq(categories.id, qrCodes.categoryId)),
  )
  const joined = recorder.prepared!.joinsNotNullableMap
  expect(mapResultRow(recorder.fields!, ['u', 7, 'work'], joined)).toEqual({
    code: { uuid: 'u' },
    category: { id: 7, name: 'work' },
  })
  expect(mapResultRow(recorder.fields!, ['u', null, null], joined)).toEqual({ code: { uuid: 'u' }, category: null })
})

test('generated statements quote names and start with the verb, which list-changes.ts relies on', () => {
  const { recorder, db } = recording()
  const sqlOf = (builder: unknown): string => {
    preparedQueryOf(builder)
    return recorder.query!.sql
  }
  const where = eq(users.id, 1)
  expect(sqlOf(db.select().from(users))).toStartWith('select ')
  expect(sqlOf(db.insert(qrCodes).values(codeValues).returning())).toMatch(/^insert into "qr_codes" .* returning /)
  expect(sqlOf(db.update(users).set({ nickname: 'x', status: 'ACTIVE' }).where(where).returning())).toMatch(
    /^update "users" set "nickname" = \S+, "status" = \S+ where .* returning /,
  )
  expect(sqlOf(db.delete(users).where(where))).toMatch(/^delete from "users" where /)
})

describe('the decoder of a selected value', () => {
  const fieldsOf = (build: (db: Builders) => unknown): readonly SelectedField[] => {
    const { recorder, db } = recording()
    preparedQueryOf(build(db))
    return recorder.fields!
  }

  test('is undefined for text columns and plain SQL, which are their own values', () => {
    const [nickname, plain] = fieldsOf((db) => db.select({ a: users.nickname, b: sql<number>`1` }).from(users))
    expect(decoderOf(nickname!.field)).toBeUndefined()
    expect(decoderOf(plain!.field)).toBeUndefined()
  })

  test('parses JSON columns', () => {
    const [tags] = fieldsOf((db) => db.select({ a: qrCodes.tags }).from(qrCodes))
    expect(decoderOf(tags!.field)!.mapFromDriverValue('["x"]')).toEqual(['x'])
  })

  test('is needed for boolean columns on SQLite, which stores 0 and 1, but not on PostgreSQL', () => {
    const [pinned] = fieldsOf((db) => db.select({ a: qrCodes.pinned }).from(qrCodes))
    const decoder = decoderOf(pinned!.field)
    if (dialect === 'sqlite') expect(decoder!.mapFromDriverValue(1)).toBe(true)
    else expect(decoder).toBeUndefined()
  })

  test('makes numbers of count() and of SQL with mapWith(Number), also under an alias and in a subquery', () => {
    const fields = fieldsOf((db) => {
      const sub = db
        .select({ n: sql`sum(1)`.mapWith(Number).as('n') })
        .from(users)
        .as('sub')
      return db
        .select({ a: count(), b: sql`max(1)`.mapWith(Number), c: sql`min(1)`.mapWith(Number).as('c'), d: sub.n })
        .from(sub)
    })
    expect(fields.map(({ field }) => decoderOf(field)?.mapFromDriverValue('12'))).toEqual([12, 12, 12, 12])
  })
})

test('placeholders arrive among the parameters, bare or wrapped in a Param that has the encoder of their column', () => {
  const { recorder, db } = recording()
  preparedQueryOf(
    db
      .update(qrCodes)
      .set({ tags: sql.placeholder('tags') as never, version: 3 })
      .where(sql`${qrCodes.id} = ${sql.placeholder('id')}`),
  )
  const [tags, version, id] = recorder.query!.params
  expect(is(tags, Param) && is(tags.value, Placeholder) && tags.value.name).toBe('tags')
  expect((tags as Param).encoder.mapToDriverValue(['x'])).toBe('["x"]')
  expect(version).toBe(3)
  expect(is(id, Placeholder) && id.name).toBe('id')
})

test("drizzle's own transactions are refused", () => {
  const { db } = recording()
  expect(() => db.transaction(() => undefined)).toThrow('use ctx.db.write')
})
