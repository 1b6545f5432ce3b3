/** The second wall: another parser reads what the first one wrote and keeps only what is named here, too. */

import sanitizeHtml from 'sanitize-html'

/** The types of the package do not know `allowedEmptyAttributes` yet. */
const OPTIONS: sanitizeHtml.IOptions & { allowedEmptyAttributes: string[] } = {
  allowedTags:
    'p h1 h2 h3 h4 h5 h6 blockquote ul ol li hr br pre code strong em del a img table thead tbody tr th td'.split(' '),
  allowedAttributes: {
    a: ['href', 'title'],
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

export const sanitize = (html: string): string => sanitizeHtml(html, OPTIONS)
