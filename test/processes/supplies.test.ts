/** Several processes book movements of one supply at the same time. */

import { expect, test } from 'bun:test'

import { ok } from '../harness/client.ts'
import { race } from '../harness/index.ts'
import { onPostgres, sendTo, withServers } from './several.ts'

test.if(onPostgres)(
  'three processes together hand out no more than there are, and book a repeated request once',
  async () => {
    await withServers(3, async ({ servers }) => {
      const user = await servers[0]!.person()
      const of = (i: number) => servers[i % servers.length]!
      const supply = ok(await sendTo(of(0), user, 'POST', '/api/supplies', { body: { name: 'Toner' } })).data
      const path = `/api/supplies/${supply.id}/movements`
      const move = (i: number, body: object) => sendTo(of(i), user, 'POST', path, { body })
      ok(await move(1, { type: 'IN', quantity: 5 }))
      const replies = await race(20, (i) => move(i, { type: 'TAKE', quantity: 1 }))
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(5)
      expect(replies.filter(({ status }) => status === 400)).toHaveLength(15)
      const requestId = crypto.randomUUID()
      const again = await race(9, (i) => move(i, { type: 'IN', quantity: 2, requestId }))
      expect(new Set(again.map((reply) => ok(reply).data.id)).size).toBe(1)
      const reversed = await race(9, (i) =>
        sendTo(of(i), user, 'POST', `/api/supplies/movements/${again[0]!.data.id}/reverse`, { body: {} }),
      )
      expect(new Set(reversed.map((reply) => ok(reply).data.id)).size).toBe(1)
      for (const server of servers)
        expect(ok(await sendTo(server, user, 'GET', `/api/supplies/${supply.id}`)).data.stock).toBe(0)
    })
  },
)
