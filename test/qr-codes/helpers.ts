/** Helpers for the tests of QR codes. */

import { expect } from 'bun:test'

import type { NewQrCode, QrCodeView } from '#domains/qr-codes/codes/codes.model.ts'

import { ok, type Person } from '../harness/index.ts'

export type Code = QrCodeView

let counter = 0

/** Creates a code, with a unique name and content unless they are given. Returns it as lists show it. */
export async function createCode(user: Person, fields: Partial<NewQrCode> = {}): Promise<Code> {
  counter += 1
  const body = { name: `code ${counter}`, content: `content ${counter}`, ...fields }
  const { warnings: _, ...code } = ok(await user.call('qrCodes.create', { body })).data
  return code
}

export async function createCategory(user: Person, name: string, parentId: number | null = null): Promise<number> {
  return ok(await user.call('categories.create', { body: { name, parentId } })).data.id
}

/** The items of all pages of a list. Checks the other fields of each page. */
export async function allPages<Item = Code>(
  user: Person,
  path: string,
  size: number,
  query: Record<string, string | number | boolean> = {},
): Promise<Item[]> {
  const items: Item[] = []
  for (let page = 1; ; page++) {
    const { data } = ok(await user.get(path, { ...query, page, size }))
    items.push(...data.items)
    expect(data.page).toBe(page)
    expect(data.size).toBe(size)
    if (data.items.length < size) {
      expect(data.total).toBe(items.length)
      return items
    }
  }
}

/** The slug of a new label. */
export async function freeLabel(user: Person, orgId: number | null = null): Promise<string> {
  const batch = ok(await user.call('qrBlanks.create', { body: { name: 'Labels', count: 1, orgId } })).data
  const query = { batchId: batch.id, ...(orgId !== null && { orgId }) }
  return ok(await user.call('qrBlanks.list', { query })).data.items[0]!.slug
}
