/** Totals of paged lists on PostgreSQL: what triggers note and a job adds up, compared with `count(*)`. */

import { expect, test } from 'bun:test'

import { asc, desc, eq, inArray, like, ne, sql } from 'drizzle-orm'

import { foldListChanges, keptTotal } from '#db/list-totals.ts'
import { migrate } from '#db/migrate.ts'
import { users } from '#db/schema/accounts.ts'
import { listChanges, listTotals } from '#db/schema/list-totals.ts'
import { qrCodes } from '#db/schema/qr-codes.ts'
import type { Store, Tx } from '#db/store.ts'
import { codesPage } from '#domains/qr-codes/codes/codes.store.ts'

import { migrations as embedded } from '../../migrations/index.ts'
import { onSqlite, type Place, withPlace } from './fresh.ts'

const PEOPLE = [1, 2, 3] as const
const ORG = 7

const addPeople = (store: Store) =>
  store.write('test.users', async (tx) => {
    const row = (id: number) => ({
      id,
      nickname: 'A',
      status: 'ACTIVE' as const,
      tokenVersion: 0,
      createdAt: 0,
      updatedAt: 0,
    })
    await tx.insert(users).values(PEOPLE.map(row))
  })

const codes = (n: number, userId: number, orgId: number) =>
  Array.from({ length: n }, () => ({
    uuid: crypto.randomUUID(),
    userId,
    orgId,
    name: 'a',
    content: 'b',
    contentType: 'TEXT',
    tags: [],
    style: {},
    createdAt: 0,
    updatedAt: 0,
  }))

/** Kept and counted totals, by list and owner. */
async function totalsOf(store: Store) {
  const conditions = [
    ...PEOPLE.map(
      (id) => ['qr_codes.personal', id, sql`user_id = ${id} and org_id = 0 and deleted_at is null`] as const,
    ),
    ['qr_codes.org', ORG, sql`org_id = ${ORG} and deleted_at is null`],
    ['qr_codes.all', 0, sql`deleted_at is null`],
    ['qr_codes.trash', 0, sql`deleted_at is not null`],
  ] as const
  const kept: Record<string, number> = {}
  const counted: Record<string, number> = {}
  for (const [list, owner, where] of conditions) {
    const [row] = await store.read
      .select({
        kept: keptTotal(list, sql`${owner}`).mapWith(Number),
        counted: sql`(select count(*) from ${qrCodes} where ${where})`.mapWith(Number),
      })
      .from(sql`(select 1) as nothing`)
    kept[`${list} ${owner}`] = row!.kept
    counted[`${list} ${owner}`] = row!.counted
  }
  return { kept, counted }
}

/** A change of some codes; every fifth is rolled back. */
async function change(store: Store, i: number): Promise<void> {
  const userId = PEOPLE[i % 3]!
  const some = (tx: Tx) => tx.select({ id: qrCodes.id }).from(qrCodes).where(eq(qrCodes.userId, userId)).limit(3)
  const run = store.write('test.change', async (tx) => {
    const ids = (await some(tx)).map(({ id }) => id)
    if (i % 4 === 0) await tx.insert(qrCodes).values(codes(5, userId, i % 8 === 0 ? ORG : 0))
    if (i % 4 === 1) await tx.update(qrCodes).set({ deletedAt: 1 }).where(inArray(qrCodes.id, ids))
    if (i % 4 === 2)
      await tx.update(qrCodes).set({ deletedAt: null, orgId: ORG, userId: 1 }).where(inArray(qrCodes.id, ids))
    if (i % 4 === 3) await tx.delete(qrCodes).where(inArray(qrCodes.id, ids.slice(1)))
    if (i % 5 === 0) throw new Error('rolled back on purpose')
  })
  await run.catch((error: Error) => expect(error.message).toBe('rolled back on purpose'))
}

const open = async (place: Place) => {
  const store = await place.open()
  await addPeople(store)
  return store
}

test.if(!onSqlite)(
  'totals equal the numbers of rows after many writes at once, while changes are added up',
  async () => {
    await withPlace(async (place) => {
      const store = await open(place)
      for (let round = 0; round < 4; round++) {
        const writes = Array.from({ length: 30 }, (_, i) => change(store, round * 30 + i))
        await Promise.all([...writes, foldListChanges({ db: store, lifecycle: { draining: false } })])
        const { kept, counted } = await totalsOf(store)
        expect(kept).toEqual(counted)
      }
      await foldListChanges({ db: store, lifecycle: { draining: false } })
      expect(await store.read.select().from(listChanges)).toEqual([])
      const { kept, counted } = await totalsOf(store)
      expect(kept).toEqual(counted)
      expect(counted['qr_codes.org 7']).toBeGreaterThan(0)
      expect(counted['qr_codes.trash 0']).toBeGreaterThan(0)
    })
  },
)

test.if(!onSqlite)('an update of other columns notes no change', async () => {
  await withPlace(async (place) => {
    const store = await open(place)
    await store.write('test.insert', (tx) =>
      tx
        .insert(qrCodes)
        .values(codes(3, 1, 0))
        .then(() => undefined),
    )
    const before = await store.read.select().from(listChanges).where(ne(listChanges.list, 'users.all'))
    expect(before).toEqual([{ list: 'qr_codes.all', owner: 0, n: 3 }])
    const kept = await store.read.select().from(listTotals).where(like(listTotals.list, 'qr_codes.%'))
    expect(kept).toEqual([{ list: 'qr_codes.personal', owner: 1, n: 3, held: 0 }])
    await store.write('test.update', (tx) =>
      tx
        .update(qrCodes)
        .set({ scanCount: 9, deletedAt: null })
        .then(() => undefined),
    )
    expect(await store.read.select().from(listChanges).where(ne(listChanges.list, 'users.all'))).toEqual(before)
  })
})

test.if(!onSqlite)('pages far from both ends of a list are those of plain SQL in every order', async () => {
  await withPlace(async (place) => {
    const store = await open(place)
    const rows = codes(2600, 1, 0).map((code, i) => ({
      ...code,
      name: `Code ${i % 40}`,
      createdAt: i,
      updatedAt: i % 7,
      scanCount: i % 3,
    }))
    await store.write('test.insert', async (tx) => {
      for (let at = 0; at < rows.length; at += 500) await tx.insert(qrCodes).values(rows.slice(at, at + 500))
    })
    const orders = {
      standard: [desc(qrCodes.pinned), asc(qrCodes.sortOrder), asc(qrCodes.createdAt), asc(qrCodes.id)],
      '-createdAt': [desc(qrCodes.createdAt), desc(qrCodes.id)],
      name: [asc(qrCodes.name), asc(qrCodes.createdAt), asc(qrCodes.id)],
      '-updatedAt': [desc(qrCodes.updatedAt), desc(qrCodes.createdAt), desc(qrCodes.id)],
      scanCount: [asc(qrCodes.scanCount), asc(qrCodes.createdAt), asc(qrCodes.id)],
    } as const
    for (const [name, by] of Object.entries(orders)) {
      const all = await store.read
        .select({ id: qrCodes.id })
        .from(qrCodes)
        .orderBy(...by)
      const sort = name === 'standard' ? undefined : (name as 'name')
      for (const page of [11, 12, 13, 14, 25, 26, 27, 900]) {
        const found = await codesPage(store.read, { userId: 1, orgId: 0 }, { page, size: 100, sort })
        expect(found).toMatchObject({ total: 2600, page, size: 100 })
        expect(found.items.map(({ id }) => id)).toEqual(all.slice((page - 1) * 100, page * 100).map(({ id }) => id))
      }
      const last = await codesPage(store.read, { userId: 1, orgId: 0 }, { page: 87, size: 30, sort })
      expect(last.items.map(({ id }) => id)).toEqual(all.slice(86 * 30).map(({ id }) => id))
      expect(last.items).toHaveLength(20)
    }
  })
})

const LISTS = {
  'users.all': "users where status <> 'DELETED'",
  'sessions.active': "sessions where status = 'ACTIVE'",
  'login_records.all': 'login_records',
  'organizations.all': 'organizations',
  'categories.all': 'categories',
}
/** Three users with numbers from `first` on, with a row of each kind; one is deleted and one has signed out. */
const rowsFrom = (first: number): string => {
  const rows = (columns: string) => `select ${columns} from generate_series(${first}, ${first + 2}) as i(n)`
  const isFirst = `n = ${first}`
  return `
    insert into users (id, nickname, status, created_at, updated_at) ${rows(`n, 'A', case when ${isFirst} then 'DELETED' else 'ACTIVE' end, 0, 0`)};
    insert into sessions (user_id, device_key, login_type, status, expired_at, last_active_at, rotated_at, created_at)
      ${rows(`n, 'd', 'login', case when ${isFirst} then 'REVOKED' else 'ACTIVE' end, 0, 0, 0, 0`)};
    insert into login_records (user_id, login_type, status, created_at) ${rows(`n, 'login', 'success', 0`)};
    insert into organizations (name, code, visibility, join_policy, member_limit, member_count, owner_id, created_at, updated_at)
      ${rows(`'O', 'c' || n, 'PUBLIC', 'FREE', 1, 1, n, 0, 0`)};
    insert into categories (user_id, name, created_at, updated_at) ${rows(`n, 'C', 0, 0`)}`
}

test.if(!onSqlite)(
  'lists that had rows before their totals were kept have the right ones, also after rows that came in between',
  async () => {
    await withPlace(async (place) => {
      const before = embedded.postgres.findIndex(({ name }) => name.startsWith('0039_'))
      const migrateTo = (end: number) => migrate({ ...place, migrations: embedded.postgres.slice(0, end) })
      await migrateTo(before)
      await place.raw(rowsFrom(1))
      await migrateTo(before + 1)
      await place.raw(rowsFrom(4))
      const store = await place.open()
      const check = async () => {
        for (const [list, rows] of Object.entries(LISTS)) {
          const [row] = await place.raw(
            `select (select sum(n) from (select list, n from list_totals union all select list, n from list_changes) as kept where list = '${list}'),
              (select count(*) from ${rows})`,
          )
          expect([list, Number(row![0])]).toEqual([list, Number(row![1])])
        }
      }
      await check()
      await place.raw(rowsFrom(7))
      await place.raw("update users set status = 'DELETED' where id = 3")
      await place.raw("update users set status = 'ACTIVE' where id = 1")
      await place.raw("update sessions set status = 'EXPIRED', expired_at = 1 where user_id in (5, 8)")
      await place.raw("update sessions set status = 'REVOKED' where user_id = 5")
      await place.raw('delete from login_records where user_id < 5')
      await place.raw('delete from categories where user_id = 2')
      await place.raw('delete from organizations where owner_id = 9')
      await place.raw('delete from sessions where user_id > 7')
      await check()
      await foldListChanges({ db: store, lifecycle: { draining: false } })
      await check()
      expect(await store.read.select().from(listChanges)).toEqual([])
    })
  },
)
