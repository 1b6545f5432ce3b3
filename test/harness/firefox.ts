/**
 * Debian's Firefox for tests. Playwright drives its own builds of Firefox by default; all others by WebDriver BiDi, as the channel
 * `moz-firefox`. Tests are left out where it is missing: `describe.if(hasFirefox)`. harness.test.ts demands it in CI.
 */

import { type Browser, firefox } from 'playwright-core'

/** Undefined if it is missing. */
export const firefoxPath = ['firefox-esr', 'firefox'].map((name) => Bun.which(name)).find((found) => found !== null)

export const hasFirefox = firefoxPath !== undefined

/** The part of Playwright's own objects that is used here. */
interface WithSession {
  readonly _connection: {
    toImpl(browser: Browser): { readonly _browserSession: { send(method: string, input: unknown): Promise<unknown> } }
  }
}

/** The caller closes the browser. */
export async function launchFirefox(): Promise<Browser> {
  if (firefoxPath === undefined) throw new Error('This test needs Firefox: apt-get install firefox-esr')
  const browser = await firefox.launch({
    channel: 'moz-firefox',
    executablePath: firefoxPath,
    firefoxUserPrefs: {
      // As in Chromium, where the context of a page sets it (test/web/browser.ts).
      'ui.prefersReducedMotion': 1,
      // A microphone that needs no permission.
      'media.navigator.streams.fake': true,
      'media.navigator.permission.disabled': true,
    },
  })
  // Each new context sends this command, which Firefox 153 does not know.
  const session = (browser as unknown as WithSession)._connection.toImpl(browser)._browserSession
  const send = session.send.bind(session)
  session.send = async (method, input) =>
    method === 'emulation.setMediaFeaturesOverride' ? {} : await send(method, input)
  return browser
}
