import { describe, expect, test } from 'bun:test'

import {
  changedFields,
  type Checkpoint,
  FIRST_HASH,
  hashOf,
  type Head,
  type Link,
  type Signatures,
  signaturesOf,
} from '#domains/operation-log/operation-log.rules.ts'
import { type Expectations, verifyLog } from '#domains/operation-log/verification.rules.ts'
import { createSeal } from '#platform/seal.ts'

const key = signaturesOf(createSeal(new Uint8Array(32).fill(1)))
const otherKey = signaturesOf(createSeal(new Uint8Array(32).fill(2)))

interface Row extends Link {
  readonly id: number
  readonly hash: string
  readonly signature: string
}

/** Adds `length` rows to `previousRows`. `gap`: distance of ids, for rows of an earlier version, which are signed without the id. */
function chain(
  length: number,
  { sign = key, gap }: { sign?: Signatures; gap?: number } = {},
  previousRows: Row[] = [],
) {
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
      // Every third row is by a key.
      apiKeyId: i % 3 === 2 ? 7 : null,
      apiKeyName: i % 3 === 2 ? 'Import' : null,
    }
    const hash = hashOf(link)
    const id = (rows.at(-1)?.id ?? 0) + (gap ?? 1)
    rows.push({ ...link, id, hash, signature: gap === undefined ? sign.row(id, hash) : sign.earlierRow(hash) })
  }
  return rows
}

const columnOf = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const stored = (row: object) => Object.fromEntries(Object.entries(row).map(([name, value]) => [columnOf(name), value]))
const storedRow = ({ before, after, ...row }: Row) => ({
  ...stored(row),
  before: before === null ? null : JSON.stringify(before),
  after: after === null ? null : JSON.stringify(after),
})

const headOf = (rows: readonly Row[], changes: Partial<Head> = {}, sign = key) => {
  const newest = rows.at(-1)
  const head = {
    rowId: newest?.id ?? 0,
    hash: newest?.hash ?? FIRST_HASH,
    rowCount: rows.length,
    brokenAt: null,
    ...changes,
  }
  return { id: 1, ...head, signature: sign.head(head) }
}

async function* batches(rows: readonly object[]) {
  for (let at = 0; at < rows.length; at += 3) yield rows.slice(at, at + 3) as Record<string, unknown>[]
}

const verify = (
  rows: readonly Row[],
  {
    head = headOf(rows),
    checkpoints = [],
    expected,
  }: { head?: object; checkpoints?: readonly object[]; expected?: Expectations } = {},
) =>
  verifyLog(
    {
      heads: [stored(head)],
      checkpoints: checkpoints.map(stored),
      rowCount: rows.length,
      batches: batches(rows.map(storedRow)),
    },
    key,
    expected,
  )

const faultOf = async (...input: Parameters<typeof verify>) => {
  const { fault } = await verify(...input)
  return fault && { id: fault.id, message: fault.message }
}
const like = (id: number | undefined, message: string) => ({ id, message: expect.stringContaining(message) })

/** Computes new hashes from row `from` on, as an attacker without the key can. */
function rehash(rows: readonly Row[], from: number): Row[] {
  const result = [...rows]
  for (let i = from; i < rows.length; i++) {
    const link = { ...result[i]!, previousHash: result[i - 1]?.hash ?? FIRST_HASH }
    result[i] = { ...link, hash: hashOf(link) }
  }
  return result
}

const checkpointOf = (rows: readonly Row[], id = 1, sign = key) => {
  const { id: rowId, hash } = rows.at(-1)!
  const checkpoint: Checkpoint = { id, rowId, hash, rowCount: rows.length, createdAt: 5 }
  return { ...checkpoint, signature: sign.checkpoint(checkpoint) }
}

describe('verifyLog', () => {
  test('accepts an empty log and a chain over several batches, and names its head', async () => {
    expect(await verify([])).toMatchObject({ rows: 0, newest: undefined, fault: undefined, otherKeyUntil: undefined })
    const rows = chain(10)
    const head = { id: 10, hash: rows[9]!.hash }
    expect(await verify(rows)).toMatchObject({
      rows: 10,
      head,
      newest: head,
      fault: undefined,
      otherKeyUntil: undefined,
    })
  })

  test('accepts rows of an earlier version, whose ids have gaps, and new rows after them', async () => {
    const rows = chain(4, {}, chain(3, { gap: 2 }))
    expect(rows.map(({ id }) => id)).toEqual([2, 4, 6, 7, 8, 9, 10])
    expect((await verify(rows)).fault).toBeUndefined()
    // A new row cannot be replaced by one that is signed as earlier versions did.
    const replaced = rows.with(5, { ...rows[5]!, signature: key.earlierRow(rows[5]!.hash) })
    expect(await faultOf(replaced)).toEqual(like(9, 'not signed'))
  })

  test.each([
    ['actorId', 2],
    ['actorId', 1.5],
    ['actorName', 'somebody else'],
    ['actorName', new Uint8Array([1])],
    ['action', 'ROLE_DELETE'],
    ['targetType', 'USER'],
    ['targetId', null],
    ['targetName', null],
    ['before', null],
    ['after', { name: 'harmless' }],
    ['ipAddress', '192.0.2.1'],
    ['requestId', 'request-0'],
    ['createdAt', 5],
    ['createdAt', null],
    ['previousHash', 'x'],
    ['hash', 'x'],
  ] as const)('finds the row if somebody changed its %s', async (field, value) => {
    const rows = chain(6)
    expect(await faultOf(rows.with(4, { ...rows[4]!, [field]: value }))).toEqual(like(5, 'was changed'))
  })

  test.each(['{', '', '{"name":"a","name":"b","points":[]}', '{ "name":"b","points":[]}', '"b"'])(
    'finds the row if its JSON is %s, which the server would not have written',
    async (after) => {
      const rows = chain(2)
      const edited = [storedRow(rows[0]!), { ...storedRow(rows[1]!), after }]
      const log = { heads: [stored(headOf(rows))], checkpoints: [], rowCount: 2, batches: batches(edited) }
      expect((await verifyLog(log, key)).fault).toEqual(like(2, 'its after is not JSON'))
    },
  )

  test('finds deleted, moved, repeated and renumbered rows', async () => {
    const rows = chain(6)
    const head = headOf(rows)
    expect(await faultOf(rows.toSpliced(2, 1), { head })).toEqual(like(4, 'does not follow'))
    expect(await faultOf(rows.slice(1), { head })).toEqual(like(2, 'does not follow'))
    expect(await faultOf([rows[0]!, rows[2]!, rows[1]!], { head })).toEqual(like(3, 'does not follow'))
    expect(await faultOf([rows[0]!, rows[1]!, rows[1]!], { head })).toEqual(like(2, 'does not follow'))
    const swapped = rows.with(1, { ...rows[2]!, id: 2 }).with(2, { ...rows[1]!, id: 3 })
    expect(await faultOf(swapped, { head })).toEqual(like(2, 'does not follow'))
    const renumbered = rows.map((row) => ({ ...row, id: row.id + 1 }))
    expect(await faultOf(renumbered, { head: headOf(renumbered) })).toEqual(like(7, 'not signed'))
  })

  test('finds that the newest rows were cut off, and rows outside of the chain', async () => {
    const rows = chain(6)
    const head = headOf(rows)
    expect(await faultOf(rows.slice(0, 4), { head })).toEqual(like(4, 'The newest rows are missing'))
    expect(await faultOf([], { head })).toEqual(like(0, 'The newest rows are missing'))
    expect(await faultOf(chain(1, {}, rows), { head })).toEqual(like(7, 'was added: the newest row is 6'))
    expect(await faultOf([{ ...rows[0]!, id: 0 }, ...rows], { head })).toEqual(like(0, 'was added'))
    expect(await faultOf([{ ...rows[0]!, id: -3 }, ...rows], { head })).toEqual(like(-3, 'was added'))
    const log = { heads: [stored(head)], checkpoints: [], rowCount: 7, batches: batches(rows.map(storedRow)) }
    expect((await verifyLog(log, key)).fault).toEqual(like(undefined, 'only 6 can be found'))
  })

  test('finds a head that was edited, set back or deleted', async () => {
    const rows = chain(6)
    const head = headOf(rows)
    const older = rows.slice(0, 4)
    const signedRow = { ...headOf(older), signature: older[3]!.signature }
    expect(await faultOf(older, { head: signedRow })).toEqual(like(undefined, 'head of the log is not signed'))
    for (const change of [{ hash: 'x' }, { rowId: 5 }, { rowCount: 7 }, { id: 2 }, { brokenAt: 3 }, { signature: '' }])
      expect(await faultOf(rows, { head: { ...head, ...change } }), JSON.stringify(change)).toMatchObject({
        message: expect.stringContaining('head of the log'),
      })
    expect(await faultOf(rows, { head: { ...head, rowCount: 'x' } })).toEqual(like(undefined, 'its row_count is not'))
    const log = { heads: [], checkpoints: [], rowCount: 6, batches: batches(rows.map(storedRow)) }
    expect((await verifyLog(log, key)).fault).toEqual(like(undefined, 'was deleted or repeated'))
  })

  test('finds rows that were rewritten with new hashes by somebody without the key', async () => {
    const changed = chain(6).with(3, { ...chain(6)[3]!, actorName: 'somebody else' })
    expect(await faultOf(rehash(changed, 3))).toEqual(like(4, 'not signed'))
    const allChanged = rehash(chain(6).with(0, { ...chain(6)[0]!, actorName: 'somebody else' }), 0)
    expect(await faultOf(allChanged)).toEqual(like(6, 'not signed'))
    // A later change by an administrator does not hide it.
    expect(await verify(chain(2, {}, allChanged))).toMatchObject({ fault: undefined, otherKeyUntil: 6 })
    expect(await faultOf(chain(2, {}, allChanged), { expected: { oldKeyUntil: 2 } })).toEqual(like(3, 'not signed'))
  })

  test('names the last row of an earlier key, and still verifies the contents of these rows', async () => {
    const rows = chain(3, {}, chain(4, { sign: otherKey }))
    const head = headOf(rows, { brokenAt: 5 })
    expect(await verify(rows, { head })).toMatchObject({ rows: 7, fault: undefined, otherKeyUntil: 4 })
    const expected = { oldKeyUntil: 4 }
    expect((await verify(rows, { head, expected })).fault).toBeUndefined()
    expect(await faultOf(rows, { head, expected: { oldKeyUntil: 3 } })).toEqual(like(4, 'not signed'))
    expect(await faultOf(rows.with(1, { ...rows[1]!, actorName: 'x' }), { head, expected })).toEqual(
      like(2, 'was changed'),
    )
    // Before anything was written with the new key, the head has a signature of the earlier one too.
    const old = rows.slice(0, 4)
    const since = { id: 4, hash: old[3]!.hash }
    expect(
      (await verify(old, { head: headOf(old, {}, otherKey), expected: { ...expected, since } })).fault,
    ).toBeUndefined()
    expect(await faultOf(old, { head: headOf(old, {}, otherKey) })).toEqual(like(4, 'not signed'))
  })

  test('accepts a log without any signature of the present key only with a witness of its newest row', async () => {
    const old = chain(4, { sign: otherKey })
    const expected = { oldKeyUntil: 4 }
    // Somebody without a key cuts off the rows that were written since, and rewrites the others.
    const forged = rehash(old.with(1, { ...old[1]!, actorName: 'somebody else' }), 1)
    const since = { id: 4, hash: old[3]!.hash }
    for (const rows of [forged, forged.slice(0, 2), []]) {
      const head = headOf(rows, {}, otherKey)
      const last = rows.at(-1)?.id ?? 0
      expect(await faultOf(rows, { head, expected })).toEqual(
        like(last, 'Nothing is signed with the key of this server'),
      )
      expect((await verify(rows, { head, expected: { ...expected, since } })).fault).toBeDefined()
    }
  })

  test('keeps finding that rows were cut off before a later row was written', async () => {
    const rows = chain(6)
    expect(await faultOf(rows, { head: headOf(rows, { brokenAt: 5 }) })).toEqual(like(5, 'When row 5 was written'))
    expect(await faultOf(rows, { head: headOf(rows, { brokenAt: 1 }) })).toEqual(like(1, 'When row 1 was written'))
  })

  test('continues from the checkpoint of the retention, and finds edited checkpoints', async () => {
    const rows = chain(9)
    const first = checkpointOf(rows.slice(0, 2))
    const second = checkpointOf(rows.slice(0, 5), 2)
    const head = headOf(rows)
    const kept = rows.slice(5)
    const report = await verify(kept, { head, checkpoints: [first, second] })
    expect(report).toMatchObject({ rows: 4, checkpoint: { id: 5, hash: rows[4]!.hash, deleted: 5 }, fault: undefined })
    expect(await faultOf(rows.slice(4), { head, checkpoints: [first, second] })).toEqual(
      like(5, 'was added: rows up to'),
    )
    expect(await faultOf(rows.slice(6), { head, checkpoints: [first, second] })).toEqual(like(7, 'does not follow'))
    expect(await faultOf(kept, { head, checkpoints: [first] })).toEqual(like(6, 'does not follow'))
    expect(await faultOf(kept, { head, checkpoints: [second] })).toEqual(like(undefined, 'Checkpoint 1'))
    const unsigned = checkpointOf(rows.slice(0, 7), 3, otherKey)
    expect(await faultOf(rows.slice(7), { head, checkpoints: [first, second, unsigned] })).toEqual(
      like(undefined, 'Checkpoint 3 is not signed'),
    )
    for (const change of [{ rowId: 4 }, { hash: 'x' }, { rowCount: 4 }, { createdAt: 6 }, { createdAt: 'x' }])
      expect(
        await faultOf(kept, { head, checkpoints: [first, { ...second, ...change }] }),
        JSON.stringify(change),
      ).toEqual(like(undefined, 'Checkpoint 2'))
  })

  test('names the last row of an earlier key also after the retention has deleted it', async () => {
    const rows = chain(6, {}, chain(4, { sign: otherKey }))
    const head = headOf(rows, { brokenAt: 5 })
    for (const deleted of [4, 6]) {
      const log = { head, checkpoints: [checkpointOf(rows.slice(0, deleted))] }
      const kept = rows.slice(deleted)
      expect(await verify(kept, log)).toMatchObject({ fault: undefined, otherKeyUntil: 4 })
      const known = await verify(kept, { ...log, expected: { oldKeyUntil: 4 } })
      expect(known.fault).toBeUndefined()
      expect(await faultOf(kept, { ...log, expected: { oldKeyUntil: 3 } })).toEqual(like(5, 'When row 5 was written'))
    }
    // A row that still exists was written after others were cut off.
    const log = { head: headOf(rows, { brokenAt: 8 }), checkpoints: [checkpointOf(rows.slice(0, 6))] }
    expect(await faultOf(rows.slice(6), log)).toEqual(like(8, 'When row 8 was written'))
  })

  test('finds an older copy of everything by a row that it must have', async () => {
    const rows = chain(6)
    const since = { id: 6, hash: rows[5]!.hash }
    expect((await verify(rows, { expected: { since } })).fault).toBeUndefined()
    expect(await faultOf(rows.slice(0, 4), { expected: { since } })).toEqual(like(6, 'Row 6 is missing'))
    expect(await faultOf(rows, { expected: { since: { ...since, id: 5 } } })).toEqual(like(5, 'has another hash'))
    const after = { head: headOf(rows), checkpoints: [checkpointOf(rows.slice(0, 3))] }
    const last = { id: 3, hash: rows[2]!.hash }
    expect((await verify(rows.slice(3), { ...after, expected: { since: last } })).fault).toBeUndefined()
    expect(await faultOf(rows.slice(3), { ...after, expected: { since: { ...last, id: 2 } } })).toEqual(
      like(2, 'was deleted by the retention'),
    )
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
