/** Requests that need files while these cannot be stored or read. */

import { afterAll, beforeAll, expect, test } from 'bun:test'

import { endpoint, open } from '#http/endpoint.ts'
import type { Gatekeeper } from '#http/mount.ts'
import { Text } from '#http/schema.ts'
import { listen, type RunningServer } from '#http/server.ts'
import { createLog } from '#platform/log.ts'

import { send } from '../harness/client.ts'
import { bareContext } from './context.ts'

const endpoints = [
  endpoint({
    id: 'files.touch',
    method: 'GET',
    path: '/file',
    summary: 'Read a file',
    tag: 'Operations',
    access: open,
    data: Text('found'),
    run: async ({ ctx }) => ((await ctx.blobs.read('aa/x')) ? 'found' : 'missing'),
  }),
]

const never = (): never => {
  throw new Error('no operation of this test asks')
}
const gates: Gatekeeper = {
  authenticate: never,
  refusePublisherKey: never,
  can: never,
  refusesUnknownParameters: () => false,
  consoleRefusal: never,
  isMember: never,
  refusalIn: never,
  spend: never,
  isAdministrator: never,
  loggedActor: never,
}

const lines: string[] = []
// Nothing listens on port 9.
const storageUrl = 's3://KEY:hunter2@127.0.0.1:9/files?tls=off'
const ctx = {
  ...bareContext({ host: '127.0.0.1', storageUrl }),
  log: createLog({ level: 'error', format: 'json', write: (text) => void lines.push(text) }),
}
let server: RunningServer
beforeAll(() => {
  server = listen(endpoints, ctx, gates)
})
afterAll(() => server.kill())

test('a store of files that fails is answered with 503, counted and logged without a stack or the secret', async () => {
  const { status, code, message, headers } = await send(server.url, 'GET', '/file')
  expect(status).toBe(503)
  expect([code, message]).toEqual([503, 'The server cannot store or read files at the moment'])
  expect(headers.get('retry-after')).toBe('30')
  expect(ctx.metrics.render()).toContain('tessera_file_failures_total{kind="unreachable"} 1')
  ctx.log.flush()
  const logged = lines.join('')
  expect(logged.trim().split('\n')).toHaveLength(1)
  expect(JSON.parse(logged)).toMatchObject({
    level: 'error',
    message: 'files cannot be stored or read',
    kind: 'unreachable',
    endpoint: 'files.touch',
    reason: expect.stringContaining('The bucket files at 127.0.0.1:9 cannot be reached'),
  })
  expect(logged).not.toContain('hunter2')
  expect(logged).not.toContain('stack')
})
