/** Clients that hang up, paths in the log, and headers for TLS. */

import { afterEach, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'

import type { Config } from '#config/config.ts'
import type { AppContext } from '#context'
import { endpoint, open } from '#http/endpoint.ts'
import { forbidden } from '#http/errors.ts'
import type { Gatekeeper } from '#http/mount.ts'
import { Type } from '#http/schema.ts'
import { listen, type RunningServer } from '#http/server.ts'
import { createLog } from '#platform/log.ts'

import { send } from '../harness/client.ts'
import { until } from '../harness/until.ts'
import { bareContext } from './context.ts'

const endpoints = [
  endpoint({
    id: 'echo.body',
    method: 'POST',
    path: '/open/echo',
    summary: 'echo',
    tag: 'Operations',
    access: open,
    body: Type.Object({ name: Type.String() }),
    data: Type.Unknown(),
    run: ({ body }) => body,
  }),
  endpoint({
    id: 'devices.remove',
    method: 'DELETE',
    path: '/api/auth/devices/:deviceId',
    summary: 'remove',
    tag: 'Operations',
    access: open,
    params: Type.Object({ deviceId: Type.String() }),
    secrets: ['deviceId'],
    run: () => undefined,
  }),
]
const gates: Gatekeeper = {
  authenticate: () => {
    throw new Error('no operation of this test asks for a token')
  },
  can: () => false,
  refusesUnknownParameters: () => false,
  consoleRefusal: () => undefined,
  isMember: () => false,
  refusalIn: () => forbidden('refused', '拒绝'),
  spend: async () => undefined,
  refusePublisherKey: async () => undefined,
  isAdministrator: () => false,
  loggedActor: () => {
    throw new Error('no operation of this test is logged')
  },
}

let server: RunningServer | undefined
afterEach(() => server?.kill())

function start(config: Partial<Config> = {}): { ctx: AppContext; url: string; lines(): string } {
  let text = ''
  const log = createLog({ level: 'debug', format: 'text', write: (lines) => (text += lines) })
  const ctx = { ...bareContext(config), log }
  server = listen(endpoints, ctx, gates)
  return {
    ctx,
    url: server.url,
    lines() {
      log.flush()
      return text
    },
  }
}

describe('a client that hangs up during its body', () => {
  test.each([
    ['with a length', 'content-length: 100\r\n\r\n{"name":'],
    ['in chunks', 'transfer-encoding: chunked\r\n\r\n8\r\n{"name":\r\n'],
  ])('%s causes no error in the log and no 5xx in the metrics', async (_, rest) => {
    const { ctx, url, lines } = start()
    const { hostname, port } = new URL(url)
    const counted = (): string[] =>
      ctx.metrics.render().match(/requests_total\{endpoint="echo\.body",status="\d+"\} \d+/g) ?? []
    for (let i = 0; i < 3; i++) {
      const socket = connect(Number(port), hostname)
      await new Promise<void>((sent) =>
        socket.write(`POST /open/echo HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${rest}`, () => sent()),
      )
      // Requests that arrive later are answered after the first part was read.
      for (let n = 0; n < 3; n++) await send(url, 'POST', '/open/echo', { body: { name: 'a' } })
      socket.destroy()
    }
    const refused = (): boolean => counted().some((line) => line.endsWith('status="400"} 3'))
    await until(refused)
    expect(counted().toSorted()).toEqual([
      'requests_total{endpoint="echo.body",status="200"} 9',
      'requests_total{endpoint="echo.body",status="400"} 3',
    ])
    expect(lines()).not.toContain('ERROR')
  })
})

test('a device id in a path is not logged, however the path is spelt', async () => {
  const { url, lines } = start()
  const id = 'secret-device-0123456789'
  const spellings = [
    `/api/auth/devices/${id}`,
    `/api/auth/devices/${id}/`,
    `//api/auth/devices/${id}`,
    `/api//auth/devices/${id}`,
    `/api/%61uth/devices/${id}`,
    `/api/%2561uth/devices/${id}`,
    `/API/auth/Devices/${id}`,
    `/v1/api/auth/devices/${id}`,
    `/auth/devices/${id}`,
    `/${id}`,
    `/api/auth/devices/${encodeURIComponent(id).replaceAll('s', '%73')}`,
  ]
  const { hostname, port } = new URL(url)
  for (const path of spellings) {
    // Not by `fetch`, which would normalize the path.
    const socket = connect(Number(port), hostname)
    const ended = new Promise((resolve) => socket.on('close', resolve))
    socket.on('data', () => socket.end())
    socket.write(`DELETE ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
    await ended
  }
  const text = lines()
  expect(text.trimEnd().split('\n')).toHaveLength(spellings.length)
  expect(text).not.toContain(id)
  expect(text).not.toContain('0123456789')
  expect(text).toContain('DELETE /api/auth/devices/*** 200')
  // Enough to recognize a mistake.
  expect(text).toContain('/auth/devices/… 404')
})

describe('the public address', () => {
  const NAMES = ['strict-transport-security', 'cross-origin-opener-policy']
  const headersOf = async (url: string, method: string, path: string, accept: string): Promise<(string | null)[]> => {
    const { headers } = await send(url, method, path, {
      body: method === 'POST' ? { name: 'a' } : undefined,
      headers: { accept },
    })
    return NAMES.map((name) => headers.get(name))
  }

  test('with TLS, every answer asks browsers for TLS, and pages keep other windows away', async () => {
    const { url } = start({ publicUrl: 'https://qr.example.org' })
    for (const path of ['/open/echo', '/missing'])
      expect(await headersOf(url, 'POST', path, '*/*')).toEqual(['max-age=31536000', null])
    expect(await headersOf(url, 'GET', '/missing', 'text/html')).toEqual(['max-age=31536000', 'same-origin'])
  })

  test('without TLS, no answer has headers that browsers ignore then', async () => {
    const { url } = start({ publicUrl: 'http://localhost:8080' })
    for (const path of ['/open/echo', '/missing'])
      expect(await headersOf(url, 'POST', path, '*/*')).toEqual([null, null])
    expect(await headersOf(url, 'GET', '/missing', 'text/html')).toEqual([null, null])
  })
})
