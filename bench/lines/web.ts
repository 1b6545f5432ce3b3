/**
 * The front page and the web application in Chromium, with the processor slowed down four times and a slow mobile connection (1.6 Mbit/s
 * down, 0.75 Mbit/s up, 150 ms, the "slow 4G" of Lighthouse): bytes on the wire, time until somebody can use the page, layout shift.
 */

import { mkdirSync } from 'node:fs'

import { type Browser, type BrowserContext, type CDPSession, chromium } from 'playwright-core'

import { type Bench, fileIn } from '../lib/bench.ts'
import { startServer } from '../lib/process.ts'
import { environment, PASSWORD, prepareExecutable, register } from '../lib/product.ts'
import { round } from '../lib/report.ts'
import { median } from '../lib/stats.ts'

const SLOWDOWN = 4
const SLOW_4G = {
  offline: false,
  latency: 150,
  downloadThroughput: (1.6e6 * 0.9) / 8,
  uploadThroughput: (750e3 * 0.9) / 8,
}
/** The limits of scripts/web-app.ts. The start page is smaller than the list of codes. */
const SIGN_IN_KIB = 200
const START_KIB = 280

interface Visit {
  kib: number
  requests: number
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
  await register(server, 'reader')
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    const baseURL = `http://127.0.0.1:${server.port}`
    const times = bench.smoke ? 1 : 5
    const add = (what: string, visits: readonly Visit[], limit?: number) => report(bench, what, visits, limit)
    add('front page', await several(times, browser, baseURL, { path: '/', ready: 'h1' }))
    const signIn = { path: '/console/', ready: 'input[autocomplete=username]' }
    add('web application, sign-in page, first visit', await several(times, browser, baseURL, signIn), SIGN_IN_KIB)
    const start = { path: '/console/', ready: 'main h1' }
    add(
      'web application, start page, empty cache',
      await several(times, browser, baseURL, start, 'signedIn'),
      START_KIB,
    )
    add('web application, start page, later visit', await several(times, browser, baseURL, start, 'visited'))
    add(
      'web application, list of codes, later visit',
      await several(times, browser, baseURL, { ...start, path: '/console/codes' }, 'visited'),
    )
  } finally {
    await browser.close()
  }
}

function report(bench: Bench, what: string, visits: readonly Visit[], limit: number | undefined): void {
  const of = (name: keyof Visit) => median(visits.map((visit) => visit[name]))
  bench.report.value(
    `${what}: on the wire`,
    `${round(of('kib'))} KiB in ${of('requests')} requests`,
    of('kib'),
    '',
    '',
    limit === undefined ? undefined : { max: limit },
    'KiB',
  )
  bench.report.value(
    `${what}: first paint, ready to use, layout shift`,
    `${round(of('firstPaint'))} ms, ${round(of('interactive'))} ms, ${of('shift').toFixed(3)}`,
    of('interactive'),
    '',
    '',
    undefined,
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
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN })
  await page.addInitScript(OBSERVE(ready))
  await page.goto(path)
  await page.locator(ready).first().waitFor()
  await page.waitForLoadState('networkidle')
  const seen = await page.evaluate<{ ready: number; busyUntil: number; shift: number; paint: number }>('seen')
  await page.close()
  return {
    kib: wire.bytes / 1024,
    requests: wire.requests,
    firstPaint: seen.paint,
    interactive: Math.max(seen.ready, seen.busyUntil),
    shift: seen.shift,
  }
}

/** Slows the connection down and counts headers and bodies of all answers. Those from the cache have no bytes. */
async function countBytes(session: CDPSession): Promise<{ bytes: number; requests: number }> {
  const wire = { bytes: 0, requests: 0 }
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    wire.bytes += encodedDataLength
    if (encodedDataLength > 0) wire.requests++
  })
  await session.send('Network.enable')
  await session.send('Network.emulateNetworkConditions', SLOW_4G)
  return wire
}
