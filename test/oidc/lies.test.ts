/** Providers that lie: what they say opens no account. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'

import { SignJWT, UnsecuredJWT } from 'jose'

import { newEmail, useWorld } from '../accounts/helpers.ts'
import { ok } from '../harness/index.ts'
import { addProvider, Browser, CLIENT, type Facts, type Liar, problemOf, startLiar } from './helpers.ts'

const liars: Liar[] = [await startLiar(), await startLiar()]
const [liar, other] = liars as [Liar, Liar]
const world = useWorld({ config: { privateTargets: liars.map(({ issuer }) => issuer) } })
afterAll(async () => {
  for (const one of liars) await one.stop()
})

let id = 0
beforeAll(async () => {
  const admin = await world.server.admin()
  id = (await addProvider(admin, 'liar', liar.issuer, { createAccounts: true, linkByEmail: true })).id
  await addProvider(admin, 'other', other.issuer, { createAccounts: true })
})
beforeEach(() => {
  Object.assign(liar, { claims: { sub: crypto.randomUUID() }, metadata: {}, forge: undefined, answer: {} })
})

const countUsers = async () => ok(await (await world.server.admin()).get('/api/admin/users')).data.total as number
const start = () => new Browser(world.server).start('liar')

describe('a sign-in fails, and makes no account,', () => {
  const claims: [string, Facts][] = [
    ['with another nonce', { nonce: 'another' }],
    ['without a nonce', { nonce: undefined }],
    ['for another client', { aud: 'another' }],
    ['for several clients without an authorized party', { aud: [CLIENT.clientId, 'another'] }],
    ['with another authorized party', { azp: 'another' }],
    ['by another issuer', { iss: 'https://id.example.org' }],
    ['by the issuer of another provider', { iss: other.issuer }],
    ['after its end', { exp: Math.floor(Date.now() / 1000) - 120 }],
    ['with a token from the future', { iat: Math.floor(Date.now() / 1000) + 120 }],
    ['without an end', { exp: undefined }],
    ['without a subject', { sub: undefined }],
    ['with a subject that is too long', { sub: 'x'.repeat(300) }],
    ['with a subject that is a number', { sub: 5 }],
  ]
  test.each(claims)('%s', async (_name, wrong) => {
    const before = await countUsers()
    liar.claims = { ...liar.claims, ...wrong }
    // JSON has no undefined.
    liar.forge = (payload, sign) =>
      sign(Object.fromEntries(Object.entries(payload).filter(([key]) => !(key in wrong && wrong[key] === undefined))))
    expect(problemOf(await start())).toBe('failed')
    expect(await countUsers()).toBe(before)
  })

  const forgeries: [string, NonNullable<Liar['forge']>][] = [
    ['without a signature', async (payload) => new UnsecuredJWT(payload).encode()],
    [
      'with the client secret as key',
      (payload) =>
        new SignJWT(payload).setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode(CLIENT.clientSecret)),
    ],
    ['with the key of another provider', (payload) => other.sign(payload)],
    ['with a key that the provider does not have', (payload, sign) => sign(payload, { kid: 'unknown' })],
    ['with a damaged signature', async (payload, sign) => `${(await sign(payload)).slice(0, -6)}AAAAAA`],
  ]
  test.each(forgeries)('%s', async (_name, forge) => {
    const before = await countUsers()
    liar.forge = forge
    expect(problemOf(await start())).toBe('failed')
    expect(await countUsers()).toBe(before)
  })

  test('if the answer names another issuer, or comes from another provider', async () => {
    liar.answer = { iss: other.issuer }
    expect(problemOf(await start())).toBe('failed')
    // The mix-up: a code of one provider at the address of the other.
    const browser = new Browser(world.server)
    const started = await browser.get('/api/auth/oidc/liar/start')
    const back = new URL((await browser.get(started.headers.get('location')!)).headers.get('location')!)
    expect(problemOf(await browser.visit(`/api/auth/oidc/other/callback${back.search}`))).toBe('failed')
  })

  test('if the user has refused it there', async () => {
    liar.answer = { error: 'access_denied', code: '' }
    expect(problemOf(await start())).toBe('failed')
  })
})

test('unknown keys make the server ask for keys at most once a minute', async () => {
  liar.forge = (payload, sign) => sign(payload, { kid: crypto.randomUUID() })
  await start()
  const before = liar.keyRequests
  for (let i = 0; i < 5; i++) await start()
  expect(liar.keyRequests - before).toBeLessThanOrEqual(1)
})

describe('an e-mail address', () => {
  /** Signs in with these claims. Returns the answer. */
  async function signIn(facts: Facts) {
    liar.claims = { sub: crypto.randomUUID(), ...facts }
    return (await new Browser(world.server).signIn('liar')).data
  }

  test('that provider and user have verified opens the account of the user, who gets a mail before', async () => {
    const mei = await world.withEmail()
    const login = await signIn({ email: mei.email.toUpperCase(), email_verified: true })
    expect(login).toMatchObject({ isNewUser: false, user: { id: mei.id } })
    await world.mailArrived(mei.email, 'sign in')
  })

  test.each([
    ['as a text', { email_verified: 'true' }],
    ['not at all', {}],
    ['not', { email_verified: false }],
    ['as a number', { email_verified: 1 }],
  ])('that the provider has verified %s opens nothing and is not kept', async (_name, verified) => {
    const mei = await world.withEmail()
    const { user } = await signIn({ email: mei.email, ...verified })
    expect(user.id).not.toBe(mei.id)
    expect(user.email).toBeNull()
    const fresh = newEmail()
    expect((await signIn({ email: fresh, ...verified })).user.email).toBeNull()
  })

  test('that somebody only claims goes to the person whom the provider has verified', async () => {
    const email = newEmail()
    ok(
      await world.post('/api/auth/register', {
        username: `claims.${Date.now() % 1e6}`,
        email,
        password: 'a long secret',
      }),
    )
    const { user, isNewUser } = await signIn({ email, email_verified: true })
    expect([isNewUser, user.email]).toEqual([true, email])
  })

  test('of an administrator opens nothing and stays theirs', async () => {
    const admin = await world.server.admin()
    const email = newEmail()
    const code = await world.codeBy(admin, '/api/auth/email/bind-code', { email }, email)
    ok(await admin.post('/api/auth/email-bind', { email, code }))
    const { user } = await signIn({ email, email_verified: true, preferred_username: 'root', name: 'root' })
    expect(user).toMatchObject({ email: null, username: null })
    expect(user.id).not.toBe(admin.id)
    expect(ok(await admin.get('/api/auth/userinfo')).data.email).toBe(email)
  })
})

test('a provider that names itself otherwise, or does not answer, is not used, and administrators see why', async () => {
  const admin = await world.server.admin()
  const lastError = async () =>
    ok(await admin.call('admin.oidcProviders.list')).data.items.find((one) => one.id === id)!.lastError
  // A change makes the server ask again.
  const change = async (body: object) =>
    ok(await admin.call('admin.oidcProviders.update', { params: { id }, query: { force: true }, body }))
  liar.metadata = { issuer: other.issuer }
  await change({ name: 'The first liar' })
  expect(problemOf(await start())).toBe('failed')
  expect(await lastError()).toContain('issuer')
  liar.metadata = {}
  ok(await admin.call('admin.oidcProviders.check', { params: { id } }))
  expect(problemOf(await start())).toBeNull()
  await liar.stop()
  await change({ name: 'The last liar' })
  expect(problemOf(await new Browser(world.server).visit('/api/auth/oidc/liar/start'))).toBe('unavailable')
  expect(await lastError()).toContain('cannot be reached')
  // Others are not affected.
  expect(problemOf(await new Browser(world.server).start('other'))).toBeNull()
})
