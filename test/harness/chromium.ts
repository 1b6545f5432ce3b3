/**
 * Chromium for tests. Tests outside of test/web are left out where it is missing: `describe.if(hasChromium)`. harness.test.ts demands it in CI.
 */

import { type Browser, chromium } from 'playwright-core'

/** Debian's chromium-headless-shell takes two thirds of the processor time of the whole Chromium. It has no windows and no notifications. */
const SHELL = 'chromium-headless-shell'
const WHOLE = ['chromium', 'chromium-browser', 'google-chrome']

const find = (names: readonly string[]) => names.map((name) => Bun.which(name)).find((path) => path !== null)

export const hasChromium = find([SHELL, ...WHOLE]) !== undefined

export interface LaunchOptions {
  /** Further arguments, such as those of a fake camera. */
  readonly args?: readonly string[]
  /** The test needs notifications. */
  readonly isWhole?: boolean
  /** Home directory. The whole Chromium trusts the authorities in it: see `trustIn` of test/lan/lan.ts. */
  readonly home?: string
}

/** The options for `chromium` of Playwright. */
export function chromiumOptions({ args = [], isWhole = false, home }: LaunchOptions = {}) {
  const executablePath = find(isWhole ? WHOLE : [SHELL, ...WHOLE])
  if (executablePath === undefined)
    throw new Error('The tests of the web application need Chromium: apt-get install chromium')
  const always = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update']
  const { XDG_DATA_HOME: _, ...env } = process.env
  return { executablePath, args: [...always, ...args], ...(home !== undefined && { env: { ...env, HOME: home } }) }
}

/** The caller closes the browser. */
export const launchChromium = async (options?: LaunchOptions): Promise<Browser> =>
  await chromium.launch(chromiumOptions(options))
