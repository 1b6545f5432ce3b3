/**
 * Chromium, or Firefox, for the tests of the web application.
 *
 *     const { server, alice } = useServer({ people: ['alice'] })
 *     const browser = useBrowser(server)
 *     test('…', async () => {
 *       const page = await browser.signedIn(alice, { isPhone: true, locale: 'zh-CN' })
 *       await page.goto('/console/codes')
 *     })
 *
 * A test fails if one of its pages writes an error or a warning to its console, throws an error, or asks another server for something.
 */

import { afterAll, afterEach, beforeAll, expect } from 'bun:test'
import { readFileSync } from 'node:fs'

import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'

import { launchChromium, type LaunchOptions } from '../harness/chromium.ts'
import { launchFirefox } from '../harness/firefox.ts'
import type { Person, TestServer } from '../harness/index.ts'

/**
 * Milliseconds by which each request to the interface is held back. A test that does not wait for the answer then fails each time, and not
 * only on a busy machine.
 */
const SLOW_REQUESTS = Number(process.env['TEST_SLOW_REQUESTS'] ?? 0)

export interface PageOptions {
  /** 390 × 844 pixels with touch, instead of 1280 × 800. */
  isPhone?: boolean
  isDark?: boolean
  /**
   * With transitions. By default there are none, as for users whose system asks for less motion: while a section unfolds, Playwright
   * scrolls inside it to reach a button, and the button can move between press and release.
   */
  hasMotion?: boolean
  /** The time zone: an IANA name. By default that of the machine. */
  zone?: string
  /** `en` by default. */
  locale?: 'en' | 'zh-CN' | 'fr'
  /** False for a browser in which scripts are switched off. */
  hasScripts?: boolean
  /** Granted to the page: `camera`, `geolocation`, `clipboard-read`. */
  permissions?: string[]
  /** With the service worker, which loads all files of the application in the background. False by default. */
  hasWorker?: boolean
}

export interface TestBrowser {
  /** A page without a user, whose relative addresses are those of the server. */
  page(options?: PageOptions): Promise<Page>
  /** A page with the cookies of a new session of this user. */
  signedIn(person: Person, options?: PageOptions): Promise<Page>
  /** Messages of pages that match are no failures of the running test: a refusal that the test provokes. */
  allow(pattern: RegExp): void
}

/** Starts the browser before the tests of the file and ends it after them. */
export function useBrowser(
  server: Pick<TestServer, 'url'>,
  { isFirefox = false, ...options }: LaunchOptions & { isFirefox?: boolean } = {},
): TestBrowser {
  let browser: Browser | undefined
  let contexts: BrowserContext[] = []
  let problems: string[] = []
  let allowed: RegExp[] = []
  beforeAll(async () => {
    browser = await (isFirefox ? launchFirefox() : launchChromium(options))
  })
  afterEach(async () => {
    for (const context of contexts) {
      // A request that a test intercepts may still be under way. It fails when its page is closed, as it should.
      for (const one of [context, ...context.pages()]) await one.unrouteAll({ behavior: 'ignoreErrors' })
      await context.close()
    }
    const found = problems.filter((problem) => !allowed.some((pattern) => pattern.test(problem)))
    contexts = []
    problems = []
    allowed = []
    expect(found).toEqual([])
  })
  afterAll(() => browser?.close())

  async function open({
    isPhone = false,
    isDark = false,
    hasMotion = false,
    locale = 'en',
    zone,
    permissions = [],
    hasScripts = true,
    hasWorker = permissions.includes('notifications'),
  }: PageOptions = {}) {
    const context = await browser!.newContext({
      baseURL: server.url,
      locale,
      ...(zone !== undefined && { timezoneId: zone }),
      permissions,
      javaScriptEnabled: hasScripts,
      serviceWorkers: hasWorker ? 'allow' : 'block',
      colorScheme: isDark ? 'dark' : 'light',
      reducedMotion: hasMotion ? 'no-preference' : 'reduce',
      viewport: isPhone ? { width: 390, height: 844 } : { width: 1280, height: 800 },
      hasTouch: isPhone,
    })
    contexts.push(context)
    // As long as a busy machine may need.
    context.setDefaultTimeout(120_000)
    // The first page of the web application waits until the web application is built.
    context.setDefaultNavigationTimeout(120_000)
    if (SLOW_REQUESTS > 0)
      await context.route('**/api/**', async (route) => {
        await Bun.sleep(SLOW_REQUESTS)
        // It fails if the page was closed meanwhile.
        await route.continue().catch(() => {})
      })
    const page = await context.newPage()
    const add = (problem: string) => problems.push(`${page.url().replace(server.url, '')}: ${problem}`)
    context.on('console', (message) => {
      if (message.text().includes('Service Worker registration blocked by Playwright')) return
      if (['error', 'warning'].includes(message.type())) add(`${message.type()}: ${message.text()}`)
    })
    context.on('weberror', (error) => add(`exception: ${error.error().message}`))
    context.on('request', (request) => {
      const url = request.url()
      if (!url.startsWith(`${server.url}/`) && !/^(data|blob|about):/.test(url)) add(`foreign request: ${url}`)
    })
    return page
  }
  return {
    page: open,
    async signedIn(person, pageOptions) {
      const page = await open(pageOptions)
      const answer = await page.context().request.post('/api/auth/login', {
        headers: { origin: server.url, 'x-refresh-token': 'cookie', 'x-device-name': 'Chromium' },
        data: { account: person.username, password: person.password },
      })
      expect(answer.status()).toBe(200)
      await page.goto('/favicon.svg')
      // The flag without which the web application does not ask for a session (api/tokens.ts).
      await page.evaluate(() => localStorage.setItem('tessera.signedIn', '1'))
      return page
    },
    allow: (pattern) => void allowed.push(pattern),
  }
}

const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')

/**
 * Waits until nothing fades in or moves: axe takes the colours of a dialog that is half transparent for those of a finished one. A
 * transition begins in the frame after the change that causes it. Rings and bars of progress, which never end, are left out.
 */
export const settled = (page: Page): Promise<void> =>
  page.evaluate(`(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    const running = () => document.getAnimations().filter((one) => one.effect?.getComputedTiming().endTime !== Infinity)
    do {
      await Promise.allSettled(running().map((one) => one.finished))
      await frame()
      await frame()
    } while (running().some((one) => one.playState === 'running'))
  })()`)

/** Barriers that axe calls serious or critical, as `rule: element`. `rules`: only these, such as those that depend on the theme. */
export async function barriers(page: Page, rules?: readonly string[]): Promise<string[]> {
  await settled(page)
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(axe)
  return await page.evaluate(async (runOnly) => {
    // @ts-expect-error -- the global that axe has just defined
    const { violations } = await globalThis.axe.run(document, {
      resultTypes: ['violations'],
      ...(runOnly && { runOnly }),
    })
    return violations
      .filter(({ impact }: { impact: string }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }: { id: string; nodes: { html: string }[] }) =>
        nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`),
      )
  }, rules)
}

/**
 * Waits until an expression holds in a page or a worker. `waitForFunction` works only if it holds at the first look: for the next one it
 * needs `eval`, which the content security policy of the page refuses.
 */
export async function until(
  target: { evaluate(expression: string): Promise<unknown> },
  expression: string,
): Promise<void> {
  while (!(await target.evaluate(expression))) await Bun.sleep(20)
}

/** Whether the page is wider than its window, so that it scrolls sideways. */
export const isTooWide = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')

/** Writes a screenshot to the folder TESSERA_SCREENSHOTS, if that is set. */
export async function screenshot(page: Page, name: string): Promise<void> {
  const folder = process.env['TESSERA_SCREENSHOTS']
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true })
}

/** An entry of the menu at the side. */
export const menuLink = (page: Page, name: string): Locator =>
  page.getByRole('navigation', { name: /^(Menu|菜单)$/ }).getByRole('link', { name })
