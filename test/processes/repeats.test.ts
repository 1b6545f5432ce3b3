/** Repeats of a request with `Idempotency-Key` that reach other processes. */

import { describe, expect, test } from 'bun:test'

import { ok, race } from '../harness/index.ts'
import { onPostgres, sendTo, withServers } from './several.ts'

describe.if(onPostgres)('with three processes', () => {
  test('50 requests with one key create one row, and all that succeed answer it', async () => {
    await withServers(3, async ({ servers }) => {
      const person = await servers[0]!.person()
      for (let round = 0; round < 5; round++) {
        const replies = await race(50, (i) =>
          sendTo(servers[i % 3]!, person, 'POST', '/api/qr-codes', {
            body: { name: 'Menu', content: 'x' },
            headers: { 'idempotency-key': `round-${round}` },
          }),
        )
        const made = replies.filter(({ status }) => status === 200)
        expect(made.length).toBeGreaterThan(0)
        expect(new Set(made.map(({ text }) => text)).size).toBe(1)
        expect(made.filter(({ headers }) => !headers.has('idempotency-replayed'))).toHaveLength(1)
        for (const { status, code, headers } of replies.filter(({ status }) => status !== 200))
          expect([status, code, headers.get('retry-after')]).toEqual([409, 409, '1'])
        expect(ok(await sendTo(servers[0]!, person, 'GET', '/api/qr-codes')).data.total).toBe(round + 1)
      }
    })
  })

  test('the request that made the row is the first, also if another one was the first to keep the answer', async () => {
    await withServers(2, async ({ servers }) => {
      const person = await servers[0]!.person()
      const [first, second] = servers.map(({ ctx }) => ctx.db)
      const [hasBegun, hasMade, isAnswered] = [0, 1, 2].map(() => Promise.withResolvers<void>())
      const create = (nth: number) =>
        sendTo(servers[nth]!, person, 'POST', '/api/qr-codes', {
          body: { name: 'Menu', content: 'x' },
          headers: { 'idempotency-key': 'kept-by-the-other' },
        })
      // The second has looked for the key before the first makes the row, and keeps its answer before the first does.
      const { aroundWrites } = second!
      second!.aroundWrites = (around, run) => {
        hasBegun!.resolve()
        return aroundWrites(around, () => hasMade!.promise.then(run)) as never
      }
      const write = first!.write.bind(first!)
      first!.write = async (name, ...rest) => {
        if (name === 'http.keepAnswer') {
          hasMade!.resolve()
          await isAnswered!.promise
        }
        return write(name, ...rest)
      }
      const joining = create(1)
      await hasBegun!.promise
      const making = create(0)
      const joined = ok(await joining)
      isAnswered!.resolve()
      const made = ok(await making)
      expect(made.text).toBe(joined.text)
      expect([made, joined].map(({ headers }) => headers.get('idempotency-replayed'))).toEqual([null, 'true'])
    })
  })

  test('an answer of one process is repeated by the others, and another body is refused by all', async () => {
    await withServers(3, async ({ servers }) => {
      const person = await servers[0]!.person()
      const headers = { 'idempotency-key': 'once' }
      const create = (nth: number, name: string) =>
        sendTo(servers[nth]!, person, 'POST', '/api/qr-codes', { body: { name, content: 'x' }, headers })
      const first = ok(await create(0, 'Menu'))
      for (const nth of [1, 2]) expect((await create(nth, 'Menu')).text).toBe(first.text)
      for (const nth of [0, 1, 2]) expect((await create(nth, 'Wine list')).code).toBe(4023)
    })
  })
})
