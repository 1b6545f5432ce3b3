/** What the tests of this area share. */

import { expect } from 'bun:test'

import type { Person, Reply } from '../harness/index.ts'

export interface Code {
  id: number
  uuid: string
  name: string
  content: string
  [field: string]: unknown
}

export const ok = (reply: Reply, what = ''): Reply => {
  expect(reply.status, `${what} ${reply.text.slice(0, 500)}`).toBe(200)
  return reply
}

let counter = 0

/** A code with a name of its own. */
export async function makeCode(who: Person, fields: Record<string, unknown> = {}): Promise<Code> {
  counter += 1
  return ok(await who.post('/api/qr-codes', { name: `code ${counter}`, content: `content ${counter}`, ...fields })).data
}

export async function makeCategory(who: Person, name: string, parentId: number | null = null): Promise<number> {
  return ok(await who.post('/api/categories', { name, parentId })).data.id
}

/** All pages of a list, one after the other. */
export async function allPages(
  who: Person,
  path: string,
  size: number,
  query: Record<string, string | number | boolean> = {},
) {
  const items: Code[] = []
  for (let page = 1; ; page++) {
    const { data } = ok(await who.get(path, { ...query, page, size }))
    items.push(...data.items)
    expect(data.page).toBe(page)
    expect(data.size).toBe(size)
    if (data.items.length < size) {
      expect(data.total).toBe(items.length)
      return items
    }
  }
}
