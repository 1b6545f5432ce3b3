/** Serves the OpenAPI document, and the page that shows it with files of this server only. */

import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

import { perContext } from '#context'
import { version } from '#platform/version.ts'

import { assets, DOCS_PAGE, DOCS_POLICY } from './docs-ui/assets.ts'
import { type AnyEndpoint, endpoint, open } from './endpoint.ts'
import { MARK_SVG } from './page-style.ts'
import { cached } from './respond.ts'
import { chooseCoding, type Coding } from './web-console/coding.ts'

const TAG = 'Documentation'

/** The endpoints that document `endpoints`. */
export function docsEndpoints(endpoints: readonly AnyEndpoint[]): AnyEndpoint[] {
  // Imported and built on the first request: most servers never get one, and it would cost each start some milliseconds.
  const document = perContext(async (ctx) => {
    const { openApiDocument } = await import('./openapi/document.ts')
    const body = JSON.stringify(openApiDocument(endpoints, { version, publicUrl: ctx.config.publicUrl }))
    const compressed = new Map<Coding, Promise<Blob>>()
    return {
      etag: tagOf(body),
      /** Each coding is made once, when it is first asked for, and not on the event loop. */
      bytes(coding: Coding): Promise<Blob> {
        const known = compressed.get(coding)
        if (known !== undefined) return known
        const made = compress(body, coding)
        compressed.set(coding, made)
        return made
      },
    }
  })
  return [
    endpoint({
      id: 'docs.document',
      method: 'GET',
      path: '/openapi.json',
      summary: 'Get the OpenAPI document',
      tag: TAG,
      access: open,
      answers: 'application/json',
      async run({ ctx, request }) {
        const { bytes, etag } = await document(ctx)
        const coding = chooseCoding(request.headers.get('accept-encoding'), ['br', 'gzip'])
        const isCompressed = coding !== 'identity'
        // A strong tag names the bytes, which are others in each coding.
        return cached(request, await bytes(coding), isCompressed ? `${etag.slice(0, -1)}-${coding}"` : etag, {
          'content-type': 'application/json; charset=utf-8',
          vary: 'accept-encoding',
          ...(isCompressed && { 'content-encoding': coding }),
          // Every origin may read it: the content is public, and code generators and editors in the browser load it.
          'access-control-allow-origin': '*',
        })
      },
    }),
    endpoint({
      id: 'docs.page',
      method: 'GET',
      path: '/docs',
      summary: 'Show the API in the browser',
      tag: TAG,
      access: open,
      answers: 'text/html',
      run: ({ request }) =>
        cached(request, DOCS_PAGE, PAGE_TAG, {
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy': DOCS_POLICY,
          'referrer-policy': 'no-referrer',
        }),
    }),
    ...assets.map(({ name, file, type }) =>
      endpoint({
        id: `docs.${name}`,
        method: 'GET',
        path: `/docs/${name}`,
        summary: `Get the file ${name} of /docs`,
        tag: TAG,
        access: open,
        answers: type.split(';')[0]!,
        run({ request }) {
          const content = Bun.file(file)
          return cached(request, content, `"${version}-${content.size}"`, { 'content-type': type })
        },
      }),
    ),
    endpoint({
      id: 'docs.icon',
      method: 'GET',
      path: '/favicon.svg',
      summary: 'Get the icon of the pages',
      tag: TAG,
      access: open,
      answers: 'image/svg+xml',
      run: ({ request }) => cached(request, ICON, ICON_TAG, { 'content-type': 'image/svg+xml' }),
    }),
  ]
}

/** Brotli at its highest quality would take seconds for a few kilobytes less. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 8 } }

async function compress(body: string, coding: Coding): Promise<Blob> {
  if (coding === 'br') return new Blob([await promisify(brotliCompress)(body, BROTLI)])
  return new Blob([coding === 'gzip' ? await promisify(gzip)(body) : body])
}

const tagOf = (text: string): string => `"${Bun.hash(text).toString(36)}"`

const PAGE_TAG = tagOf(DOCS_PAGE)
/** The mark in the accent colour of the pages, light enough for dark tab bars. */
const ICON = MARK_SVG.replaceAll('currentColor', '#2a9c81')
const ICON_TAG = tagOf(ICON)
