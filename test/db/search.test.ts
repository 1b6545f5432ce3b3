import { expect, test } from 'bun:test'

import { and, asc, desc, eq, or, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { contains } from '#db/contains.ts'
import { dialect } from '#db/dialect.ts'
import { MAX_WAITING } from '#db/engine/search-queue.ts'
import { ReadDb } from '#db/engine/write.ts'
import { SearchRefused } from '#db/errors.ts'
import type { Runner } from '#db/query/builders.ts'
import { activities, assets, checkIns, counters, qrCodes, registrations, sessions, users } from '#db/schema/index.ts'
import { searchPage } from '#db/search.ts'
import { SLICE_ROWS } from '#db/slices.ts'
import type { Db, Store } from '#db/store.ts'
import { userList } from '#domains/accounts/admin/accounts.admin.store.ts'
import { allSessions } from '#domains/accounts/devices/devices.admin.store.ts'
import { participantName } from '#domains/activities/activities.store.ts'
import { filtered as filteredCheckIns } from '#domains/activities/check-ins/check-ins.admin.store.ts'
import { searchAssets } from '#domains/assets/listing.store.ts'
import type { AssetSort } from '#domains/assets/register/register.model.ts'
import { searchMembers } from '#domains/orgs/members/members.store.ts'
import type { DiscoverQuery } from '#domains/orgs/organizations/organizations.model.ts'
import { searchPublicOrgs } from '#domains/orgs/organizations/organizations.store.ts'
import type { ListQuery as CodesQuery } from '#domains/qr-codes/codes/codes.model.ts'
import { searchCodes } from '#domains/qr-codes/codes/codes.store.ts'
import { searchScans } from '#domains/qr-codes/scans/scans.store.ts'
import { pause } from '#lib/pause.ts'

import { type Place, rejection, withPlace, withStore } from './fresh.ts'
import { statementsOf } from './plans.ts'

/** A search that runs until `end` is called. */
function held(store: Store, userId: number, name: string, log: string[]) {
  const started = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  const done = store
    .search(userId, async () => {
      log.push(name)
      started.resolve()
      await end.promise
    })
    .catch((error: unknown) => {
      log.push(`${name} ${(error as SearchRefused).reason}`)
    })
  return { started: started.promise, end: () => end.resolve(), done }
}

test('searches of one user run one at a time, the newest first, and those that waited longest are refused', () =>
  withStore(async (store) => {
    const log: string[] = []
    const first = held(store, 1, 'first', log)
    await first.started
    const later = Array.from({ length: MAX_WAITING + 2 }, (_, i) => held(store, 1, `later ${i}`, log))
    for (const search of later) search.end()
    await Promise.all([later[0]!.done, later[1]!.done])
    expect(log).toEqual(['first', 'later 0 replaced', 'later 1 replaced'])
    first.end()
    await Promise.all(later.map((search) => search.done))
    expect(log.slice(3)).toEqual(['later 5', 'later 4', 'later 3', 'later 2'])
    // The user's turn has ended, so that the next search starts at once.
    expect(await store.search(1, () => Promise.resolve('found'))).toBe('found')
  }))

test("a search does not wait for another user's search, and starts after one that failed", () =>
  withStore(async (store) => {
    const log: string[] = []
    const slow = held(store, 1, 'slow', log)
    await slow.started
    expect(await store.search(2, (db) => db.select({ n: sql`1` }).from(counters))).toEqual([])
    const failed = store.search(3, () => Promise.reject(new Error('no such list')))
    const next = store.search(3, () => Promise.resolve('found'))
    expect(String(await rejection(failed))).toContain('no such list')
    expect(await next).toBe('found')
    slow.end()
    await slow.done
  }))

test('a search whose time is up starts no further statement', () =>
  withPlace(async ({ open }) => {
    const store = await open({ searchMs: 0 })
    const error = await rejection(store.search(1, (db) => Promise.resolve(db.select().from(counters))))
    expect(error).toEqual(new SearchRefused('timeout'))
  }))

if (dialect === 'postgres')
  test('PostgreSQL ends a statement of a search when the time of a search is up', () =>
    withPlace(async ({ open }) => {
      const store = await open({ searchMs: 300 })
      await store.write('test', (tx) =>
        tx.insert(counters).values({ key: 'a', count: 0, windowStart: 0, expiresAt: 0 }),
      )
      const asleep = store.search(1, (db) => Promise.resolve(db.select({ x: sql`pg_sleep(600)` }).from(counters)))
      expect(await rejection(asleep)).toEqual(new SearchRefused('timeout'))
    }))

test('each statement of a search finds its place in an index, and sorts nothing', () =>
  withPlace(async (place) => {
    // PostgreSQL takes another plan only if there is one. It would sort the rows of an empty table.
    if (dialect === 'postgres')
      for (const way of ['sort', 'incremental_sort', 'seqscan', 'bitmapscan'])
        await place.raw(
          `do $$ begin execute format('alter database %I set enable_${way} = off', current_database()); end $$`,
        )
    const store = await place.open()
    const { runner } = store.read as unknown as { runner: Runner }
    let statements: { text: string; params: unknown[] }[] = []
    const db: Db = new ReadDb({
      rows(text, params) {
        statements.push({ text, params })
        // The database is empty. The first two slices of each section end with this key, as if there were more rows.
        const endsSlice = !text.includes('case when') && Number(params.at(-1)) >= SLICE_ROWS - 1
        if (endsSlice && statements.length % 7 !== 0) {
          const rows = [KEY.slice(0, columnsOf(text))]
          return dialect === 'sqlite' ? rows : Promise.resolve(rows)
        }
        return runner.rows(text, params)
      },
    })
    const page = { page: 1, size: 20, keyword: 'a' }
    const codes = (sort: CodesQuery['sort'], orgId: number) => () =>
      searchCodes(db, { userId: 1, orgId }, { ...page, sort, contentType: 'URL' }, [3])
    const assetsBy = (sort: AssetSort) => () => searchAssets(db, 7, { where: eq(assets.brand, 'a') }, { ...page, sort })
    const orgs = (sort: DiscoverQuery['sort']) => () => searchPublicOrgs(db, { ...page, sort })
    const searches = [
      ...([undefined, 'name', '-name', '-createdAt', 'updatedAt', 'scanCount'] as const).flatMap((sort) => [
        codes(sort, 0),
        codes(sort, 7),
      ]),
      ...(['createdAt', '-name', 'purchasePrice', '-purchasePrice'] as const).map(assetsBy),
      () => searchScans(db, 1, { ...page, favorite: true }),
      () => searchMembers(db, 1, page, 'a'),
      ...([undefined, 'name', '-name', 'memberCount', '-memberCount'] as const).map(orgs),
    ]
    for (const search of searches) {
      statements = []
      await search()
      expect(statements.length).toBeGreaterThan(6)
      for (const { text, params } of statements) {
        // Counts the rest of a long list on PostgreSQL, in any order, and sorts only keys of rows that match.
        if (text.startsWith('with "found" as')) continue
        const explain = dialect === 'sqlite' ? 'explain query plan' : 'explain'
        const plan = (await runner.rows(`${explain} ${text}`, params)).map((line) => String(line.at(-1)))
        expect(
          plan.filter((line) => /TEMP B-TREE|^SCAN (?!part)|\bSort\b|Seq Scan/.test(line)),
          text,
        ).toEqual([])
        // The end of a comparison of tuples would not end the reading of PostgreSQL, so slices end by their number of rows.
        if (dialect === 'postgres') expect(text).not.toMatch(/\) [<>]= \(/)
      }
    }
  }))

/** Runs a statement that ends with SELECT for the numbers from 1 to `n`, as `n`. */
const forNumbers = (place: Place, n: number, start: string, columns: string) =>
  place.raw(
    dialect === 'sqlite'
      ? `${start} with recursive i(n) as (select 1 union all select n + 1 from i where n < ${n}) select ${columns} from i`
      : `${start} select ${columns} from generate_series(1, ${n}) as i(n)`,
  )

test('pages and totals of a search in a list of many slices are those of plain SQL, in every order', () =>
  withPlace(async (place) => {
    const store = await place.open({ searchMs: 600_000 })
    const people = 'insert into users (id, nickname, status, last_login_at, created_at, updated_at)'
    // Half of the users have never signed in, so that their list has two parts.
    await forNumbers(
      place,
      40_000,
      people,
      `n, 'Person ' || n, 'ACTIVE', case when n % 2 = 0 then n % 1000 end, n % 5000, 0`,
    )
    // A tenth of the codes are pinned, so that their list has two parts, and they have few values in each other order.
    const codes =
      'insert into qr_codes (uuid, user_id, name, content, content_type, tags, style, pinned, scan_count, created_at, updated_at)'
    await forNumbers(
      place,
      60_000,
      codes,
      `'u' || n, 1, 'Code ' || n % 700, case when n % 9000 = 7 then '展品' else '' end || 'No. ' || n, 'URL', '[]', '{}', n % 10 = 0, n % 7, n % 3000, n % 11`,
    )
    // Without statistics, PostgreSQL sorts the list for each slice.
    if (dialect === 'postgres') await place.raw('analyze')
    // Reads of one turn share a snapshot.
    await pause()
    const ascending = (sorts: readonly SQLiteColumn[]) => sorts.map((column) => asc(column))
    const { pinned, sortOrder, createdAt, updatedAt, scanCount, name, content, id } = qrCodes
    const orders = {
      standard: [desc(pinned), ...ascending([sortOrder, createdAt, id])],
      '-name': [desc(name), desc(createdAt), desc(id)],
      createdAt: ascending([createdAt, id]),
      '-updatedAt': [desc(updatedAt), desc(createdAt), desc(id)],
      scanCount: ascending([scanCount, createdAt, id]),
    }
    const page = { size: 20 }
    for (const [sort, by] of Object.entries(orders)) {
      for (const [keyword, n] of Object.entries({
        'no. 5': 11_111,
        展品: 7,
        'no. 59999': 1,
        absent: 0,
      })) {
        const all = await store.read
          .select({ id })
          .from(qrCodes)
          .where(contains(content, keyword))
          .orderBy(...by)
        expect(all).toHaveLength(n)
        for (const at of [1, 2, Math.ceil(n / 40), Math.ceil(n / 20), Math.ceil(n / 20) + 1].filter((nth) => nth > 0)) {
          const query = {
            ...page,
            page: at,
            keyword,
            sort: sort === 'standard' ? undefined : (sort as 'createdAt'),
          }
          const found = await store.search(1, (db) => searchCodes(db, { userId: 1, orgId: 0 }, query, undefined))
          expect([sort, keyword, at, found.total]).toEqual([sort, keyword, at, n])
          expect(found.items.map((code) => code.id)).toEqual(all.slice((at - 1) * 20, at * 20).map((code) => code.id))
        }
      }
    }
    for (const sort of ['lastLoginAt', '-lastLoginAt'] as const) {
      const list = userList(store.read, { ...page, page: 1, sort }, { text: 'person 3', userIds: [17] })
      const direction = sort === 'lastLoginAt' ? asc : desc
      const { lastLoginAt } = users
      const all = await store.read
        .select({ id: users.id })
        .from(users)
        .where(or(contains(users.nickname, 'person 3'), eq(users.id, 17)))
        .orderBy(sql`${lastLoginAt} is null`, direction(lastLoginAt), direction(users.createdAt), direction(users.id))
      expect(all).toHaveLength(11_112)
      for (const at of [1, 277, 278, 279, 555, 556, 557]) {
        const found = await store.search(1, (db) =>
          searchPage(db, { ...list, scope: list.scope, where: list.where }, { ...page, page: at }),
        )
        expect([sort, at, found.total]).toEqual([sort, at, all.length])
        expect(found.items.map((user) => user.id)).toEqual(all.slice((at - 1) * 20, at * 20).map((user) => user.id))
      }
    }
  }))

test('a search that looks into other tables finds the same rows as plain SQL, however many of them match', () =>
  withPlace(async (place) => {
    const store = await place.open({ searchMs: 600_000 })
    const n = 20_000
    // They update one total for each row, which takes ever longer within a transaction.
    const tables = dialect === 'postgres' ? ['users', 'sessions', 'check_ins', 'registrations'] : []
    for (const table of tables) await place.raw(`alter table ${table} disable trigger user`)
    await forNumbers(
      place,
      n,
      'insert into users (id, username, nickname, status, created_at, updated_at)',
      `n, 'user' || n, case when n % 4001 = 3 then '王小' || n when n % 3 = 0 then 'Person ' || n else 'Anna ' || n end, 'ACTIVE', n, 0`,
    )
    await forNumbers(
      place,
      n,
      'insert into sessions (id, user_id, device_key, device_name, login_type, ip_address, city, status, expired_at, last_active_at, rotated_at, created_at)',
      `n, ${n} + 1 - n, 'k' || n, case when n % 9001 = 5 then '王小 phone' else 'Phone ' || n % 50 end, 'login', '203.0.113.' || n % 250, 'Lyon', case when n % 7 = 0 then 'EXPIRED' else 'ACTIVE' end, 0, 0, 0, n`,
    )
    await forNumbers(
      place,
      3,
      'insert into activities (id, uuid, check_in_uuid, owner, user_id, name, start_time, end_time, visibility, check_in_config, pass_config, created_at, updated_at)',
      `n, 'a' || n, 'c' || n, 1, 1, 'Open day ' || n, 0, 1, 'PUBLIC', '{}', '{}', 0, 0`,
    )
    await forNumbers(
      place,
      500,
      'insert into registrations (id, activity_id, name, status, answers, created_at, updated_at)',
      `n, 1, case when n % 50 = 0 then '王小' else 'Guest ' || n end, 'CONFIRMED', '{}', 0, 0`,
    )
    // A tenth are of guests, and some users have a registration too, whose name is not shown.
    await forNumbers(
      place,
      n,
      'insert into check_ins (id, activity_id, user_id, registration_id, sequence, method, checked_in_at)',
      `n, 1 + n % 3, case when n % 10 > 0 then n end, case when n % 5 = 0 then 1 + n % 500 end, 1, case when n % 2 = 0 then 'QR' else 'GPS' end, n / 4`,
    )
    if (dialect === 'postgres') await place.raw('analyze')
    await pause()
    for (const keyword of ['王小', 'person', 'phone 7', 'open day 2', 'guest 4', 'absent']) {
      const active = await store.read
        .select({ id: sessions.id })
        .from(sessions)
        .innerJoin(users, eq(users.id, sessions.userId))
        .where(
          and(
            eq(sessions.status, 'ACTIVE'),
            or(
              ...[sessions.deviceName, sessions.ipAddress, sessions.city, users.username, users.nickname].map(
                (column) => contains(column, keyword),
              ),
            ),
          ),
        )
        .orderBy(desc(sessions.id))
      const scanned = await store.read
        .select({ id: checkIns.id })
        .from(checkIns)
        .leftJoin(users, eq(users.id, checkIns.userId))
        .leftJoin(registrations, eq(registrations.id, checkIns.registrationId))
        .innerJoin(activities, eq(activities.id, checkIns.activityId))
        .where(
          and(eq(checkIns.method, 'QR'), or(contains(participantName, keyword), contains(activities.name, keyword))),
        )
        .orderBy(desc(checkIns.checkedInAt), desc(checkIns.id))
      const lists = [
        {
          all: active,
          list: allSessions({ page: 1, size: 20, status: 'ACTIVE', keyword }),
          idOf: sessionId,
        },
        {
          all: scanned,
          list: filteredCheckIns({ page: 1, size: 20, method: 'QR', keyword }),
          idOf: checkInId,
        },
      ]
      for (const { all, list, idOf } of lists) {
        const last = Math.max(1, Math.ceil(all.length / 20))
        for (const page of new Set([1, last])) {
          const found = await store.search(1, (db) =>
            searchPage(db, { ...list, scope: list.scope, where: list.where } as never, {
              page,
              size: 20,
            }),
          )
          expect([keyword, page, found.total]).toEqual([keyword, page, all.length])
          expect(found.items.map(idOf as never)).toEqual(all.slice((page - 1) * 20, page * 20).map(({ id }) => id))
        }
      }
    }
    if (dialect === 'sqlite') return
    const absent = allSessions({ page: 1, size: 20, status: 'ACTIVE', keyword: 'absent' })
    const run = (db: Db) =>
      statementsOf(db, () =>
        searchPage(db, { ...absent, scope: absent.scope, where: absent.where }, { page: 1, size: 20 }),
      )
    const statements = await store.search(1, run)
    // The last row of each slice is looked up first.
    const sliceRows = statements.flatMap(([text, params]) =>
      text.includes('case when') ? [] : [Number(params.at(-1)) + 1],
    )
    expect(Math.max(...sliceRows)).toBeLessThanOrEqual(2000)
    expect(sliceRows.reduce((sum, rows) => sum + rows, 0)).toBeLessThan(6000)
    expect(statements.filter(([text]) => text.includes('elsewhere_0'))).toHaveLength(1)
  }))

test.if(dialect === 'postgres')('each statement of a search gets a plan for its own values', () =>
  withStore(async (store) => {
    const mode = { mode: sql<string>`current_setting('plan_cache_mode')` }
    const rows = await store.search(1, (db) => db.select(mode).from(sql`(select 1) as one`))
    expect(rows).toEqual([{ mode: 'force_custom_plan' }])
  }),
)

const sessionId = ({ session }: { readonly session: { readonly id: number } }): number => session.id
const checkInId = ({ id }: { readonly id: number }): number => id

const KEY = dialect === 'sqlite' ? [1, 2, 3] : ['1', '2', '3']
/** Number of columns that a statement selects. */
const columnsOf = (text: string): number => text.split(' from ')[0]!.split(',').length
