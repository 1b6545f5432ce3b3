/** Who runs the server and how to reach them, below the pages before the sign-in. */

import { Link, Typography } from '@mui/material'

import { site } from '../browser/site.ts'
import { texts, useTexts } from '../i18n/words.ts'

const words = texts({
  en: { imprint: 'Legal notice', privacy: 'Privacy' },
  zh: { imprint: '法律声明', privacy: '隐私' },
})

export function Foot() {
  const t = useTexts(words)
  if (site.contact === undefined) return null
  const { operator, email, phone, url, imprintUrl, privacyUrl } = site.contact
  const parts: (readonly [text: string | null, href: string | null])[] = [
    [operator, url],
    [email, `mailto:${email}`],
    [phone, `tel:${phone?.replaceAll(/[^+\d]/g, '')}`],
    [imprintUrl && t.imprint, imprintUrl],
    [privacyUrl && t.privacy, privacyUrl],
  ]
  return (
    <Typography
      component="footer"
      variant="body2"
      color="text.secondary"
      sx={{ mt: 3, textAlign: 'center', overflowWrap: 'anywhere', maxWidth: '100%' }}
    >
      {parts
        .filter(([text]) => text)
        .map(([text, href], nth) => (
          <span key={text}>
            {nth > 0 && ' · '}
            {href === null ? (
              text
            ) : (
              <Link href={href} color="inherit">
                {text}
              </Link>
            )}
          </span>
        ))}
    </Typography>
  )
}
