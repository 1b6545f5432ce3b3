/** With more than MAX_ROWS_IN_TURN rows, filters and statistics run on the worker, and searches in slices: the answers must be the same. */

import { beforeAll, expect, test } from 'bun:test'

import { MAX_ROWS_IN_TURN } from '#db/paging.ts'

import { ok, type Person, useServer } from '../harness/index.ts'
import { allPages, createCategory, createCode } from './helpers.ts'

const { server } = useServer()
let me: Person
let category: number
const TOTAL = MAX_ROWS_IN_TURN + 500

beforeAll(async () => {
  me = await server.person()
  category = await createCategory(me, 'odd')
  for (let start = 0; start < TOTAL; start += 500) {
    const items = Array.from({ length: 500 }, (_, i) => ({
      name: `code ${String(start + i).padStart(5, '0')}`,
      content: (start + i) % 5 === 0 ? 'https://example.com' : 'text',
      tags: (start + i) % 100 === 7 ? ['标签'] : [],
      ...((start + i) % 2 === 1 && { categoryId: category }),
    }))
    ok(await me.post('/api/qr-codes/batch', { items }))
  }
})

test('filters, keywords and orders of a long list find the right codes', async () => {
  const total = async (query: Record<string, string | number | boolean>) =>
    ok(await me.get('/api/qr-codes', { size: 1, ...query })).data.total
  expect(await total({})).toBe(TOTAL)
  expect(await total({ categoryId: category })).toBe(TOTAL / 2)
  expect(await total({ categoryId: 0 })).toBe(TOTAL / 2)
  expect(await total({ contentType: 'URL' })).toBe(TOTAL / 5)
  expect(await total({ keyword: '标签' })).toBe(TOTAL / 100)
  expect(await total({ keyword: 'code 0001' })).toBe(10)
  expect(await total({ pinned: true })).toBe(0)
  const { items } = ok(await me.get('/api/qr-codes', { sort: '-name', size: 3 })).data
  expect(items.map((c: { name: string }) => c.name)).toEqual([1, 2, 3].map((n) => `code 0${TOTAL - n}`))
  expect(items[0]).toEqual(ok(await me.get(`/api/qr-codes/${items[0].id}`)).data)
  expect((await allPages(me, '/api/qr-codes', 100, { contentType: 'URL' })).length).toBe(TOTAL / 5)
})

test('a search gives the codes that match, in the order of the list, on every page and in every order', async () => {
  const pinned = ok(await me.get('/api/qr-codes', { size: 100, page: 20 })).data.items as { id: number }[]
  for (const { id } of pinned.slice(0, 3)) ok(await me.patch(`/api/qr-codes/${id}/pin`, { pinned: true }))
  for (const sort of [undefined, 'name', '-name', '-createdAt', 'updatedAt', '-scanCount']) {
    const order: Record<string, string> = sort === undefined ? {} : { sort }
    const all = await allPages<{ id: number; name: string }>(me, '/api/qr-codes', 100, order)
    // Each of these matches in some slices only, at their ends, or in all of them.
    for (const [keyword, size] of [
      ['code 002', 7],
      ['99', 30],
      ['code 01', 100],
      ['CODE', 100],
    ] as const) {
      const wanted = all.filter(({ name }) => name.includes(keyword.toLowerCase())).map(({ id }) => id)
      const found = await allPages(me, '/api/qr-codes', size, { keyword, ...order })
      expect(
        found.map(({ id }) => id),
        `${keyword} by ${sort}`,
      ).toEqual(wanted)
    }
  }
  for (const { id } of pinned.slice(0, 3)) ok(await me.patch(`/api/qr-codes/${id}/pin`, { pinned: false }))
})

test('a search of a long list finds a code at once after it is created, and not after it is deleted', async () => {
  for (let i = 0; i < 10; i++) {
    const code = await createCode(me, { name: `needle ${i}` })
    expect(ok(await me.get('/api/qr-codes', { keyword: `needle ${i}` })).data.items).toEqual([code])
    ok(await me.delete(`/api/qr-codes/${code.id}`))
    expect(ok(await me.get('/api/qr-codes', { keyword: `needle ${i}` })).data.items).toEqual([])
  }
})

test('statistics of a long list count all codes', async () => {
  const { data } = ok(await me.get('/api/qr-codes/stats', { tz: 'Asia/Shanghai' }))
  expect(data).toMatchObject({ total: TOTAL, publicCount: 0, pinnedCount: 0, scanCount: 0 })
  expect(data.byType).toEqual([
    { contentType: 'TEXT', count: (TOTAL / 5) * 4 },
    { contentType: 'URL', count: TOTAL / 5 },
  ])
  expect(data.byCategory).toContainEqual({ categoryId: category, name: 'odd', count: TOTAL / 2 })
  expect(data.byDay.reduce((sum: number, day: { count: number }) => sum + day.count, 0)).toBe(TOTAL)
})

test('an export of a long list contains all codes', async () => {
  const csv = ok(await me.post('/api/qr-codes/batch/export', { format: 'csv' })).text
  expect(csv.split('\r\n')).toHaveLength(TOTAL + 2)
  expect(csv.match(/^\d+,[\da-f-]{36},code \d{5},/gm)).toHaveLength(TOTAL)
})
