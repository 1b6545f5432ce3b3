/** The web application over HTTP, in a browser, and built from sources that change. */

import { afterAll, describe, expect, test } from 'bun:test'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'

import { LOADS } from '../../scripts/web-app.ts'
import { hasChromium, launchChromium } from '../harness/chromium.ts'
import { send } from '../harness/client.ts'
import { inProcess, useServer } from '../harness/index.ts'
import { firstAddress } from '../harness/server.ts'

const { server, admin } = useServer()

/** Without unpacking the answer, which `fetch` does otherwise. */
const raw = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(server.url + path, { method, headers: { 'accept-encoding': 'identity', ...headers }, decompress: false })

const filesOf = (page: string): string[] =>
  [...page.matchAll(/(?:src|href)="(\/console\/[^"]+)"/g)].map(([, path]) => path!)

describe('the page', () => {
  test('answers every path of the web application without a token, and /console leads to it', async () => {
    const page = await send(server.url, 'GET', '/console/')
    expect(page.status).toBe(200)
    expect(page.text).toContain('<div id="root">')
    for (const path of ['/console/qr-codes/5', '/console/settings/upload.maxBytes', '/console/index.html'])
      expect({ path, text: (await send(server.url, 'GET', path)).text }).toEqual({ path, text: page.text })
    const short = await send(server.url, 'GET', '/console?from=mail')
    expect([short.status, short.headers.get('location')]).toEqual([308, '/console/?from=mail'])
  })

  test('is revalidated, and allows scripts and connections of this server only', async () => {
    const { headers, text } = await send(server.url, 'GET', '/console/')
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'referrer-policy': 'no-referrer',
      'permissions-policy': 'camera=(self), geolocation=(self), microphone=(self)',
      'x-content-type-options': 'nosniff',
    })
    const policy = headers.get('content-security-policy')!
    expect(policy).toStartWith("default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'sha256-")
    for (const rule of ["connect-src 'self'", "base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'"])
      expect(policy.split('; ')).toContain(rule)
    expect(policy).not.toMatch(/unsafe-inline|unsafe-eval'.*unsafe-eval|https?:|\*/)
    expect(text).not.toMatch(/<script>|<style|style=|https?:\/\//)

    const etag = (await raw('/console/')).headers.get('etag')!
    const again = await raw('/console/', { 'if-none-match': etag, 'accept-encoding': 'br' })
    // Another coding is another representation.
    expect([again.status, again.headers.get('content-encoding')]).toEqual([200, 'br'])
    const known = await raw('/console/', { 'if-none-match': `W/${again.headers.get('etag')}`, 'accept-encoding': 'br' })
    expect([known.status, await known.text()]).toEqual([304, ''])
    expect(known.headers.get('content-security-policy')).toBe(policy)
  })
})

test('the public URL is sent to pages that keep their session in cookies, and to nobody else', async () => {
  const headers = { 'x-refresh-token': 'cookie' }
  const answer = await send(server.url, 'POST', '/api/auth/refresh', { headers })
  expect(answer.headers.get('x-public-url')).toMatch(/^https?:\/\/[^/]+$/)
  expect((await send(server.url, 'GET', '/actuator/health')).headers.has('x-public-url')).toBe(false)
})

describe('its files', () => {
  test('never change, and are sent as brotli, gzip or plain bytes as the client asks', async () => {
    const page = await send(server.url, 'GET', '/console/')
    const files = filesOf(page.text)
    expect(files.map((path) => path.split('.').pop()).sort()).toEqual(expect.arrayContaining(['css', 'js']))
    for (const path of files) {
      expect(path).toMatch(/^\/console\/[\w.]+-\w{8}\.(?:js|css)$/)
      const answers = await Promise.all(
        ['br, gzip', 'br;q=0, gzip;q=0.5', 'identity'].map(async (coding) => {
          const answer = await raw(path, { 'accept-encoding': coding })
          return { answer, bytes: await answer.bytes() }
        }),
      )
      const plain = answers[2]!.bytes
      expect(answers.map(({ answer }) => answer.headers.get('content-encoding'))).toEqual(['br', 'gzip', null])
      expect(Buffer.compare(brotliDecompressSync(answers[0]!.bytes), plain)).toBe(0)
      expect(Buffer.compare(gunzipSync(answers[1]!.bytes), plain)).toBe(0)
      expect(new Set(answers.map(({ answer }) => answer.headers.get('etag'))).size).toBe(3)
      for (const { answer, bytes } of answers) {
        expect(Object.fromEntries(answer.headers)).toMatchObject({
          'cache-control': 'public, max-age=31536000, immutable',
          'content-type': `text/${path.endsWith('.js') ? 'javascript' : 'css'}; charset=utf-8`,
          'content-length': String(bytes.length),
          vary: 'accept-encoding',
          'x-content-type-options': 'nosniff',
        })
        const coding = answer.headers.get('content-encoding') ?? 'identity'
        const head = await raw(path, { 'accept-encoding': coding }, 'HEAD')
        expect(head.headers.get('content-length')).toBe(String(bytes.length))
        const known = await raw(path, { 'accept-encoding': coding, 'if-none-match': answer.headers.get('etag')! })
        expect([known.status, (await known.bytes()).length]).toEqual([304, 0])
      }
    }
  })

  test('have hashes in their names except for the service worker, which browsers revalidate', async () => {
    const { status, headers } = await raw('/console/worker.js?locale=zh', {})
    expect([status, headers.get('cache-control'), headers.get('content-security-policy')]).toEqual([
      200,
      'no-cache',
      "default-src 'self'",
    ])
    expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  })

  test('are not there yet when another application shares something: the server says so, and does not wait for the picture', async () => {
    const open = Promise.withResolvers<void>()
    const body = new ReadableStream({
      start: (stream) => stream.enqueue(new Uint8Array(100_000)),
      pull: () => open.promise,
    })
    const answer = await fetch(`${server.url}/console/share`, {
      method: 'POST',
      body,
      headers: { accept: 'text/html', 'content-type': 'multipart/form-data; boundary=x' },
    })
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('Please share it again')])
    open.resolve()
  })

  test('are 404 under names that do not exist, and are not in the API document', async () => {
    for (const path of [
      '/console/main.js',
      '/console/main-00000000.js',
      '/console/qr-codes/x.css',
      '/console/..%2Fpack.ts',
    ])
      expect({ path, status: (await send(server.url, 'GET', path)).status }).toEqual({ path, status: 404 })
    expect((await send(server.url, 'POST', '/console/')).status).toBe(405)
    const { paths } = JSON.parse((await send(server.url, 'GET', '/openapi.json')).text)
    expect(Object.keys(paths).filter((path) => path.startsWith('/console'))).toEqual([])
  })
})

/** Code for the browser, as text since the tests are compiled without its types. Bytes on the wire of all files of the web application. */
const LOADED = `[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
  .filter(({ name }) => name.includes('/console/'))
  .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`

const SCRIPTS = `performance.getEntriesByType('resource').filter(({ name }) => /\\/console\\/.*\\.js/.test(name)).length`

/** In a callback, because the debugger's own code is exempt from the policy. */
const ALLOWED = `new Promise((resolve) => setTimeout(async () => {
  let hasRun = false
  try {
    hasRun = eval('true')
  } catch {}
  const empty = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0])
  const isCompiled = await WebAssembly.compile(empty).then(() => true, () => false)
  const styles = [...document.styleSheets].filter(({ ownerNode }) => ownerNode?.nodeName === 'STYLE')
  resolve({ eval: hasRun, wasm: isCompiled, rules: styles.some(({ cssRules }) => cssRules.length > 0) })
}))`

describe('in a browser', () => {
  if (hasChromium)
    test('the sign-in form has at most 200 KiB and the list of codes after it 280 in 13 scripts, without errors and requests to other servers', async () => {
      const browser = await launchChromium()
      try {
        const page = await (await browser.newContext({ viewport: { width: 390, height: 844 } })).newPage()
        page.setDefaultTimeout(60_000)
        const otherServers: string[] = []
        const errors: string[] = []
        page.on('request', (request) => {
          if (!request.url().startsWith(`${server.url}/`) && !/^(?:data|blob):/.test(request.url()))
            otherServers.push(request.url())
        })
        page.on('console', (message) => {
          if (message.type() === 'error') errors.push(message.text())
        })
        page.on('pageerror', (error) => errors.push(error.message))
        await page.goto(`${server.url}/console/codes`)
        await page.waitForSelector('input[type="password"]')
        await page.waitForLoadState('networkidle')
        const signIn = await page.evaluate<number>(LOADED)
        expect(signIn).toBeGreaterThan(10_000)
        expect(signIn).toBeLessThanOrEqual(LOADS.signIn.limit)
        await page.fill('input[autocomplete^=username]', admin.username)
        await page.fill('input[type=password]', admin.password)
        await page.keyboard.press('Enter')
        await page.getByText('No codes yet').waitFor()
        await page.waitForLoadState('networkidle')
        const list = await page.evaluate<number>(LOADED)
        expect(list).toBeGreaterThan(signIn)
        expect(list).toBeLessThanOrEqual(LOADS.firstList.limit)
        // The parts that it needs are joined (scripts/web-app-parts.ts): there were 41. Two of these belong to passkeys on the sign-in page.
        expect(await page.evaluate<number>(SCRIPTS)).toBeLessThanOrEqual(13)
        expect(errors).toEqual([])
        expect(otherServers).toEqual([])

        // The policy applies: no code from texts and no style attributes, but WebAssembly and the styles of Material UI.
        const allowed = await page.evaluate(ALLOWED)
        expect(allowed).toEqual({ eval: false, wasm: true, rules: true })
      } finally {
        await browser.close()
      }
    })
})

const root = resolve(import.meta.dir, '../..')

test('the files whose sizes are limited exist: a renamed one would leave its limit in place for nothing', () => {
  const files: string[] = Object.values(LOADS).flatMap(({ sources }) => [...sources])
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([])
})

describe.if(inProcess)('a server that runs from its sources', () => {
  const tree = mkdtempSync(join(tmpdir(), 'tessera-console-'))
  afterAll(() => rmSync(tree, { recursive: true, force: true }))

  test('builds the web application when it is first opened, says why it cannot, and builds it again after a change', async () => {
    for (const part of ['src', 'migrations', 'scripts', 'package.json', 'bun.lock', 'tsconfig.json'])
      cpSync(join(root, part), join(tree, part), {
        recursive: true,
        filter: (path) => !path.startsWith(join(root, 'src/web')) && !path.includes('node_modules'),
      })
    symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'))
    mkdirSync(join(tree, 'src/web'))
    // The service worker, without the words that it imports.
    writeFileSync(join(tree, 'src/web/worker.ts'), '')
    for (const name of ['index.html', 'loading.css', 'tsconfig.json'])
      cpSync(join(root, 'src/web', name), join(tree, 'src/web', name))
    const write = (code: string): void => writeFileSync(join(tree, 'src/web/main.tsx'), code)

    write(`import { gone } from './gone.ts'\ngone()\n`)
    const child = Bun.spawn([process.execPath, 'src/main.ts', 'serve'], {
      cwd: tree,
      env: { ...process.env, TESSERA_DATA_DIR: join(tree, 'data'), TESSERA_PORT: '0', TESSERA_DATABASE_URL: '' },
      stdout: 'pipe',
      stderr: 'ignore',
    })
    try {
      const url = await firstAddress(child.stdout)
      const broken = await send(url, 'GET', '/console/', { headers: { 'accept-language': 'zh-CN' } })
      expect([broken.status, broken.headers.get('content-type')]).toEqual([503, 'text/html; charset=utf-8'])
      expect(broken.text).toContain('控制台构建失败')
      expect(broken.text).toContain('gone.ts')
      expect((await send(url, 'GET', '/actuator/health')).status).toBe(200)

      const scripts: string[] = []
      for (const title of ['first', 'second']) {
        write(`document.title = '${title}'\n`)
        // All that arrive during the build get its result.
        const pages = await Promise.all(Array.from({ length: 3 }, () => send(url, 'GET', '/console/')))
        const [script] = filesOf(pages[0]!.text).filter((path) => path.endsWith('.js'))
        expect(pages.map(({ status, text }) => [status, text.includes(script!)])).toEqual(pages.map(() => [200, true]))
        expect((await send(url, 'GET', script!)).text).toContain(title)
        scripts.push(script!)
      }
      expect(scripts[0]).not.toBe(scripts[1])
    } finally {
      child.kill('SIGKILL')
      await child.exited
    }
  })
})
