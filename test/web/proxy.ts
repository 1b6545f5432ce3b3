/** A proxy before the server. It can be cut, hang, and serve the application as a newer version, whose first file has another name. */

import type { TestServer } from '../harness/index.ts'

/** The header with the version of the page, which the service worker knows (src/web/worker-files.ts). */
const VERSION = 'x-page-version'
const NEW_VERSION = 'f'.repeat(20)

export function startProxy(server: Pick<TestServer, 'url'>) {
  let state: 'open' | 'hung' = 'open'
  let isUpgraded = false
  let running: ReturnType<typeof Bun.serve> | undefined
  let port = 0
  const hung = new Set<() => void>()
  const answer = async (request: Request): Promise<Response> => {
    if (state === 'hung') await new Promise<void>((resolve) => hung.add(resolve))
    if (request.headers.has('upgrade')) return new Response(null, { status: 502 })
    const { pathname, search } = new URL(request.url)
    const page = await fetch(`${server.url}/console/`, { headers: { 'accept-encoding': 'identity' } })
    const version = page.headers.get(VERSION)!
    const entry = /src="\/console\/([^"]+)"/.exec(await page.text())![1]!
    const newEntry = entry.replace('main-', 'main-new')
    const upgraded = (old: string) => old.replaceAll(entry, newEntry).replaceAll(version, NEW_VERSION)
    if (isUpgraded && pathname === `/console/${entry}`) return new Response(null, { status: 404 })
    const path = isUpgraded ? pathname.replace(newEntry, entry) : pathname
    const headers = new Headers(request.headers)
    // Bun.fetch fails to unpack an answer whose browser has gone.
    headers.set('accept-encoding', 'identity')
    headers.delete('if-none-match')
    const body = request.method === 'GET' ? null : await request.arrayBuffer()
    const response = await fetch(server.url + path + search, {
      method: request.method,
      headers,
      body,
      redirect: 'manual',
    })
    const isText =
      isUpgraded && path.startsWith('/console') && /html|javascript/.test(response.headers.get('content-type')!)
    const kept = new Headers(response.headers)
    kept.delete('content-encoding')
    kept.delete('content-length')
    if (isUpgraded && kept.has(VERSION)) kept.set(VERSION, NEW_VERSION)
    const content = isText ? upgraded(await response.text()) : await response.arrayBuffer()
    return new Response([204, 304].includes(response.status) ? null : content, {
      status: response.status,
      headers: kept,
    })
  }
  const open = () => {
    running = Bun.serve({
      port,
      hostname: '127.0.0.1',
      idleTimeout: 0,
      fetch: (request) => answer(request).catch(() => new Response(null, { status: 502 })),
    })
    port = running.port!
  }
  open()
  return {
    url: `http://127.0.0.1:${port}`,
    open,
    cut: async () => void (await running?.stop(true)),
    hang: () => void (state = 'hung'),
    release() {
      state = 'open'
      for (const resolve of hung) resolve()
      hung.clear()
    },
    upgrade: () => void (isUpgraded = true),
  }
}
