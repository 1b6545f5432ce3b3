/** The way back from a provider: exchanges the ticket of the address, and asks for the second factor of those who have one. */

import { Link, Typography } from '@mui/material'
import { useEffect, useRef } from 'react'
import { Link as RouterLink, useNavigate } from 'react-router'

import { tabStorage } from '../browser/storage.ts'
import { texts, useTexts } from '../i18n/words.ts'
import FactorFields from './FactorFields.tsx'
import { Frame } from './Frame.tsx'
import { NO_FACTOR, useSignIn } from './use-sign-in.ts'

const words = texts({
  en: {
    title: 'Sign in',
    running: 'One moment…',
    submit: 'Sign in',
    again: 'Back to sign-in',
  },
  zh: {
    title: '登录',
    running: '请稍候…',
    submit: '登录',
    again: '返回登录',
  },
})

/** The page that was wanted before the sign-in, while its user is at the provider. */
export const TARGET = 'tessera.signInTarget'

export default function Ticket({ ticket }: { ticket: string }) {
  const t = useTexts(words)
  const navigate = useNavigate()
  const { form, ways } = useSignIn('oidc.token', NO_FACTOR, {
    body: () => ({ ticket }),
    onDone(isSame) {
      const target = tabStorage.getItem(TARGET)
      tabStorage.removeItem(TARGET)
      void navigate(isSame && target !== null ? target : '/', { replace: true })
    },
  })
  const isSent = useRef(false)
  useEffect(() => {
    if (isSent.current) return
    isSent.current = true
    // It works once. The history of the browser must not keep it.
    window.history.replaceState(window.history.state, '', window.location.pathname)
    form.submit()
  })
  return (
    <Frame
      title={t.title}
      form={form}
      action={ways && t.submit}
      links={
        (ways !== undefined || form.error !== null) && (
          <Link component={RouterLink} to="/login" replace>
            {t.again}
          </Link>
        )
      }
    >
      {ways ? (
        <FactorFields form={form} ways={ways} />
      ) : (
        form.error === null && <Typography color="text.secondary">{t.running}</Typography>
      )}
    </Frame>
  )
}
