/** What a person is told about a carrier's token. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { cityOf, resolveOneClickToken } from '#domains/delivery/index.ts'
import { AppError } from '#http/errors.ts'

import { type Gateways, inProcess, startGateways, startServer, type TestServer } from '../harness/index.ts'
import { makeXdb } from '../platform/xdb-file.ts'

const scratch = mkdtempSync(join(tmpdir(), 'tessera-cities-'))
afterAll(() => rmSync(scratch, { recursive: true }))

async function refusal(promise: Promise<unknown>): Promise<AppError> {
  const error: unknown = await promise.then(
    () => undefined,
    (e: unknown) => e,
  )
  expect(error).toBeInstanceOf(AppError)
  return error as AppError
}

describe.if(inProcess)('a one-click token', () => {
  let gateways: Gateways
  let server: TestServer
  beforeAll(async () => {
    gateways = await startGateways()
    server = await startServer({ config: gateways.config })
  })
  afterAll(async () => {
    await server.stop()
    await gateways.stop()
  })

  test.each([
    ['+8613800138000', '+8613800138000'],
    ['13800138000', '+8613800138000'],
    ['+4915112345678', '+4915112345678'],
  ])('that stands for %s gives %s', async (given, phone) => {
    gateways.tokens.set('good', given)
    expect(await resolveOneClickToken(server.ctx, 'good')).toBe(phone)
    expect(gateways.forged).toBe(0)
  })

  test('that the gateway refuses is a 400 in both languages', async () => {
    const error = await refusal(resolveOneClickToken(server.ctx, 'made up'))
    expect([error.status, error.code]).toEqual([400, 400])
    expect(error.text.en).toContain('invalid')
    expect(error.text.zh).toContain('无效')
    // What the gateway said is for the log.
    expect(error.text.en + error.text.zh).not.toContain('refused')
  })

  test.each(['', 'x'.repeat(5000)])('that is none is not even asked for: %#', async (token) => {
    expect((await refusal(resolveOneClickToken(server.ctx, token))).status).toBe(400)
  })

  test.each([
    ['fails', 500],
    ['does not know us', 401],
    ['answers with no number', 'not a number'],
    ['answers with a number too many', '+8613800138000,+8613900139000'],
  ])('when the gateway %s is a 503 and no number', async (_, answer) => {
    gateways.tokens.set('bad', answer)
    const error = await refusal(resolveOneClickToken(server.ctx, 'bad'))
    expect(error.status).toBe(503)
    expect(error.extras.retryAfter).toBeGreaterThan(0)
  })

  test('is refused while nothing is configured', async () => {
    const bare = await startServer()
    try {
      expect((await refusal(resolveOneClickToken(bare.ctx, 'good'))).status).toBe(400)
    } finally {
      await bare.stop()
    }
  })
})

describe.if(inProcess)('the city of an address', () => {
  test('from the configured database', async () => {
    const path = join(scratch, 'v4.xdb')
    const region = '中国|广东省|深圳市|电信|CN'
    writeFileSync(path, makeXdb(4, 3, [{ first: '113.92.0.0', last: '113.92.255.255', region }]))
    const server = await startServer({ config: { geoipFile: [path] } })
    try {
      expect(cityOf(server.ctx, '113.92.3.4')).toBe('深圳市')
      expect(cityOf(server.ctx, '9.9.9.9')).toBe('')
    } finally {
      await server.stop()
    }
  })

  test('is empty without one', async () => {
    const server = await startServer()
    try {
      expect(cityOf(server.ctx, '113.92.3.4')).toBe('')
    } finally {
      await server.stop()
    }
  })

  test('a database that cannot be used stops the start', () => {
    expect(startServer({ config: { geoipFile: ['/missing.xdb'] } })).rejects.toThrow('there is no such file')
  })
})
