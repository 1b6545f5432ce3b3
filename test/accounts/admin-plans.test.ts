/** The lists of users in the console are read from indexes, in every order. */

import { expect, test } from 'bun:test'

import { ReadDb } from '#db/engine/write.ts'
import { searchPage } from '#db/search.ts'
import { userList } from '#domains/accounts/admin/accounts.admin.store.ts'
import { findUnusedDeviceUsers, userByUsername } from '#domains/accounts/users/users.store.ts'
import { plainPage } from '#domains/admin/admin.store.ts'

import { onSqlite, withStore } from '../db/fresh.ts'

const SORTS = ['createdAt', '-createdAt', 'lastLoginAt', '-lastLoginAt', 'username', '-username'] as const
const STATUSES = [undefined, 'DISABLED', 'DELETED'] as const

test.if(onSqlite)('no page or search of users sorts, or reads the rows only to count them', async () => {
  await withStore(async (_store, place) => {
    const queries: { sql: string; isPlain: boolean }[] = []
    let isPlain = true
    // Answers counts with 1000, so that the pages behind the first section are read, too.
    const recorder = new ReadDb({
      rows: (sql) => {
        queries.push({ sql, isPlain })
        return sql.includes('count(*)') ? [[1000]] : []
      },
    })
    const page = { page: 3, size: 20 }
    for (const sort of SORTS)
      for (const status of STATUSES) {
        const query = { ...page, sort, ...(status && { status }) }
        isPlain = true
        await plainPage(recorder, userList(recorder, query, undefined), page)
        isPlain = false
        const list = userList(recorder, query, { text: 'x', userIds: [] })
        await searchPage(recorder, { ...list, scope: list.scope, where: list.where }, page)
      }
    expect(queries.length).toBeGreaterThan(60)
    for (const { sql, isPlain: counts } of queries) {
      const plan = (await place.raw(`explain query plan ${sql}`)).map((row) => String(row[3])).join('\n')
      expect(plan, sql).not.toContain('TEMP B-TREE')
      expect(plan, sql).toMatch(/users_\w+/)
      if (counts) expect(plan, sql).toMatch(/users_(all|inactive)_(created|login|username)/)
      if (counts && sql.startsWith('select count')) expect(plan, sql).toContain('COVERING')
    }
  })
})

test.if(onSqlite)('a user is found by username in the unique index', async () => {
  await withStore(async (_store, place) => {
    const queries: string[] = []
    await userByUsername(new ReadDb({ rows: (sql) => (queries.push(sql), []) }), 'anna')
    const [plan] = await place.raw(`explain query plan ${queries[0]!}`)
    expect(String(plan![3])).toContain('users_username_key (username_key=?)')
  })
})

test.if(onSqlite)('the job that ends unused accounts looks up the sessions of each user', async () => {
  await withStore(async (_store, place) => {
    const queries: string[] = []
    const db = new ReadDb({ rows: (sql) => (queries.push(sql), []) })
    await findUnusedDeviceUsers(db, { after: 0, upTo: 500, before: 1, now: 1 })
    const plan = (await place.raw(`explain query plan ${queries[0]!}`)).map((row) => String(row[3]))
    expect(plan.filter((line) => line.includes(' sessions '))).toEqual([
      'SEARCH sessions USING INDEX sessions_user_active (user_id=? AND status=?)',
    ])
  })
})
