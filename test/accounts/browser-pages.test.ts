/** The cookies of a session in a real browser: pages of the server, and of another server on the same host. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Browser, Page } from 'playwright-core'

import { hasChromium, launchChromium } from '../harness/chromium.ts'
import { ok, useServer } from '../harness/index.ts'

/** Another program on the same host: browsers send it the same cookies, because cookies do not depend on the port. */
const neighbour = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: () => new Response('<!doctype html><title>page</title>', { headers: { 'content-type': 'text/html' } }),
})
afterAll(() => neighbour.stop(true))

const { server, alice } = useServer({ people: ['alice'], config: { corsOrigins: [neighbour.url.origin] } })

interface Answer {
  status: number
  data: { accessToken?: string; refreshToken?: string | null; user?: { id: number }; id?: number } | null
}

/** Runs in the page. Status 0: the browser did not let the page have the answer. */
const callInPage = async ([url, method, body, token]: (string | undefined)[]): Promise<Answer> => {
  const headers: Record<string, string> = { 'x-refresh-token': 'cookie' }
  if (body !== undefined) headers['content-type'] = 'application/json'
  if (token !== undefined) headers['authorization'] = `Bearer ${token}`
  try {
    const init = { method: method!, headers, body: body ?? null, keepalive: true, credentials: 'include' as const }
    const response = await fetch(url!, init)
    return { status: response.status, data: ((await response.json()) as Answer).data ?? null }
  } catch {
    return { status: 0, data: null }
  }
}

describe.if(hasChromium)('in Chromium', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
  })
  afterAll(() => browser?.close())

  /** A new tab with a page of the server that has no policy of its own for scripts. */
  async function openTab(context: { newPage(): Promise<Page> }, url = `${server.url}/actuator/info`): Promise<Page> {
    const page = await context.newPage()
    page.setDefaultTimeout(60_000)
    await page.goto(url)
    return page
  }
  const call = (page: Page, method: string, path: string, body?: object, token?: string): Promise<Answer> =>
    page.evaluate(callInPage, [server.url + path, method, body && JSON.stringify(body), token])
  const signIn = (page: Page): Promise<Answer> =>
    call(page, 'POST', '/api/auth/login', { account: alice.username, password: alice.password })
  const refresh = (page: Page): Promise<Answer> => call(page, 'POST', '/api/auth/refresh')

  test('a page signs in, goes on after a reload and in two tabs at once, hears that its session ended, and cannot read the secrets', async () => {
    const context = await browser.newContext()
    const page = await openTab(context)
    expect((await refresh(page)).status).toBe(401)
    const login = await signIn(page)
    expect([login.status, login.data!.refreshToken]).toEqual([200, null])
    expect(await page.evaluate('document.cookie')).toBe('')
    expect((await context.cookies()).map(({ name, httpOnly }) => [name, httpOnly]).sort()).toEqual([
      ['tessera_device', true],
      ['tessera_refresh', true],
      ['tessera_refresh', true],
    ])
    expect((await call(page, 'GET', '/api/auth/userinfo', undefined, login.data!.accessToken)).data!.id).toBe(alice.id)

    await page.reload()
    const other = await openTab(context)
    // One request for each tab: a third one may carry the token of the first answer, and the second then comes too late (`classifyRefresh`).
    const tabs = await Promise.all([refresh(page), refresh(other)])
    tabs.push(...(await Promise.all([refresh(page), refresh(other)])))
    expect(tabs.map(({ status, data }) => [status, data?.user?.id])).toEqual(tabs.map(() => [200, alice.id]))

    // The frame of the socket, and the code of its close.
    const socket = page.evaluate<[string, number]>(`new Promise((resolve) => {
      const socket = new WebSocket('${server.url.replace('http', 'ws')}/ws/chat', ['bearer', '${tabs[0]!.data!.accessToken}'])
      let last = ''
      socket.onmessage = ({ data }) => {
        last = data
        if (JSON.parse(data).type === 'hello') document.title = 'connected'
      }
      socket.onclose = ({ code }) => resolve([JSON.stringify(JSON.parse(last).data), code])
    })`)
    await page.waitForFunction('document.title === "connected"')
    const session = ok(await alice.call('sessions.list', {})).data.items.find(({ id }) => id !== alice.sessionId)!
    ok(await alice.call('sessions.revoke', { params: { sessionId: session.id } }))
    expect(await socket).toEqual(['{"reason":"REVOKED"}', 4401])
    expect((await refresh(other)).status).toBe(401)
    expect((await context.cookies()).map(({ name }) => name)).toEqual(['tessera_device'])
    await context.close()
  })

  test('a page of another server on the same host cannot use the cookies, even if its origin is listed', async () => {
    const context = await browser.newContext()
    const own = await openTab(context)
    const { accessToken } = (await signIn(own)).data!
    const page = await openTab(context, neighbour.url.href)
    expect([(await refresh(page)).status, (await signIn(page)).status]).toEqual([0, 0])
    expect((await call(page, 'GET', '/api/auth/userinfo', undefined, accessToken)).status).toBe(0)
    // As a form does: without headers, with the cookies, and without seeing the answer.
    await page.evaluate(
      `fetch('${server.url}/api/auth/refresh', { method: 'POST', mode: 'no-cors', credentials: 'include' })`,
    )
    await page.evaluate(
      `fetch('${server.url}/api/auth/logout', { method: 'POST', mode: 'no-cors', credentials: 'include' })`,
    )
    expect((await refresh(own)).data?.user?.id).toBe(alice.id)
    await context.close()
  })
})
