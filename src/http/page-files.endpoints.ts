/** The files that pages of the server load, and those for which browsers, phones and search engines ask by themselves. */

import { version } from '#platform/version.ts'

import { type AnyEndpoint, endpoint, open } from './endpoint.ts'
import touchIcon from './page-files/apple-touch-icon.png' with { type: 'file' }
import check from './page-files/check.js' with { type: 'file' }
import copy from './page-files/copy.js' with { type: 'file' }
import favicon from './page-files/favicon.ico' with { type: 'file' }
import found from './page-files/found.js' with { type: 'file' }
import icon192 from './page-files/icon-192.png' with { type: 'file' }
import icon512 from './page-files/icon-512.png' with { type: 'file' }
import maskable from './page-files/icon-maskable.png' with { type: 'file' }
import kiosk from './page-files/kiosk.js' with { type: 'file' }
import localTime from './page-files/local-time.js' with { type: 'file' }
import narrow from './page-files/screenshot-narrow.webp' with { type: 'file' }
import wide from './page-files/screenshot-wide.webp' with { type: 'file' }
import trustCheck from './page-files/trust-check.js' with { type: 'file' }
import { THEME_COLORS } from './page-style.ts'
import { iconPath } from './pages.ts'
import { cached } from './respond.ts'
import { type Site, siteOf } from './site.ts'

const PNG = 'image/png'
const WEBP = 'image/webp'

/** Icons of the product. If the server has a logo, they lead to `picture` of it. */
const ICONS = [
  {
    id: 'favicon',
    path: '/favicon.ico',
    file: favicon,
    type: 'image/x-icon',
    summary: 'Get the icon for browsers',
    picture: '32',
  },
  {
    id: 'touchIcon',
    path: '/apple-touch-icon.png',
    file: touchIcon,
    type: PNG,
    summary: 'Get the icon for iPhones',
    picture: '180',
  },
  {
    id: 'icon192',
    path: '/icons/icon-192.png',
    file: icon192,
    type: PNG,
    summary: 'Get the icon of 192 pixels',
    picture: '192',
  },
  {
    id: 'icon512',
    path: '/icons/icon-512.png',
    file: icon512,
    type: PNG,
    summary: 'Get the icon of 512 pixels',
    picture: '512',
  },
  {
    id: 'maskableIcon',
    path: '/icons/icon-maskable.png',
    file: maskable,
    type: PNG,
    summary: 'Get the icon that phones cut into their own shape',
    picture: 'maskable',
  },
] as const

const FILES = [
  {
    id: 'wideScreenshot',
    path: '/icons/screenshot-wide.webp',
    file: wide,
    type: WEBP,
    summary: 'Get the picture of the application in a wide window',
  },
  {
    id: 'narrowScreenshot',
    path: '/icons/screenshot-narrow.webp',
    file: narrow,
    type: WEBP,
    summary: 'Get the picture of the application on a phone',
  },
  {
    id: 'copyScript',
    path: '/copy.js',
    file: copy,
    type: 'text/javascript; charset=utf-8',
    summary: 'Get the script that adds buttons to values of pages',
  },
  {
    id: 'checkScript',
    path: '/check.js',
    file: check,
    type: 'text/javascript; charset=utf-8',
    summary: 'Get the script that reports what the browser of a check allows',
  },
  {
    id: 'foundScript',
    path: '/found.js',
    file: found,
    type: 'text/javascript; charset=utf-8',
    summary: 'Get the script that offers finders to send their position',
  },
  {
    id: 'localTimeScript',
    path: '/local-time.js',
    file: localTime,
    type: 'text/javascript; charset=utf-8',
    summary: "Get the script that adds times in the visitor's zone to pages",
  },
  {
    id: 'kioskScript',
    path: '/kiosk.js',
    file: kiosk,
    type: 'text/javascript; charset=utf-8',
    summary: 'Get the script that keeps the code of a kiosk current',
  },
  {
    id: 'trustScript',
    path: '/trust/check.js',
    file: trustCheck,
    type: 'text/javascript; charset=utf-8',
    summary: 'Get the script that checks whether the device trusts the server',
  },
] as const

/** `id` of an address without its language, so that a phone keeps one entry on its home screen. */
const MANIFEST = {
  id: '/console/',
  description: 'QR codes, activities with gates, assets, and chats',
  lang: 'en',
  start_url: '/console/',
  scope: '/',
  display: 'standalone',
  background_color: THEME_COLORS.light,
  // Made by scripts/screenshots.ts. Browsers show them before they install the application.
  screenshots: [
    { src: '/icons/screenshot-wide.webp', sizes: '1280x800', type: WEBP, form_factor: 'wide', label: 'QR codes' },
    { src: '/icons/screenshot-narrow.webp', sizes: '390x844', type: WEBP, form_factor: 'narrow', label: 'QR codes' },
  ],
  share_target: {
    action: '/console/share',
    method: 'POST',
    enctype: 'multipart/form-data',
    params: { title: 'title', text: 'text', url: 'url', files: [{ name: 'pictures', accept: ['image/*'] }] },
  },
  shortcuts: [
    { name: 'Scan', url: '/console/scan' },
    { name: 'QR codes', url: '/console/codes' },
    { name: 'Activities', url: '/console/activities' },
    { name: 'My passes', url: '/console/activities/passes' },
    { name: 'Stock-taking', url: '/console/assets/inventories' },
  ],
} as const

const PRODUCT_ICONS = [
  { src: '/icons/icon-192.png', sizes: '192x192', type: PNG },
  { src: '/icons/icon-512.png', sizes: '512x512', type: PNG },
  { src: '/icons/icon-maskable.png', sizes: '512x512', type: PNG, purpose: 'maskable' },
]
const iconsOf = (key: string) => [
  { src: iconPath(key, '192'), sizes: '192x192', type: PNG },
  { src: iconPath(key, '512'), sizes: '512x512', type: PNG },
  { src: iconPath(key, 'maskable'), sizes: '512x512', type: PNG, purpose: 'maskable' },
]

function manifest({ name, shortName, description, accent, iconKey }: Site): string {
  return JSON.stringify({
    ...MANIFEST,
    name,
    short_name: shortName,
    ...(description !== '' && { description }),
    theme_color: accent?.light ?? THEME_COLORS.light,
    icons: iconKey === undefined ? PRODUCT_ICONS : iconsOf(iconKey),
  })
}

/**
 * Pages of users say `noindex`, which search engines see only if they may read them. Programs that show previews of links in chats obey
 * these rules too.
 */
const ROBOTS = `# The front page and public activities are listed. Other public pages may be read, and ask not to be listed.
User-agent: *
Allow: /$
Allow: /public/
Allow: /s/
Allow: /favicon
Disallow: /
`

const TEXTS = [
  {
    id: 'manifest',
    path: '/manifest.webmanifest',
    text: manifest,
    type: 'application/manifest+json; charset=utf-8',
    summary: 'Get the web app manifest',
  },
  {
    id: 'robots',
    path: '/robots.txt',
    text: () => ROBOTS,
    type: 'text/plain; charset=utf-8',
    summary: 'Get the rules for search engines',
  },
] as const

const record = (
  { id, path, type, summary }: { id: string; path: string; type: string; summary: string },
  contentOf: (site: Site) => { readonly body: string | Blob; readonly etag: string } | Response,
): AnyEndpoint =>
  endpoint({
    id: `pages.${id}`,
    method: 'GET',
    path,
    summary,
    tag: 'Public pages',
    access: open,
    answers: type.split(';')[0]!,
    run({ ctx, request }) {
      const content = contentOf(siteOf(ctx))
      if (content instanceof Response) return content
      return cached(request, content.body, content.etag, { 'content-type': type })
    },
  })

function contentOfFile(path: string): { readonly body: Blob; readonly etag: string } {
  const body = Bun.file(path)
  return { body, etag: `"${version}-${body.size}"` }
}

const leadTo = (location: string): Response =>
  new Response(null, { status: 302, headers: { location, 'cache-control': 'no-cache' } })

export const pageFileEndpoints: readonly AnyEndpoint[] = [
  ...ICONS.map((icon) =>
    record(icon, ({ iconKey }) =>
      iconKey === undefined ? contentOfFile(icon.file) : leadTo(iconPath(iconKey, icon.picture)),
    ),
  ),
  ...FILES.map((asset) => record(asset, () => contentOfFile(asset.file))),
  ...TEXTS.map((asset) =>
    record(asset, (site) => {
      const body = asset.text(site)
      return { body, etag: `"${Bun.hash(body).toString(36)}"` }
    }),
  ),
]
