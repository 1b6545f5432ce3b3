/** Restarting the server in the browser: it ends with a code of its own, if something starts it again. */

import { afterEach, beforeEach, expect, test } from 'bun:test'

import { ADMIN } from '../harness/server.ts'
import { Installation, type RunningCli } from './cli.ts'

let place: Installation
beforeEach(async () => void (place = await Installation.make()))
afterEach(() => place.dispose())

const env = (more: Record<string, string> = {}) => ({
  TESSERA_ADMIN_USERNAME: ADMIN.username,
  TESSERA_ADMIN_PASSWORD: ADMIN.password,
  INVOCATION_ID: '',
  XPC_SERVICE_NAME: '',
  KUBERNETES_SERVICE_HOST: '',
  container: '',
  ...more,
})

interface Answer {
  readonly code: number
  readonly message?: string
  readonly data: { readonly accessToken?: string; readonly supervisor?: string; readonly items?: { action: string }[] }
}

async function signIn({ url }: RunningCli): Promise<(method: string, path: string) => Promise<Answer>> {
  const device = { 'x-device-id': 'device-of-the-restart-test' }
  const login = await fetch(`${url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...device },
    body: JSON.stringify({ account: ADMIN.username, password: ADMIN.password }),
  })
  const { data } = (await login.json()) as Answer
  const headers = { authorization: `Bearer ${data.accessToken!}`, ...device }
  return async (method, path) => (await (await fetch(url + path, { method, headers })).json()) as Answer
}

test('a server in a container ends with exit code 75, and the next start knows who restarted it', async () => {
  const server = await place.serve([], { env: env({ container: 'podman' }) })
  const call = await signIn(server)
  const { code, data } = await call('POST', '/api/admin/server/restart')
  expect([code, data.supervisor]).toEqual([200, 'CONTAINER'])
  expect(await server.ended()).toBe(75)

  const next = await place.serve([], { env: env({ container: 'podman' }) })
  const { data: log } = await (await signIn(next))('GET', '/api/admin/logs?action=SERVER_RESTART')
  expect(log.items!.map(({ action }) => action)).toEqual(['SERVER_RESTART'])
  expect(await next.end()).toBe(0)
})

test('a server that nothing would start again goes on, and says what to do', async () => {
  const server = await place.serve([], { env: env() })
  const { code, message } = await (await signIn(server))('POST', '/api/admin/server/restart')
  expect([code, message]).toEqual([400, expect.stringContaining('tessera service install')])
  expect((await fetch(`${server.url}/actuator/health`)).status).toBe(200)
  expect(await server.end()).toBe(0)
})
