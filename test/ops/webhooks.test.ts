/** Events of a server that is killed before it has sent them, and of one that was restored from a backup. */

import { afterEach, beforeEach, expect, test } from 'bun:test'
import { join } from 'node:path'

import { send } from '../harness/client.ts'
import { type Receiver, startReceiver } from '../webhooks/receiver.ts'
import { Installation, onPostgres, type RunningCli } from './cli.ts'

let place: Installation
let receiver: Receiver
beforeEach(async () => {
  place = await Installation.make()
  receiver = startReceiver()
})
afterEach(async () => {
  await receiver.stop()
  await place.dispose()
})

const serve = () => place.serve([], { env: { TESSERA_LOG_LEVEL: 'error', TESSERA_PRIVATE_TARGETS: receiver.origin } })

const device = { 'x-device-id': 'device-of-anna-long-enough' }

/** Anna on a server: each call answers with its data. */
async function anna({ url }: RunningCli, path: 'register' | 'login') {
  const password = 'a password of a client'
  const body = path === 'register' ? { username: 'anna', password } : { account: 'anna', password }
  const { data } = await send(url, 'POST', `/api/auth/${path}`, { headers: device, body })
  const headers = { ...device, authorization: `Bearer ${data.accessToken}` }
  return async (method: 'GET' | 'POST' | 'PUT', to: string, content?: object) => {
    const reply = await send(url, method, to, { headers, ...(content && { body: content }) })
    if (reply.status !== 200) throw new Error(`${reply.status} ${reply.text}`)
    return reply.data
  }
}
type Anna = Awaited<ReturnType<typeof anna>>

/** A webhook for new assets. Its first requests are never answered, so that the others wait. */
async function stuckHook(person: Anna) {
  const orgId = (await person('POST', '/api/orgs', { name: 'Library' })).id as number
  const url = receiver.newUrl()
  receiver.answer(url, () => new Promise(() => undefined))
  const hook = { name: 'ERP', url, events: ['asset.created'], orgId }
  const { id } = await person('POST', '/api/webhooks', hook)
  for (let i = 0; i < 5; i++) await person('POST', '/api/assets', { name: `asset ${i}`, orgId })
  await receiver.next(url)
  return { id: id as number, url, orgId }
}

/** An event whose write was committed a moment before the end of the server. */
async function leaveUnnumbered(webhookId: number): Promise<void> {
  const sql = new Bun.SQL(onPostgres ? place.databaseUrl : `sqlite://${join(place.dataDir, 'tessera.db')}`)
  const body = JSON.stringify({ type: 'asset.created', data: { name: 'unnumbered' } })
  await sql`INSERT INTO webhook_outbox (webhook_id, event_id, event, body, created_at)
    VALUES (${webhookId}, 'unnumbered', 'asset.created', ${body}, ${Date.now()})`
  await sql.close()
}

async function end(server: RunningCli, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  server.child.kill(signal)
  await server.child.exited
}

test('A server that is killed between the write of events and their sending sends them after its start', async () => {
  const server = await serve()
  const { url } = await stuckHook(await anna(server, 'register'))
  await end(server, 'SIGKILL')
  receiver.answer(url, () => new Response('ok'))
  const before = receiver.at(url).length
  const again = await serve()
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
  await end(again, 'SIGTERM')
})

test('A restored server sends nothing until its owner switches the webhook on, and then no event from before', async () => {
  const server = await serve()
  const maker = await anna(server, 'register')
  const { id, url, orgId } = await stuckHook(maker)
  while ((await maker('GET', `/api/webhooks/${id}`)).pending < 5) await Bun.sleep(50)
  await end(server, 'SIGKILL')
  await leaveUnnumbered(id)
  const archive = join(place.home, 'backup.tar.zst')
  expect(await place.run(['backup', archive])).toMatchObject({ code: 0 })
  if (onPostgres) await place.newDatabase()
  expect(await place.run(['restore', archive])).toMatchObject({ code: 0 })
  receiver.answer(url, () => new Response('ok'))
  const before = receiver.at(url).length
  const restored = await serve()
  const person = await anna(restored, 'login')
  const shown = await person('GET', `/api/webhooks/${id}`)
  expect(shown).toMatchObject({ enabled: false, disabledReason: 'OWNER', pending: 0 })
  expect((await person('GET', `/api/webhooks/${id}/deliveries?status=PENDING`)).total).toBe(0)
  await person('POST', '/api/assets', { name: 'while it is off', orgId })
  await person('PUT', `/api/webhooks/${id}`, { enabled: true })
  await person('POST', '/api/assets', { name: 'afterwards', orgId })
  const [first] = (await receiver.next(url, before + 1)).slice(before)
  expect(first!.event.data.name).toBe('afterwards')
  // The numbers go on: the receiver has seen those of events that were dropped.
  expect(first!.event.sequence).toBe(6)
  await end(restored, 'SIGTERM')
  expect(receiver.at(url)).toHaveLength(before + 1)
})
