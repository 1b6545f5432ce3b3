/** With port 0 the system chooses a port: every address that the server makes contains that one. */

import { afterEach, beforeEach, expect, test } from 'bun:test'

import { ok, send } from '../harness/client.ts'
import { Installation, type RunningCli } from './cli.ts'

let place: Installation
beforeEach(async () => {
  place = await Installation.make()
})
afterEach(() => place.dispose())

/** Every address of the server itself in the answers that contain most of them: files, upload tickets, codes, organizations, assets, the API document. */
async function addressesOf(server: RunningCli): Promise<string[]> {
  const device = { 'x-device-id': 'device-of-ann-long-enough' }
  const body = { username: 'ann', password: 'a password of somebody' }
  const { data } = ok(await send(server.url, 'POST', '/api/auth/register', { headers: device, body }))
  const headers = { ...device, authorization: `Bearer ${data.accessToken}` }
  const post = async (path: string, content: unknown) =>
    ok(await send(server.url, 'POST', path, { headers, body: content })).data
  const form = new FormData()
  form.set('file', new File(['a note'], 'note.txt'))
  const file = await post('/api/files/upload', form)
  const ticket = await post('/api/files/sts-token', { name: 'note.txt', size: 6 })
  const code = await post('/api/qr-codes', { name: 'Door', content: 'https://example.org' })
  const org = await post('/api/orgs', { name: 'Club' })
  const asset = await post('/api/assets', { name: 'Drill' })
  const joining = ok(await send(server.url, 'GET', `/api/orgs/${org.id}/qrcode`, { headers })).data
  const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as { servers: unknown }
  const text = JSON.stringify([file, ticket, code, asset, joining, document.servers])
  expect([file.url, ticket.url, asset.qrContent, joining.imageUrl].filter((url) => typeof url !== 'string')).toEqual([])
  return [...text.matchAll(/https?:\/\/[^/"]+/g)].map(([origin]) => origin).filter((o) => o !== 'https://example.org')
}

test('with port 0 every address contains the port that was chosen', async () => {
  const server = await place.serve()
  const { port } = new URL(server.url)
  const addresses = await addressesOf(server)
  expect(addresses.length).toBeGreaterThan(5)
  expect(new Set(addresses)).toEqual(new Set([`http://localhost:${port}`]))
  await server.end()
})

test('with port 0 a public address that is configured stays as it is', async () => {
  const server = await place.serve([], { env: { TESSERA_PUBLIC_URL: 'https://qr.example.net' } })
  expect(new Set(await addressesOf(server))).toEqual(new Set(['https://qr.example.net']))
  await server.end()
})
