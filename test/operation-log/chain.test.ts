import { describe, expect, test } from 'bun:test'

import {
  type ChainRow,
  changedFields,
  FIRST_HASH,
  hashOf,
  type Link,
  verifyChain,
} from '#domains/operation-log/rules.ts'
import { createSeal } from '#platform/seal.ts'

const seal = createSeal(new Uint8Array(32).fill(1))
const otherSeal = createSeal(new Uint8Array(32).fill(2))

function chain(length: number, sign = seal.mac, previousRows: readonly ChainRow[] = []): ChainRow[] {
  const rows = [...previousRows]
  for (let i = 0; i < length; i++) {
    const link: Link = {
      actorId: 1,
      actorName: 'root',
      action: 'ROLE_UPDATE',
      targetType: 'ROLE',
      targetId: i,
      targetName: `ROLE_${i}`,
      before: { name: 'a', points: [1, { b: 2, a: 1 }] },
      after: { name: 'b', points: [] },
      ipAddress: '203.0.113.7',
      requestId: `request-${i}`,
      createdAt: 1000 + i,
      previousHash: rows.at(-1)?.hash ?? FIRST_HASH,
    }
    const hash = hashOf(link)
    rows.push({ ...link, id: rows.length * 2 + 1, hash, signature: sign(hash) })
  }
  return rows
}

async function* batches(rows: readonly ChainRow[]) {
  for (let at = 0; at < rows.length; at += 3) yield rows.slice(at, at + 3)
}

const verify = (rows: readonly ChainRow[]) => verifyChain(batches(rows), seal.mac)

/** Computes new hashes from row `from` on, as an attacker without the key can. */
function rehash(rows: readonly ChainRow[], from: number): ChainRow[] {
  const result = [...rows]
  for (let i = from; i < rows.length; i++) {
    const link = { ...result[i]!, previousHash: result[i - 1]?.hash ?? FIRST_HASH }
    result[i] = { ...link, hash: hashOf(link) }
  }
  return result
}

describe('verifyChain', () => {
  test('accepts an empty log and a chain over several batches, and names its head', async () => {
    expect(await verify([])).toEqual({ rows: 0, head: undefined, fault: undefined, otherKeyUntil: undefined })
    const rows = chain(10)
    const head = { id: 19, hash: rows[9]!.hash }
    expect(await verify(rows)).toEqual({ rows: 10, head, fault: undefined, otherKeyUntil: undefined })
  })

  test('accepts rows whose JSON has other spaces or another order of keys, as databases may return it', async () => {
    const rows = chain(2).map((row) => ({ ...row, before: { points: [1, { a: 1, b: 2 }], name: 'a' } }))
    expect((await verify(rows)).fault).toBeUndefined()
  })

  test.each([
    ['actorId', 2],
    ['actorName', 'somebody else'],
    ['action', 'ROLE_DELETE'],
    ['targetType', 'USER'],
    ['targetId', null],
    ['targetName', null],
    ['before', null],
    ['after', { name: 'harmless' }],
    ['ipAddress', '192.0.2.1'],
    ['requestId', 'request-0'],
    ['createdAt', 5],
    ['previousHash', 'x'],
  ] as const)('finds the row if somebody changed its %s', async (field, value) => {
    const rows = chain(6)
    rows[4] = { ...rows[4]!, [field]: value }
    expect((await verify(rows)).fault).toEqual({ id: 9, kind: 'changed' })
  })

  test('finds deleted, moved and repeated rows', async () => {
    const rows = chain(6)
    expect((await verify(rows.toSpliced(2, 1))).fault).toEqual({ id: 7, kind: 'order' })
    expect((await verify(rows.slice(1))).fault).toEqual({ id: 3, kind: 'order' })
    expect((await verify([rows[0]!, rows[2]!, rows[1]!])).fault).toEqual({ id: 5, kind: 'order' })
    expect((await verify([rows[0]!, rows[1]!, rows[1]!])).fault).toEqual({ id: 3, kind: 'order' })
  })

  test('finds rows that were rewritten with new hashes by somebody without the key', async () => {
    const changed = chain(6).with(3, { ...chain(6)[3]!, actorName: 'somebody else' })
    expect((await verify(rehash(changed, 3))).fault).toEqual({ id: 7, kind: 'signature' })
    const allChanged = rehash(chain(6).with(0, { ...chain(6)[0]!, actorName: 'somebody else' }), 0)
    expect((await verify(allChanged)).fault).toEqual({ id: 11, kind: 'signature' })
    // A later change by an administrator does not hide it.
    expect(await verify(chain(2, seal.mac, allChanged))).toMatchObject({ fault: undefined, otherKeyUntil: 11 })
  })

  test('names the last row of an earlier key, and still verifies the contents of these rows', async () => {
    const rows = chain(3, seal.mac, chain(4, otherSeal.mac))
    expect(await verify(rows)).toMatchObject({ rows: 7, fault: undefined, otherKeyUntil: 7 })
    rows[1] = { ...rows[1]!, actorName: 'somebody else' }
    expect((await verify(rows)).fault).toEqual({ id: 3, kind: 'changed' })
  })
})

describe('changedFields', () => {
  test('keeps only the fields that differ, with null for a missing one', () => {
    expect(changedFields({ a: 1, b: [1, { x: 1, y: 2 }], c: 'c' }, { a: 2, b: [1, { y: 2, x: 1 }], d: null })).toEqual({
      before: { a: 1, c: 'c' },
      after: { a: 2, c: null },
    })
    expect(changedFields({ a: [] }, { a: [] })).toBeUndefined()
  })

  test('keeps all fields of a new or deleted target', () => {
    expect(changedFields(undefined, { a: 1, b: null })).toEqual({ before: null, after: { a: 1, b: null } })
    expect(changedFields({ a: 1 }, undefined)).toEqual({ before: { a: 1 }, after: null })
    expect(changedFields(undefined, undefined)).toEqual({ before: null, after: null })
  })

  test('cuts long texts', () => {
    const { after } = changedFields(undefined, { text: 'x'.repeat(10_000) })!
    expect(after!['text']).toBe(`${'x'.repeat(499)}…`)
  })

  test.each(['password', 'newPassword', 'passwordHash', 'accessToken', 'secret', 'clientSecret'])(
    'refuses the field %s, which contains a secret',
    (name) => {
      expect(() => changedFields({ [name]: 'a' }, { [name]: 'b' })).toThrow(name)
      expect(() => changedFields(undefined, { [name]: 'b' })).toThrow(name)
    },
  )

  test('accepts settings about passwords', () => {
    expect(changedFields({ 'password.minLength': 6 }, { 'password.minLength': 8 })).toBeDefined()
  })
})
