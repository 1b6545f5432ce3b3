/** The keys that sign passes: the first one, and the operation that publishes them. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'

import { activities } from '#domains/activities/index.ts'
import { decodeToken, encodeToken } from '#domains/activities/pass-keys/pass-keys.rules.ts'
import { currentKey, signAll, verifyToken } from '#domains/activities/pass-keys/pass-keys.service.ts'
import { DAY } from '#platform/clock.ts'

import { send } from '../harness/client.ts'
import { inProcess, ok, race, useServer } from '../harness/index.ts'
import { Installation, onPostgres, type RunningCli } from '../ops/cli.ts'

const { server, alice } = useServer({ people: ['alice'] })

const keysOf = async (id: number) => ok(await server.call('passes.keys', { params: { id } })).data.keys

test('50 requests at once for the first key get one and the same key', async () => {
  const answers = await race(50, () => keysOf(1))
  expect(new Set(answers.map((keys) => JSON.stringify(keys))).size).toBe(1)
  expect(answers[0]).toEqual([
    {
      keyId: 1,
      algorithm: 'Ed25519',
      publicKey: expect.stringMatching(/^[\w-]{43}$/),
      createdAt: expect.any(Number),
      retiredAt: null,
    },
  ])
})

test('GET /api/activities/:id/pass/keys answers the same for every id, signed in or not', async () => {
  const keys = await keysOf(1)
  expect(await keysOf(9_007_199_254_740_991)).toEqual(keys)
  expect(ok(await alice.call('passes.keys', { params: { id: 2 } })).data.keys).toEqual(keys)
  expect((await server.request('GET', '/api/activities/0/pass/keys')).status).toBe(400)
})

const publicKeyOf = (key: string) =>
  crypto.subtle.importKey('jwk', { kty: 'OKP', crv: 'Ed25519', x: key }, 'Ed25519', false, ['verify'])

test.if(inProcess)('Signatures of the server are verified with the published key', async () => {
  const text = 'tessera revocations v1\n{}'
  const { keyId, signatures } = await signAll(server.ctx, [text, 'another'])
  const published = (await keysOf(1)).find((key) => key.keyId === keyId)!
  const verified = (of: Uint8Array<ArrayBuffer>) =>
    publicKeyOf(published.publicKey).then((key) =>
      crypto.subtle.verify('Ed25519', key, Buffer.from(signatures[0]!, 'base64url'), of),
    )
  expect([await verified(Buffer.from(text)), await verified(Buffer.from('other'))]).toEqual([true, false])
})

const payload = { uuid: crypto.randomUUID(), activityId: 1, validFrom: null, validTo: null }

test.if(inProcess)('Tokens of unknown keys are refused', async () => {
  const key = await currentKey(server.ctx)
  const tokenOf = (keyId: number) => decodeToken(encodeToken({ ...payload, keyId }, (bytes) => key.sign(bytes)))!
  expect(await verifyToken(server.ctx, tokenOf(key.id))).toBe(true)
  expect([await verifyToken(server.ctx, tokenOf(0)), await verifyToken(server.ctx, tokenOf(99))]).toEqual([
    false,
    false,
  ])
})

test.if(inProcess)(
  'The daily job replaces a key after a year, and passes signed with the old key are still verified',
  async () => {
    const rotate = activities.jobs.find((job) => job.name === 'passes.rotateKey')!
    const [first] = await keysOf(1)
    const old = await currentKey(server.ctx)
    const token = decodeToken(encodeToken({ ...payload, keyId: old.id }, (bytes) => old.sign(bytes)))!
    server.clock.advance(364 * DAY)
    await rotate.run(server.ctx)
    expect(await keysOf(1)).toEqual([first!])
    server.clock.advance(2 * DAY)
    await rotate.run(server.ctx)
    await rotate.run(server.ctx)
    const keys = await keysOf(1)
    const { createdAt, publicKey } = keys[1]!
    expect(keys).toEqual([
      { ...first!, retiredAt: expect.any(Number) },
      { ...first!, keyId: 2, publicKey, createdAt },
    ])
    expect(publicKey).not.toBe(first!.publicKey)
    expect(keys[0]!.retiredAt).toBeWithin(first!.createdAt + 365 * DAY, createdAt + 1)
    expect((await currentKey(server.ctx)).id).toBe(2)
    expect(await verifyToken(server.ctx, token)).toBe(true)
  },
)

describe('An installation', () => {
  let place: Installation
  beforeEach(async () => {
    place = await Installation.make()
  })
  afterEach(() => place.dispose())

  interface Key {
    keyId: number
    publicKey: string
    retiredAt: number | null
  }
  const keysAt = async (server: RunningCli): Promise<Key[]> =>
    (await send(server.url, 'GET', '/api/activities/1/pass/keys')).data.keys

  test('gets a new key by tessera rotate-pass-key while the server runs, and keeps the old one', async () => {
    // The databases of the tests on PostgreSQL have their tables already.
    if (!onPostgres) expect((await place.run(['rotate-pass-key'])).stderr).toContain('There is no database')
    const server = await place.serve()
    expect((await place.run(['rotate-pass-key'])).stdout).toStartWith('There is no key to retire')
    const [first] = await keysAt(server)
    const { code, stdout, stderr } = await place.run(['rotate-pass-key'])
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toStartWith('Retired pass key 1.')
    const keys = await keysAt(server)
    expect(keys).toMatchObject([
      { ...first!, retiredAt: expect.any(Number) },
      { keyId: 2, retiredAt: null },
    ])
    expect(await keysAt(server)).toEqual(keys)
    await server.end()
    const again = await place.serve()
    expect(await keysAt(again)).toEqual(keys)
  })

  test('signs with a new key if its secret has changed, and with the old one when the secret is back', async () => {
    const secrets = ['first secret with 32 characters!!', 'second secret with 32 characters!']
    const startWith = (secret: string) => place.serve([], { env: { TESSERA_SECRET: secret } })
    const first = await startWith(secrets[0]!)
    const before = await keysAt(first)
    expect(before).toHaveLength(1)
    await first.end()
    const second = await startWith(secrets[1]!)
    const after = await keysAt(second)
    expect(after).toMatchObject([before[0]!, { keyId: 2, retiredAt: null }])
    await second.end()
    const third = await startWith(secrets[0]!)
    expect(await keysAt(third)).toEqual(after)
  })

  test.if(!onPostgres)('keeps its keys in a backup, also on another machine', async () => {
    const server = await place.serve()
    const keys = await keysAt(server)
    await server.end()
    const file = join(place.home, 'copy.tar.zst')
    expect((await place.run(['backup', file])).code).toBe(0)
    rmSync(place.dataDir, { recursive: true })
    expect((await place.run(['restore', file])).code).toBe(0)
    const restored = await place.serve()
    // A key that could not be opened would have been followed by another.
    expect(await keysAt(restored)).toEqual(keys)
  })
})
