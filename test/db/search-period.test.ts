import { expect, test } from 'bun:test'

import { ReadDb } from '#db/engine/write.ts'
import type { Runner } from '#db/query/builders.ts'
import { users } from '#db/schema/accounts.ts'
import { searchPage } from '#db/search.ts'
import { SLICE_ROWS } from '#db/slices.ts'
import { userList } from '#domains/accounts/admin/accounts.admin.store.ts'

import { withStore } from './fresh.ts'

const ROWS = SLICE_ROWS * 3 + 10

test('a search in a period finds the rows of the period, and its statements have one lower and one upper limit', () =>
  withStore(async (store) => {
    const rows = Array.from({ length: ROWS }, (_, i) => ({
      nickname: `User ${i}`,
      createdAt: Math.floor(i / 2),
      updatedAt: 0,
    }))
    await store.write('test.users', (tx) => tx.insert(users).values(rows))
    const statements: string[] = []
    const { runner } = store.read as unknown as { runner: Runner }
    const db = new ReadDb({ rows: (text, params) => (statements.push(text), runner.rows(text, params)) })
    const found = async (period: { from?: number; to?: number }, sort: 'createdAt' | '-createdAt', page: number) => {
      const list = userList(db, { page, size: 20, sort, ...period }, { text: 'user', userIds: [] })
      const { items, total } = await searchPage(
        db,
        { ...list, scope: list.scope, where: list.where },
        { page, size: 20 },
      )
      return { total, names: items.map((row) => row.nickname) }
    }
    for (const period of [{}, { from: 3 }, { to: 380 }, { from: 100, to: 300 }, { from: 380, to: 390 }, { from: 900 }])
      for (const sort of ['createdAt', '-createdAt'] as const)
        for (const page of [1, 14, 20]) {
          const { from = 0, to = ROWS } = period as { from?: number; to?: number }
          const expected = rows
            .filter(({ createdAt }) => createdAt >= from && createdAt < to)
            .map((row) => row.nickname)
          if (sort === '-createdAt') expected.reverse()
          const names = expected.slice((page - 1) * 20, page * 20)
          expect(await found(period, sort, page)).toEqual({ total: expected.length, names })
        }
    for (const text of statements) {
      const limits = [...text.matchAll(/"created_at"(?:, "users"\."id"\))? (<|>)/g)].map(([, sign]) => sign)
      expect(new Set(limits).size, text).toBe(limits.length)
    }
  }))
