/**
 * The files of the application, which the service worker keeps so that it opens without a connection: those of one version at a time. Answers
 * of the interface are never kept.
 */

import { keepShared } from './browser/shared.ts'

/** Names of all files below `/console/` but the page and the worker, and a hash of the page. Filled in by scripts/web-app.ts. */
declare const FILES: readonly string[]
declare const PAGE_HASH: string

const FOLDER = '/console/'
/** `share_target` of the manifest. */
const SHARE = '/console/share'
/** The header of the page with its hash as it was built: the server then writes its name and look into it. */
const VERSION = 'x-page-version'
/** The mark of the product, and a logo of the server, whose address is in the page. */
const MARK = '/favicon.svg'
const LOGO = /\/icons\/\w+\/logo\.png/
const PREFIX = 'tessera-'
/** The page names the first files by their hashes, and these name the others, so its hash is that of the version. */
const CACHE = PREFIX + PAGE_HASH
const names = new Set(FILES)

/** Requests at once. The page that is open has its own. */
const AT_ONCE = 3
/** Milliseconds. Then the network hangs, and the kept page is shown. */
const PATIENCE = 4_000
/** For so many milliseconds, a network that hung is waited for shortly only. */
const MEMORY = 60_000
const SHORT_PATIENCE = 500

let hungAt = 0

/** Keeps the files of this version. @throws Error if the server has another version by now, or cannot be reached: the browser tries again later */
export async function keepFiles(): Promise<void> {
  const page = await load(FOLDER, 'no-cache')
  if (page.headers.get(VERSION) !== PAGE_HASH) throw new Error('The server has another version')
  const cache = await caches.open(CACHE)
  const left = [...FILES]
  const work = async (): Promise<void> => {
    for (let name = left.pop(); name !== undefined; name = left.pop()) {
      const url = FOLDER + name
      // Most files are those of the version before.
      await cache.put(url, (await caches.match(url, { ignoreVary: true })) ?? (await load(url, 'default')))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  await keepPage(page)
}

/** Keeps the page with the name and look that the server has now, and its logo in place of the one before. */
async function keepPage(page: Response): Promise<void> {
  const cache = await caches.open(CACHE)
  const [logo = MARK] = LOGO.exec(await page.clone().text()) ?? []
  if ((await cache.match(logo)) === undefined) {
    await cache.put(logo, await load(logo, 'default'))
    for (const { url } of await cache.keys()) {
      const { pathname } = new URL(url)
      if (isLogo(pathname) && pathname !== logo) await cache.delete(url)
    }
  }
  await cache.put(FOLDER, page)
}

const isLogo = (path: string): boolean => path === MARK || LOGO.test(path)

async function load(url: string, cache: RequestCache): Promise<Response> {
  const answer = await fetch(url, { cache })
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`)
  return answer
}

/** Deletes the files of other versions. */
export async function deleteOldFiles(): Promise<void> {
  for (const name of await caches.keys()) if (name.startsWith(PREFIX) && name !== CACHE) await caches.delete(name)
}

/**
 * The answer to a request for a page or a file of the application, or to what another application shares with it. Undefined: the browser
 * asks the server, as for everything else.
 */
export function answerTo(request: Request): Promise<Response> | undefined {
  const { origin, pathname } = new URL(request.url)
  if (origin !== location.origin) return undefined
  if (request.method === 'POST' && pathname === SHARE) return keepShared(request)
  if (request.method !== 'GET') return undefined
  if (isLogo(pathname)) return answerFile(request, pathname)
  if (!`${pathname}/`.startsWith(FOLDER)) return undefined
  if (request.mode === 'navigate') return answerPage(request)
  return names.has(pathname.slice(FOLDER.length)) ? answerFile(request, pathname) : undefined
}

const find = (url: string): Promise<Response | undefined> => caches.match(url, { cacheName: CACHE, ignoreVary: true })

async function answerFile(request: Request, url: string): Promise<Response> {
  return (await find(url)) ?? (await fetch(request))
}

/** The server's page, which may be of a newer version; without a connection the kept one, for every address. */
async function answerPage(request: Request): Promise<Response> {
  const fresh = fetch(request)
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(
      () => {
        hungAt = Date.now()
        resolve(undefined)
      },
      Date.now() - hungAt < MEMORY ? SHORT_PATIENCE : PATIENCE,
    )
  })
  const answer = await Promise.race([fresh.catch(() => undefined), late])
  clearTimeout(timer)
  // 502 to 504: a proxy whose server is away.
  if (answer !== undefined && answer.status < 502) {
    hungAt = 0
    // Another version has a worker of its own.
    if (answer.headers.get(VERSION) === PAGE_HASH) void keepPage(answer.clone()).catch(() => undefined)
    return answer
  }
  return (await find(FOLDER)) ?? answer ?? (await fresh)
}
