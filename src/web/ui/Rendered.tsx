/** Texts that the server has rendered from Markdown. They contain no scripts and no markup of the author. */

import { Box } from '@mui/material'
import { useMemo } from 'react'

import { texts, useTexts } from '../i18n/words.ts'

const words = texts({
  en: { picture: (name: string, host: string) => (name === '' ? `Picture at ${host}` : `Picture: ${name} (${host})`) },
  zh: { picture: (name: string, host: string) => (name === '' ? `${host} 上的图片` : `图片：${name}（${host}）`) },
})

export function Rendered({ html }: { html: string }) {
  const t = useTexts(words)
  const shown = useMemo(() => withOutsideLinks(html, t.picture), [html, t])
  return (
    <Box
      sx={{
        overflowWrap: 'anywhere',
        lineHeight: 1.6,
        '& h1': { fontSize: '1.375rem' },
        '& h2': { fontSize: '1.2rem' },
        '& h3, & h4, & h5, & h6': { fontSize: '1.05rem' },
        '& > :first-of-type': { mt: 0 },
        '& a': { color: 'primary.main' },
        '& pre': { overflowX: 'auto', p: 1.5, bgcolor: 'action.hover', borderRadius: 1 },
        '& blockquote': { m: 0, pl: 2, borderLeft: 3, borderColor: 'divider', color: 'text.secondary' },
        '& table': { borderCollapse: 'collapse' },
        '& td, & th': { border: 1, borderColor: 'divider', px: 1, py: 0.5 },
        '& img': { maxWidth: '100%' },
      }}
      dangerouslySetInnerHTML={{ __html: shown }}
    />
  )
}

/**
 * Links open a new tab, since something may have been typed in this one. Pictures of other servers become links: loading them would tell those
 * servers who reads the text, and the page's policy refuses it.
 */
function withOutsideLinks(html: string, textOf: (name: string, host: string) => string): string {
  if (!/<(?:a|img) /.test(html)) return html
  const { body } = new DOMParser().parseFromString(html, 'text/html')
  for (const image of body.querySelectorAll('img')) {
    const url = URL.parse(image.getAttribute('src') ?? '', location.href)
    if (url === null || url.origin === location.origin) continue
    // Inside a link only its text can be shown.
    const link = document.createElement(image.closest('a') === null ? 'a' : 'span')
    if (link instanceof HTMLAnchorElement) link.href = url.href
    link.textContent = textOf(image.alt, url.host)
    image.replaceWith(link)
  }
  for (const link of body.querySelectorAll('a')) Object.assign(link, { target: '_blank', rel: 'noopener noreferrer' })
  return body.innerHTML
}
