/** Serves the web application under /console/: its page at every path, and its files, whose names contain a hash of their content. */

import { type AppContext, perContext } from '#context'

import { moved } from '../addresses.ts'
import { answerBytes } from '../byte-response.ts'
import { addressOf, localeOf } from '../caller.ts'
import { type Compressed, compressedText } from '../compressed.ts'
import { type AnyEndpoint, endpoint, open } from '../endpoint.ts'
import { notFound } from '../errors.ts'
import { button, html, htmlPage, iconPath, icons } from '../pages.ts'
import { footOf, PRODUCT, type Site, siteOf } from '../site.ts'
import { chooseCoding } from './coding.ts'
import { findPack, type Pack, type PackedFile, sizeOf } from './pack.ts'

const ROOT = '/console/'
const PAGE = 'index.html'
/** The service worker, the only file without a hash in its name. */
const WORKER = 'worker.js'
/**
 * The version of the page, without the name of the server. The service worker compares it with its own (worker-files.ts), since the bytes of
 * the page are others on each server.
 */
const VERSION_HEADER = 'x-page-version'
const WORKER_HEADERS = {
  'cache-control': 'no-cache',
  'content-security-policy': "default-src 'self'",
  // The address of the start page has no slash at its end.
  'service-worker-allowed': '/console',
}
const FILE_HEADERS = { 'cache-control': 'public, max-age=31536000, immutable' }

export const webAppEndpoints: readonly AnyEndpoint[] = [
  ...['/console', '/console/*'].map((path) =>
    endpoint({
      id: path === '/console' ? 'webApplication.page' : 'webApplication.file',
      method: 'GET',
      path,
      summary: path === '/console' ? 'Open the web application' : 'Get a file of the web application',
      tag: 'Documentation',
      access: open,
      // Those of its own pages.
      readsQuery: ['*'],
      answers: '*/*',
      // Counted like downloads: one visit requests a dozen files, and a whole school may share an address.
      sendsRanges: true,
      refuses: { 404: 'There is no such file.' },
      run: ({ ctx, request }) => answer(ctx, request),
    }),
  ),
  endpoint({
    id: 'webApplication.share',
    method: 'POST',
    path: '/console/share',
    summary: 'Share something with the web application',
    description:
      'Its service worker answers this request. A browser that has none yet gets a page that asks the user to share again; the server does not read the body.',
    tag: 'Documentation',
    access: open,
    streamsBody: true,
    maxBody: 256 * 1024 * 1024,
    answers: 'text/html',
    run: ({ ctx, request }) => shareAgain(ctx, request),
  }),
]

/** Beside the hashed files, which are in no folder, every path is a route of the web application. Some contain a dot, such as the key of a setting. */
const FILE = /^[^/]*\.\w+$|\.(?:css|ico|js|json|map|png|svg|txt|wasm|webmanifest|woff2)$/

async function answer(ctx: AppContext, request: Request): Promise<Response> {
  const { pathname, search } = addressOf(request)
  const name = FILE.test(pathname.slice(ROOT.length)) ? pathname.slice(ROOT.length) : PAGE
  // A page that is open at an earlier address keeps its files.
  const redirect = name === PAGE ? moved(ctx, request) : undefined
  if (redirect) return redirect
  if (pathname === '/console') return new Response(null, { status: 308, headers: { location: `/console/${search}` } })
  let pack: Pack
  try {
    pack = await packs(ctx).get(name === PAGE)
  } catch (error) {
    ctx.log.error('the web application cannot be built', { reason: (error as Error).message })
    return notBuilt(ctx, request, error as Error)
  }
  const file = pack.find(name)
  if (file === undefined) throw notFound()
  const site = siteOf(ctx)
  if (name === PAGE && !isProduct(site))
    return (await brandedPage(ctx, pack, site)).answer(request, { ...pageHeaders(file), 'content-type': file.type })
  const isCompressed = file.plain === undefined
  const coding = isCompressed ? chooseCoding(request.headers.get('accept-encoding'), ['br', 'gzip']) : 'identity'
  const headers = {
    ...(coding !== 'identity' && { 'content-encoding': coding }),
    ...(isCompressed && { vary: 'accept-encoding' }),
    ...(name === PAGE ? pageHeaders(file) : name === WORKER ? WORKER_HEADERS : FILE_HEADERS),
  }
  // A strong tag names the bytes, which are others in each coding.
  const etag = coding === 'identity' ? `"${file.hash}"` : `"${file.hash}-${coding}"`
  const stored = { size: sizeOf(file, coding), etag, type: file.type, disposition: 'inline', name, headers } as const
  return answerBytes(request, stored, async ({ start, end }) => (await pack.read(file, coding)).slice(start, end))
}

const isProduct = (site: Site): boolean =>
  site.name === PRODUCT &&
  site.accent === undefined &&
  site.locale === 'en' &&
  site.iconKey === undefined &&
  footOf(site) === undefined

/** The page with the name, language and colours of the server, so that the web application need not ask for them before it is drawn. */
const branded = perContext(() => ({
  pack: undefined as Pack | undefined,
  site: undefined as Site | undefined,
  page: undefined as Compressed | undefined,
}))

async function brandedPage(ctx: AppContext, pack: Pack, site: Site): Promise<Compressed> {
  const known = branded(ctx)
  if (known.page === undefined || known.pack !== pack || known.site !== site) {
    const { name, locale, accent, iconKey } = site
    const icon = iconKey === undefined ? undefined : iconPath(iconKey, 'logo')
    const content = JSON.stringify({ name, locale, accent, ...(icon !== undefined && { icon }), contact: footOf(site) })
    const text = await new Response(await pack.read(pack.find(PAGE)!, 'identity')).text()
    const head = html`<title>${name}</title><meta name="site" content="${content}" />`.text
    // Functions: a name may contain the patterns of a replacement, such as $&.
    const page = text
      .replace('<title>Tessera</title>', () => head)
      .replace('aria-label="Tessera"', () => html`aria-label="${name}"`.text)
      .replace(/<link rel="icon".*?>\s*<link rel="apple-touch-icon".*?>/, () => icons(iconKey).text)
    Object.assign(known, { pack, site, page: compressedText(page) })
  }
  return known.page!
}

/** In development the sources may have changed since the last page was opened. */
const packs = perContext(({ config }) => {
  let found: Promise<Pack> | undefined
  return {
    get(isPage: boolean): Promise<Pack> {
      if (found === undefined || (isPage && config.checkAnswers)) {
        found = findPack()
        found.catch(() => (found = undefined))
      }
      return found
    },
  }
})

/** The page changes with each version of the web application, so browsers ask for it each time. */
const pageHeaders = ({ hash }: PackedFile) => ({ ...PAGE_HEADERS, [VERSION_HEADER]: hash })
const PAGE_HEADERS = {
  'cache-control': 'no-cache',
  'content-security-policy': [
    "default-src 'none'",
    // zxing-wasm reads codes in WebAssembly, which needs a permission of its own. It does not allow eval().
    "script-src 'self' 'wasm-unsafe-eval'",
    // Material UI adds an empty <style>, whose hash this is, and then inserts rules into it, which no policy restricts.
    "style-src 'self' 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='",
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "connect-src 'self'",
    "font-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'permissions-policy': 'camera=(self), geolocation=(self), microphone=(self)',
}

const SHARE_AGAIN = {
  en: {
    title: 'Please share it again',
    text: 'This browser did not have the application yet, so nothing of what you shared was kept. Open the application, sign in, and share it again.',
    open: 'Open the application',
  },
  zh: {
    title: '请重新分享',
    text: '此浏览器尚未加载应用，分享的内容没有保存。请打开应用并登录，然后重新分享。',
    open: '打开应用',
  },
} as const

function shareAgain(ctx: AppContext, request: Request): Response {
  const locale = localeOf(request, siteOf(ctx).locale)
  const { title, text, open } = SHARE_AGAIN[locale]
  const body = html`<h1>${title}</h1>
    <p>${text}</p>
    ${button(open, { href: '/console/' })}`
  return htmlPage(ctx, { title, locale, body })
}

const NOT_BUILT = {
  en: {
    title: 'The web application could not be built',
    text: 'The server runs from its sources, and building the web application has failed. The interface works. Mend this error and reload the page:',
  },
  zh: {
    title: '控制台构建失败',
    text: '服务器以源码方式运行，控制台构建出错，接口不受影响。请修复以下错误后刷新页面：',
  },
} as const

function notBuilt(ctx: AppContext, request: Request, error: Error): Response {
  const locale = localeOf(request, siteOf(ctx).locale)
  const { title, text } = NOT_BUILT[locale]
  return htmlPage(ctx, {
    title,
    locale,
    status: 503,
    body: html`<h1>${title}</h1>
      <p>${text}</p>
      <div class="prose">
        <pre><code>${error.message}</code></pre>
      </div>`,
  })
}
