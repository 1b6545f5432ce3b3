/** Signing in with a real provider. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { ok, race, startServer, type Person, type TestServer } from '../harness/index.ts'
import { addProvider, Browser, problemOf, type RealProvider, startRealProvider } from './helpers.ts'

let [provider, server, admin] = [] as unknown as [RealProvider, TestServer, Person]
let id = 0
const change = async (body: object) => ok(await admin.call('admin.oidcProviders.update', { params: { id }, body })).data

beforeAll(async () => {
  provider = await startRealProvider()
  server = await startServer({
    config: { privateTargets: [provider.issuer] },
    settings: { 'oidc.redirects': ['com.example.app:/signed-in'], 'registration.enabled': true },
  })
  admin = await server.admin()
  const added = await addProvider(admin, 'school', provider.issuer, { createAccounts: true })
  id = added.id
  provider.open({ ...added, home: `${server.url}/console/` })
})
afterAll(async () => {
  await server?.stop()
  await provider?.stop()
})

/** A new user at the provider. */
function newUser(facts: object = {}): string {
  provider.user = `user-${crypto.randomUUID()}`
  provider.users.set(provider.user, { ...facts })
  return provider.user
}

describe('a sign-in', () => {
  test('in a browser creates an account, and the next one opens it', async () => {
    newUser({ name: 'Lin Mei', preferred_username: 'lin.mei', email: 'mei@school.example', email_verified: true })
    const browser = new Browser(server)
    const first = await browser.signIn('school')
    expect(first.data).toMatchObject({ isNewUser: true, user: { nickname: 'Lin Mei', username: 'lin.mei', email: null } })
    expect(first.data.user.identities).toEqual([
      { provider: 'OIDC', credential: 'The school', verified: true, createdAt: expect.any(Number) },
    ])
    const again = await new Browser(server).signIn('school')
    expect(again.data).toMatchObject({ isNewUser: false, user: { id: first.data.user.id } })
  })
})
