/** The test harness itself: what it promises other tests. */

import { describe, expect, test } from 'bun:test'

import { hasChromium } from './chromium.ts'
import { hasFirefox } from './firefox.ts'
import { ok, useServer } from './index.ts'

describe('useServer', () => {
  const { server, admin, alice, bob } = useServer({ people: ['alice', 'bob'] })

  test('starts a server with the named users signed in, and the administrator', async () => {
    for (const [person, name] of [
      [alice, 'alice'],
      [bob, 'bob'],
      [admin, admin.username],
    ] as const)
      expect(ok(await person.call('profile.get')).data.username).toBe(name)
    expect((await server.call('profile.get')).status).toBe(401)
  })

  test('a typed call fills path, query and body, and types the result', async () => {
    const made = ok(await alice.call('qrCodes.create', { body: { name: 'Menu', content: 'https://example.org' } }))
    const id: number = made.data.id
    expect(ok(await alice.call('qrCodes.get', { params: { id } })).data.name).toBe('Menu')
    const page = ok(await alice.call('qrCodes.list', { query: { keyword: 'menu', size: 5 } })).data
    expect([page.total, page.size, page.items[0]?.id]).toEqual([1, 5, id])
    expect((await bob.call('qrCodes.get', { params: { id } })).status).toBe(404)
  })

  test('ok fails with the answer of a request that did not succeed', async () => {
    const missing = await alice.call('qrCodes.get', { params: { id: 999_999 } })
    expect(() => ok(missing)).toThrow(/404.*Not found/)
  })
})

test('CI has Chromium and Firefox', () => {
  if (!hasChromium) console.warn('Chromium is not installed: pages are not tested in a browser')
  if (!hasFirefox) console.warn('Firefox is not installed: the web application is tested in Chromium only')
  if (process.env['CI']) expect({ hasChromium, hasFirefox }).toEqual({ hasChromium: true, hasFirefox: true })
})
