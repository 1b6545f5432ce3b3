/** Two processes that write to the same rows at the same time in opposite orders wait for each other in PostgreSQL. No client notices it. */

import { describe, expect, test } from 'bun:test'

import { issueOne, nonce } from '../activities/gate-helpers.ts'
import { withPasses } from '../activities/pass-helpers.ts'
import { connect, newKey } from '../chat/helpers.ts'
import { ok, type Person, race, type TestServer } from '../harness/index.ts'
import { onPostgres, sendTo, withServers } from './several.ts'

const ROWS = 16
const ROUNDS = 4

/** The first process goes through the rows forwards, the other one backwards, all at once. */
const fromBothEnds = <T>(
  servers: readonly TestServer[],
  write: (at: TestServer, row: number, nth: number) => Promise<T>,
) => race(2 * ROWS, (i) => (i % 2 === 0 ? write(servers[0]!, i / 2, i) : write(servers[1]!, ROWS - (i + 1) / 2, i)))

describe.if(onPostgres)('two processes that write in opposite orders', () => {
  test('answer all messages between the same pairs, the first of which open their conversations', async () => {
    await withServers(2, async ({ servers }) => {
      const people: Person[] = []
      for (let i = 0; i <= ROWS; i++) people.push(await servers[0]!.person())
      for (let i = 0; i < ROWS; i++) await connect(servers[0]!, people[i]!, people[i + 1]!)
      let sent = 0
      for (let round = 0; round < ROUNDS; round++)
        sent += (
          await fromBothEnds(servers, (at, row, nth) => {
            const [from, to] = nth % 2 === 0 ? [people[row]!, people[row + 1]!] : [people[row + 1]!, people[row]!]
            const body = { toUserId: to.id, clientMsgId: newKey(), type: 'TEXT', content: { text: 'hello' } }
            return sendTo(at, from, 'POST', '/api/chats/messages', { body })
          })
        ).map(ok).length
      expect(sent).toBe(2 * ROWS * ROUNDS)
      for (const [i, person] of people.entries())
        expect(ok(await person.get('/api/chats/conversations')).data.total).toBe(i === 0 || i === ROWS ? 1 : 2)
    })
  })

  test('answer all changes of the same codes and uses of the same passes', async () => {
    await withServers(2, async ({ servers }) => {
      const ann = await servers[0]!.person()
      const codes: number[] = []
      for (let i = 0; i < ROWS; i++)
        codes.push(ok(await ann.post('/api/qr-codes', { name: 'x', content: 'x' })).data.id)
      const { id } = await withPasses(ann)
      const passes: string[] = []
      for (let i = 0; i < ROWS; i++) passes.push((await issueOne(ann, id, { maxUses: 100 })).uuid)
      for (let round = 0; round < ROUNDS; round++)
        for (const reply of await fromBothEnds(servers, async (at, row, nth) => {
          const body = { passUuid: passes[row], redeem: true, nonce: nonce() }
          const used = sendTo(at, ann, 'POST', `/api/activities/${id}/pass/verify`, { body })
          const named = sendTo(at, ann, 'PUT', `/api/qr-codes/${codes[row]}`, { body: { name: `${round} ${nth}` } })
          return Promise.all([used, named])
        }))
          for (const { status, text } of reply) expect([status, text]).toEqual([200, text])
      const { items } = ok(await ann.get(`/api/activities/${id}/pass/passes`, { size: 100 })).data
      expect(items.map(({ usedCount }: { usedCount: number }) => usedCount)).toEqual(Array(ROWS).fill(2 * ROUNDS))
      for (const code of codes) expect(ok(await ann.get(`/api/qr-codes/${code}`)).data.version).toBe(1 + 2 * ROUNDS)
    })
  })
})
