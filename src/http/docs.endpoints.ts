/** Serves the OpenAPI document, and the page that shows it with files of this server only. */

import { type AppContext, perContext } from '#context'
import { version } from '#platform/version.ts'

import { compressedText, tagOf } from './compressed.ts'
import { assets, DOCS_PAGE, DOCS_POLICY } from './docs-ui/assets.ts'
import { type AnyEndpoint, endpoint, open } from './endpoint.ts'
import { MARK_SVG } from './page-style.ts'
import { cached } from './respond.ts'

const TAG = 'Documentation'

/** The endpoints that document `endpoints`. */
export function docsEndpoints(endpoints: readonly AnyEndpoint[]): AnyEndpoint[] {
  // Imported and built on the first request: most servers never get one, and it would cost each start some milliseconds.
  const build = async (publicUrl: string) => {
    const { openApiDocument } = await import('./openapi/document.ts')
    return compressedText(JSON.stringify(openApiDocument(endpoints, { version, publicUrl })))
  }
  const built = perContext(() => ({ publicUrl: '', document: undefined as ReturnType<typeof build> | undefined }))
  const document = (ctx: AppContext) => {
    const { publicUrl } = ctx.config
    const known = built(ctx)
    if (known.document === undefined || known.publicUrl !== publicUrl)
      Object.assign(known, { publicUrl, document: build(publicUrl) })
    return known.document!
  }
  return [
    endpoint({
      id: 'docs.document',
      method: 'GET',
      path: '/openapi.json',
      summary: 'Get the OpenAPI document',
      tag: TAG,
      access: open,
      answers: 'application/json',
      run: async ({ ctx, request }) =>
        (await document(ctx)).answer(request, {
          'content-type': 'application/json; charset=utf-8',
          // Every origin may read it: the content is public, and code generators and editors in the browser load it.
          'access-control-allow-origin': '*',
        }),
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

const PAGE_TAG = tagOf(DOCS_PAGE)
/** The mark in the accent colour of the pages, light enough for dark tab bars. */
const ICON = MARK_SVG.replaceAll('currentColor', '#2a9c81')
const ICON_TAG = tagOf(ICON)
