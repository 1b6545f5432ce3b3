/** Gates without an account at several processes: their limits are exact, and an end acts with the next request to any of them. */

import { describe, expect, test } from 'bun:test'

import { issueOne } from '../activities/gate-helpers.ts'
import { createGate, deviceAt, openGate, scan, secretOf } from '../activities/gate-link-helpers.ts'
import { withPasses } from '../activities/pass-helpers.ts'
import { ok, race, type TestServer } from '../harness/index.ts'
import { onPostgres, sendTo, withServers } from './several.ts'

describe.if(onPostgres)('with three processes', () => {
  test('a gate has exactly as many devices as it may, and a pass is let in once', async () => {
    await withServers(3, async ({ servers }) => {
      const owner = await servers[0]!.person()
      const { id } = await withPasses(owner)
      const gate = await createGate(owner, id)
      const opened = await race(20, (i) => openGate(servers[i % 3]!, secretOf(gate)))
      expect(opened.filter(({ status }) => status === 200)).toHaveLength(5)
      expect(opened.filter(({ status }) => status === 403)).toHaveLength(15)
      const tokens = opened.filter(({ status }) => status === 200).map(({ data }) => data.token as string)
      const pass = await issueOne(owner, id)
      const body = { passUuid: pass.uuid, redeem: true }
      const scans = await race(30, (i) =>
        servers[i % 3]!.request('POST', '/public/gate/verify', { token: tokens[i % 5]!, body }),
      )
      expect(scans.map((reply) => ok(reply).data).filter(({ valid }) => valid)).toHaveLength(1)
      const { items } = ok(await sendTo(servers[1]!, owner, 'GET', `/api/activities/${id}/gates`)).data
      expect(items[0].admitted).toBe(1)
      expect(items[0].devices.reduce((sum: number, { refused }: { refused: number }) => sum + refused, 0)).toBe(29)
    })
  })

  test('DELETE, renew, expiry and CANCELLED end the tokens at the other processes with the next request', async () => {
    await withServers(2, async ({ servers }) => {
      const [first, second] = servers as [TestServer, TestServer]
      const owner = await first.person()
      for (const end of ['DELETE', 'renew', 'expiry', 'CANCELLED'] as const) {
        const { id } = await withPasses(owner)
        const gate = await createGate(owner, id)
        const device = await deviceAt(second, gate)
        const pass = await issueOne(owner, id)
        ok(await scan(device, { passUuid: pass.uuid }))
        const path = `/api/activities/${id}/gates/${gate.id}`
        if (end === 'DELETE') ok(await sendTo(first, owner, 'DELETE', path))
        if (end === 'renew') ok(await sendTo(first, owner, 'POST', `${path}/renew`))
        if (end === 'CANCELLED')
          ok(await sendTo(first, owner, 'PATCH', `/api/activities/${id}/status`, { body: { status: 'CANCELLED' } }))
        if (end === 'expiry') {
          // The clock of the second process is seconds ahead.
          const expiresAt = second.clock.now() - 1000
          ok(await sendTo(first, owner, 'PUT', path, { body: { expiresAt } }))
        }
        expect(`${end} ${(await device.send('GET', '/public/gate')).status}`).toBe(`${end} 401`)
        expect(`${end} ${(await scan(device, { passUuid: pass.uuid })).status}`).toBe(`${end} 401`)
      }
    })
  })
})
