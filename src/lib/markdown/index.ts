/**
 * Renders Markdown as safe HTML and as plain text (spec §1): raw HTML is escaped, tables and bare addresses are supported, links
 * are http, https or relative. Bun parses, our own writer emits listed elements only, and sanitize-html checks the result. Loaded
 * at the first use, because most servers render rarely and the sanitizer takes 18 MB.
 */

import type { Rendered, Strict } from './render.ts'

export type { Rendered, Strict }

export async function renderMarkdown(source: string, strict?: Strict): Promise<Rendered> {
  const { render } = await import('./render.ts')
  return render(source, strict)
}
