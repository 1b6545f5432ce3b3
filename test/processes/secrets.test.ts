/** Guesses at the secrets of an account, and operations that check a secret, through several processes. */

import { describe, expect, test } from 'bun:test'

import { allEndpoints } from '#app'
import { stepAt, totp } from '#lib/totp.ts'

import { fromBase32, newDevice, newEmail, otherThan } from '../accounts/helpers.ts'
import { send } from '../harness/client.ts'
import { type Gateways, startGateways } from '../harness/gateways.ts'
import { ok, type Person, race, type TestServer } from '../harness/index.ts'
import { onPostgres, sendTo, withServers } from './several.ts'

type Answer = Promise<{ readonly status: number; readonly code?: number }>

interface Secret {
  /** Status and code of a wrong guess that was compared. */
  readonly refusal: readonly [status: number, code: number]
  readonly wrong: (server: TestServer) => Answer
  readonly right: (server: TestServer) => Answer
}

const signIn = ({ url }: TestServer, { username }: Person, password: string, more: object = {}) =>
  send(url, 'POST', '/api/auth/login', {
    headers: { 'x-device-id': newDevice() },
    body: { account: username, password, ...more },
  })

/** Each kind of secret of which a user, or an account, may be guessed at five times. */
const SECRETS: Readonly<Record<string, (server: TestServer, ann: Person) => Promise<Secret>>> = {
  'passwords of an account': async (_, ann) => ({
    refusal: [401, 401],
    wrong: (at) => signIn(at, ann, 'a guess'),
    right: (at) => signIn(at, ann, ann.password),
  }),
  'second factors': async (server, ann) => {
    const { secret } = ok(await ann.call('auth.startTotp')).data
    const code = ({ clock }: TestServer) => totp(fromBase32(secret), stepAt(clock.now()))
    ok(await ann.call('auth.confirmTotp', { body: { totp: code(server) } }))
    return {
      refusal: [400, 4033],
      wrong: (at) => signIn(at, ann, ann.password, { totp: otherThan(code(at)) }),
      right: (at) => signIn(at, ann, ann.password, { totp: code(at) }),
    }
  },
  'passwords of accounts to be linked': async (server, ann) => {
    const bob = await server.person()
    const link = (at: TestServer, password: string) =>
      sendTo(at, ann, 'POST', '/api/auth/link', { body: { verifyType: 'PASSWORD', linkedUserId: bob.id, password } })
    return { refusal: [400, 400], wrong: (at) => link(at, 'a guess'), right: (at) => link(at, bob.password) }
  },
}

/** Of a mail with a code. */
async function bindCode(gateways: Gateways, server: TestServer, ann: Person) {
  const email = newEmail()
  ok(await sendTo(server, ann, 'POST', '/api/auth/email/bind-code', { body: { email } }))
  const code = await gateways.codeFor(email)
  return (at: TestServer, isRight: boolean) =>
    sendTo(at, ann, 'POST', '/api/auth/email-bind', { body: { email, code: isRight ? code : otherThan(code) } })
}

describe.if(onPostgres)('with three processes', () => {
  test.each(Object.keys(SECRETS))('wrong %s are compared five times, and then right ones are refused', async (name) => {
    await withServers(
      3,
      async ({ servers }) => {
        const ann = await servers[0]!.person()
        const { refusal, wrong, right } = await SECRETS[name]!(servers[0]!, ann)
        const all = await race(18, (nth) => wrong(servers[nth % 3]!))
        const compared = all.filter(({ status }) => status !== 429)
        expect(compared.map(({ status, code }) => [status, code])).toEqual(Array(5).fill(refusal))
        for (const server of servers) {
          expect(await wrong(server)).toMatchObject({ status: 429, code: 4022 })
          expect(await right(server)).toMatchObject({ status: 429, code: 4022 })
        }
      },
      { rateLimit: true },
    )
  })

  test('a code that was sent can be tried five times', async () => {
    const gateways = await startGateways()
    await withServers(
      3,
      async ({ servers }) => {
        const [ann, bob] = [await servers[0]!.person(), await servers[0]!.person()]
        const [ofAnn, ofBob] = [await bindCode(gateways, servers[0]!, ann), await bindCode(gateways, servers[0]!, bob)]
        await race(12, (nth) => ofAnn(servers[nth % 3]!, false))
        for (const server of servers) expect((await ofAnn(server, true)).status).toBe(400)
        for (let nth = 0; nth < 4; nth++) expect((await ofBob(servers[nth % 3]!, false)).status).toBe(400)
        ok(await ofBob(servers[1]!, true))
      },
      gateways.config,
    ).finally(() => gateways.stop())
  })

  test('all operations that check a secret are counted together', async () => {
    await withServers(
      3,
      async ({ servers }) => {
        const ann = await servers[0]!.person()
        for (const { clock } of servers) clock.advance(61_000)
        const operations = allEndpoints.filter(({ checksSecret }) => checksSecret === true)
        expect(operations.length).toBeGreaterThan(25)
        const ask = async (nth: number) => {
          const { method, path } = operations[nth % operations.length]!
          const { url } = servers[nth % 3]!
          const { status } = await send(url, method, path.replaceAll(/:\w+/g, 'x'), {
            token: ann.token,
            deviceId: ann.deviceId,
            ...(method !== 'GET' && { body: {} }),
          })
          return [method, path, status === 429]
        }
        for (let nth = 0; nth < 60; nth++) expect((await ask(nth))[2]).toBe(false)
        for (let nth = 0; nth < operations.length; nth++) {
          const { method, path } = operations[nth % operations.length]!
          expect(await ask(nth)).toEqual([method, path, true])
        }
      },
      { rateLimit: true },
    )
  })
})
