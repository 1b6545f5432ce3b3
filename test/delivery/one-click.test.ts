/** Results of one-click sign-in tokens, and cities of IP addresses. */

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

describe.if(inProcess)('resolveOneClickToken', () => {
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
  ])('resolves the gateway’s answer %s to %s', async (given, phone) => {
    gateways.tokens.set('good', given)
    expect(await resolveOneClickToken(server.ctx, 'good')).toBe(phone)
    expect(gateways.forged).toBe(0)
  })

  test('throws 400 in both languages for a token that the gateway refuses', async () => {
    const error = await refusal(resolveOneClickToken(server.ctx, 'made up'))
    expect([error.status, error.code]).toEqual([400, 400])
    expect(error.text.en).toContain('invalid')
    expect(error.text.zh).toContain('无效')
    // The gateway's own text is only logged.
    expect(error.text.en + error.text.zh).not.toContain('refused')
  })

  test.each([
    ['an empty token', ''],
    ['a token of 5,000 characters', 'x'.repeat(5000)],
  ])('throws 400 for %s without asking the gateway', async (_, token) => {
    // The gateway would accept it.
    gateways.tokens.set(token, '+8613800138000')
    expect((await refusal(resolveOneClickToken(server.ctx, token))).status).toBe(400)
  })

  test.each([
    ['fails', 500],
    ['rejects our credentials', 401],
    ['answers without a phone number', 'not a number'],
    ['answers with two phone numbers', '+8613800138000,+8613900139000'],
  ])('throws 503 if the gateway %s', async (_, answer) => {
    gateways.tokens.set('bad', answer)
    const error = await refusal(resolveOneClickToken(server.ctx, 'bad'))
    expect(error.status).toBe(503)
    expect(error.extras.retryAfter).toBeGreaterThan(0)
  })

  test('throws 400 if no gateway is configured', async () => {
    await using bare = await startServer()
    expect((await refusal(resolveOneClickToken(bare.ctx, 'good'))).status).toBe(400)
  })
})

describe.if(inProcess)('cityOf', () => {
  test('returns the city from the configured database and an empty text for unknown addresses', async () => {
    const path = join(scratch, 'v4.xdb')
    const region = '中国|广东省|深圳市|电信|CN'
    writeFileSync(path, makeXdb(4, 3, [{ first: '113.92.0.0', last: '113.92.255.255', region }]))
    await using server = await startServer({ config: { geoipFile: [path] } })
    expect(cityOf(server.ctx, '113.92.3.4')).toBe('深圳市')
    expect(cityOf(server.ctx, '9.9.9.9')).toBe('')
  })

  test('returns an empty text without a database', async () => {
    await using server = await startServer()
    expect(cityOf(server.ctx, '113.92.3.4')).toBe('')
  })

  test('is not reached with an unusable database, because the start is refused', async () => {
    await expect(startServer({ config: { geoipFile: ['/missing.xdb'] } })).rejects.toThrow('there is no such file')
  })
})
