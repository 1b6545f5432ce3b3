/** Events of a server that is killed before it has sent them. */

import { afterEach, beforeEach, expect, test } from 'bun:test'

import { send } from '../harness/client.ts'
import { startReceiver } from '../webhooks/receiver.ts'
import { Installation } from './cli.ts'

let place: Installation
beforeEach(async () => {
  place = await Installation.make()
})
afterEach(() => place.dispose())

test('A server that is killed between the write of events and their sending sends them after its start', async () => {
  const receiver = startReceiver()
  const env = { TESSERA_LOG_LEVEL: 'error', TESSERA_PRIVATE_TARGETS: receiver.origin }
  try {
    const server = await place.serve([], { env })
    const headers = { 'x-device-id': 'device-of-anna-long-enough' }
    const body = { username: 'anna', password: 'a password of a client' }
    const { data } = await send(server.url, 'POST', '/api/auth/register', { headers, body })
    const post = (path: string, content: object) =>
      send(server.url, 'POST', path, {
        headers: { ...headers, authorization: `Bearer ${data.accessToken}` },
        body: content,
      })
    const orgId = (await post('/api/orgs', { name: 'Library' })).data.id
    const url = receiver.newUrl()
    // The first requests are never answered, so the others wait.
    receiver.answer(url, () => new Promise(() => undefined))
    const hook = { name: 'ERP', url, events: ['asset.created'], orgId }
    expect((await post('/api/webhooks', hook)).status).toBe(200)
    for (let i = 0; i < 5; i++) expect((await post('/api/assets', { name: `asset ${i}`, orgId })).status).toBe(200)
    await receiver.next(url)
    server.child.kill('SIGKILL')
    await server.child.exited
    receiver.answer(url, () => new Response('ok'))
    const before = receiver.at(url).length
    const again = await place.serve([], { env })
    const names = () =>
      new Set(
        receiver
          .at(url)
          .slice(before)
          .map(({ event }) => event.data.name as string),
      )
    await receiver.next(url, 5, ({ event }) => event.sequence > 0 && receiver.at(url).length > before)
    while (names().size < 5) await Bun.sleep(50)
    expect([...names()].toSorted()).toEqual([0, 1, 2, 3, 4].map((i) => `asset ${i}`))
    again.child.kill('SIGTERM')
    await again.child.exited
  } finally {
    await receiver.stop()
  }
})
