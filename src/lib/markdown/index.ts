/**
 * Markdown to safe HTML and to plain text (spec §1): raw HTML is escaped, tables and bare addresses work, links are http, https or
 * relative. Bun parses, an allow-list writes, sanitize-html checks. Loaded at the first use: most servers render rarely, and the
 * sanitizer costs memory.
 */

import type { Rendered } from './render.ts'

export type { Rendered }

export async function renderMarkdown(source: string): Promise<Rendered> {
  const { render } = await import('./render.ts')
  return render(source)
}
