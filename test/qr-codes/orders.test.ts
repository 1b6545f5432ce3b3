/**
 * Random histories of a user's and an organization's codes: after each step, pages in every order are compared with an order computed
 * here. `SEED=…` repeats a history. In the test's own process the server also compares each page with plain SQL (`checkAnswers`).
 */

import { expect, test } from 'bun:test'

import { flushScans } from '#domains/qr-codes/codes/scan-counter.ts'

import { inProcess, ok, useServer } from '../harness/index.ts'
import { allPages, type Code } from './helpers.ts'

const { server, alice } = useServer({ people: ['alice'] })

const ROUNDS = 25
/** More than the 500 rows that are paged without an index. */
const CODES = 620

const FIELDS = ['name', 'createdAt', 'updatedAt', 'scanCount'] as const
type Field = (typeof FIELDS)[number]
type CodeOf = Code & Record<Exclude<Field, 'name'> | 'sortOrder', number> & { pinned: boolean }

/** PostgreSQL sorts names by the language of the database; SQLite by UTF-8 bytes. */
const LETTERS = process.env['TEST_DATABASE_URL'] ? ['a', 'b', 'c'] : ['a', 'B', 'é', '码', '\uFFFD', '\u{1F600}']

const compareNames = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

function compare(a: CodeOf, b: CodeOf, field: Field | undefined): number {
  if (field === undefined)
    return Number(b.pinned) - Number(a.pinned) || a.sortOrder - b.sortOrder || a.createdAt - b.createdAt || a.id - b.id
  return (field === 'name' ? compareNames(a.name, b.name) : a[field] - b[field]) || a.id - b.id
}

function randomFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) % below
  }
}

test.each(['a user', 'an organization'])(
  'pages of the codes of %s are right in every order after any history of changes',
  async (kind) => {
    const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
    console.log(`orders of the codes of ${kind}: SEED=${seed}`)
    const random = randomFrom(seed)
    const owner: Record<string, number> =
      kind === 'a user' ? {} : { orgId: ok(await alice.call('orgs.create', { body: { name: 'All' } })).data.id }
    const name = () => Array.from({ length: 1 + random(3) }, () => LETTERS[random(LETTERS.length)]).join('')
    const create = async (count: number): Promise<void> => {
      const items = Array.from({ length: count }, () => ({ name: name(), content: 'x', isPublic: random(2) === 0 }))
      ok(await alice.call('qrCodes.createBatch', { query: owner, body: { items } }))
    }
    for (let left = CODES; left > 0; left -= 155) await create(155)

    const page = (sort: string, number: number, size: number) =>
      alice.get('/api/qr-codes', { ...owner, ...(sort && { sort }), page: number, size })
    for (let round = 0; round < ROUNDS; round++) {
      const codes = (await allPages(alice, '/api/qr-codes', 100, owner)) as CodeOf[]
      for (const field of [undefined, ...FIELDS]) {
        const sorted = codes.toSorted((a, b) => compare(a, b, field))
        for (const [sort, expected] of [
          [field ?? '', sorted],
          [field && `-${field}`, sorted.toReversed()],
        ] as const) {
          if (sort === undefined) continue
          const size = 1 + random(100)
          const last = Math.ceil(codes.length / size)
          for (const number of new Set([1, last, 1 + random(last)])) {
            const { data } = ok(await page(sort, number, size))
            expect({ sort, number, size, total: data.total, codes: data.items }).toEqual({
              sort,
              number,
              size,
              total: codes.length,
              codes: expected.slice((number - 1) * size, number * size),
            })
          }
        }
      }
      const { id, uuid } = codes[random(codes.length)]!
      const params = { id }
      const steps = [
        () => create(1 + random(40)),
        () => alice.call('qrCodes.update', { params, query: owner, body: { name: name() } }),
        () => alice.call('qrCodes.update', { params, query: owner, body: { sortOrder: random(5) - 2 } }),
        () => alice.call('qrCodes.pin', { params, query: owner, body: { pinned: random(2) === 0 } }),
        () => alice.call('qrCodes.delete', { params, query: owner }),
        async () => {
          ok(await alice.call('qrCodes.delete', { params, query: owner }))
          ok(await alice.call('qrCodes.restore', { params, query: owner }))
        },
        async () => {
          ok(await alice.call('qrCodes.delete', { params, query: owner }))
          ok(await alice.call('qrCodes.emptyTrash', { query: owner }))
        },
        async () => {
          if (!inProcess) return
          await server.request('GET', `/api/qr-codes/public/${uuid}`)
          await flushScans(server.ctx)
        },
        async () => {
          if (kind !== 'a user') return
          const category = ok(await alice.call('categories.create', { body: { name: 'temporary' } })).data
          for (const code of codes.filter(() => random(20) === 0))
            ok(await alice.call('qrCodes.update', { params: { id: code.id }, body: { categoryId: category.id } }))
          ok(await alice.call('categories.delete', { params: { id: category.id } }))
        },
      ]
      await steps[random(steps.length)]!()
    }
  },
)
