/** The text of an activity as HTML and as plain text. */

import { LRUCache } from 'lru-cache'

import { type AppContext, perContext } from '#context'
import type { ActivityFormat } from '#db/schema/activities.ts'
import { type Rendered, renderMarkdown } from '#lib/markdown/index.ts'
import { textToHtml } from '#lib/text.ts'

interface Described {
  readonly description: string
  readonly descriptionFormat: ActivityFormat
}

/** UTF-16 units: of about a hundred long texts. */
const MAX_KEPT = 8_000_000

/** By their source. Rendering the longest text takes up to 50 ms, in which the server answers nothing else. */
const rendered = perContext(
  () =>
    new LRUCache<string, Rendered>({
      maxSize: MAX_KEPT,
      sizeCalculation: ({ html, plain }, source) => html.length + plain.length + source.length + 1,
    }),
)

/** Markdown that any user may publish. */
export function renderDescription(ctx: AppContext, source: string): Promise<Rendered> {
  const { publicUrl } = ctx.config
  const showsPicture = (address: string): boolean =>
    PUBLIC_IMAGE.test(address.startsWith(`${publicUrl}/`) ? address.slice(publicUrl.length) : address)
  return renderMarkdown(source, { showsPicture })
}

async function keptOrRendered(ctx: AppContext, source: string): Promise<Rendered> {
  const kept = rendered(ctx).get(source)
  if (kept !== undefined) return kept
  const made = await renderDescription(ctx, source)
  rendered(ctx).set(source, made)
  return made
}

/** Nothing else of this server: opening a short link counts a scan, and leads anywhere. */
const PUBLIC_IMAGE = /^\/public\/images\/[\w-]+$/

export const descriptionHtml = async (ctx: AppContext, row: Described): Promise<string> => {
  if (row.descriptionFormat === 'MARKDOWN') return (await keptOrRendered(ctx, row.description)).html
  return row.description === '' ? '' : textToHtml(row.description)
}

/** For calendars and other programs that show no markup. */
export const descriptionText = async (ctx: AppContext, row: Described): Promise<string> =>
  row.descriptionFormat === 'MARKDOWN' ? (await keptOrRendered(ctx, row.description)).plain : row.description
