import sanitizeHtml from 'sanitize-html'

import { textToHtml } from '../text.ts'
import { type Strict, toHtml } from './render-html.ts'
import { toPlain } from './render-plain.ts'
import { parseReadable } from './tree.ts'

export type { Strict }

export interface Rendered {
  /** Safe to put into a page as it is. */
  readonly html: string
  readonly plain: string
}

export function render(source: string, strict?: Strict): Rendered {
  const tree = parseReadable(source)
  if (tree === undefined) return { html: textToHtml(source), plain: source.trim() }
  return { html: sanitize(toHtml(tree, strict)), plain: toPlain(tree) }
}

/**
 * The same elements and attributes that `render-html.ts` writes. The types of the package do not know `allowedEmptyAttributes`
 * yet.
 */
const OPTIONS: sanitizeHtml.IOptions & { allowedEmptyAttributes: string[] } = {
  allowedTags:
    'p h1 h2 h3 h4 h5 h6 blockquote ul ol li hr br pre code strong em del a img table thead tbody tr th td'.split(' '),
  allowedAttributes: {
    a: ['href', 'title', 'rel'],
    img: ['src', 'alt', 'title', 'loading', 'referrerpolicy'],
    code: ['class'],
    ol: ['start'],
    th: ['align'],
    td: ['align'],
  },
  allowedSchemes: ['http', 'https'],
  allowProtocolRelative: false,
  allowedEmptyAttributes: ['alt', 'href', 'title'],
  disallowedTagsMode: 'escape',
}

/**
 * Second line of defence: a different parser reads the HTML that `toHtml` wrote and removes everything that is not on the list
 * above, so that a mistake in one of the two lets nothing through.
 */
export const sanitize = (html: string): string => sanitizeHtml(html, OPTIONS)
