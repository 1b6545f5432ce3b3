import { textToHtml } from '../text.ts'
import { toHtml } from './html.ts'
import { toPlain } from './plain.ts'
import { sanitize } from './sanitize.ts'
import { parseReadable } from './tree.ts'

export interface Rendered {
  /** Safe to put into a page as it is. */
  readonly html: string
  readonly plain: string
}

export function render(source: string): Rendered {
  const tree = parseReadable(source)
  if (tree === undefined) return { html: textToHtml(source), plain: source.trim() }
  return { html: sanitize(toHtml(tree)), plain: toPlain(tree) }
}
