/**
 * Asks the user of an expired session for the password, above the page that is open, so that nothing that was typed is lost. The refused
 * request is then sent again.
 */

import { Button, Dialog, DialogActions, DialogContent, DialogTitle, Stack, TextField, Typography } from '@mui/material'
import { type FormEvent, useEffect, useState, useSyncExternalStore } from 'react'

import { ApiError, NEEDS_TOTP } from '../api/errors.ts'
import { forget, isLapsed, onLapse, renew } from '../api/tokens.ts'
import { texts, useTexts } from '../i18n/words.ts'
import { useSession } from '../session/session.ts'
import { signInWith } from '../session/sign-in.ts'
import { ErrorNotice } from '../ui/Answer.tsx'

const words = texts({
  en: {
    title: 'Your session has expired',
    text: (name: string) => `Sign in again as ${name} to go on. Nothing that you typed is lost.`,
    noPassword: 'Sign in again to go on. The texts that you typed on this page are lost.',
    password: 'Password',
    totp: 'Code of your authenticator app',
    submit: 'Sign in',
    leave: 'Leave this page',
  },
  zh: {
    title: '会话已过期',
    text: (name: string) => `请重新登录 ${name} 以继续，已填写的内容会保留。`,
    noPassword: '请重新登录以继续。此页面上已填写的内容会丢失。',
    password: '密码',
    totp: '身份验证器中的验证码',
    submit: '登录',
    leave: '离开此页面',
  },
})

export function SignInAgain() {
  return useSyncExternalStore(onLapse, isLapsed) ? <Question /> : null
}

function Question() {
  const t = useTexts(words)
  const { user } = useSession()
  const [password, setPassword] = useState('')
  const [totp, setTotp] = useState<string>()
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  // The user may have signed in again in another tab.
  useEffect(() => {
    const check = () => void renew()
    window.addEventListener('focus', check)
    return () => window.removeEventListener('focus', check)
  }, [])

  const account = user.username ?? user.email
  const isPossible = user.hasPassword && (account ?? user.phone) !== null
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setError(undefined)
    const second = totp === undefined ? {} : { totp: totp.replaceAll(/\s/g, '') }
    try {
      if (account !== null) await signInWith('auth.login', { account, password, ...second })
      else await signInWith('auth.phonePasswordLogin', { phone: user.phone!, password, ...second })
    } catch (problem) {
      if (problem instanceof ApiError && problem.code === NEEDS_TOTP && totp === undefined) setTotp('')
      else setError(problem)
    }
    setBusy(false)
  }
  return (
    <Dialog
      open
      fullWidth
      maxWidth="xs"
      aria-labelledby="expired-title"
      // Others may pass by the screen.
      slotProps={{ backdrop: { sx: { backdropFilter: 'blur(12px)' } } }}
    >
      <form onSubmit={(event) => void submit(event)} style={{ display: 'contents' }}>
        <DialogTitle id="expired-title">{t.title}</DialogTitle>
        <DialogContent>
          <Stack spacing={2} sx={{ overflowWrap: 'anywhere' }}>
            <Typography>{isPossible ? t.text(user.nickname) : t.noPassword}</Typography>
            {isPossible && (
              <TextField
                label={t.password}
                type="password"
                value={password}
                onChange={({ target }) => setPassword(target.value)}
                autoComplete="current-password"
                required
                autoFocus
              />
            )}
            {totp !== undefined && (
              <TextField
                label={t.totp}
                value={totp}
                onChange={({ target }) => setTotp(target.value)}
                autoComplete="one-time-code"
                required
                autoFocus
              />
            )}
            {error !== undefined && <ErrorNotice error={error} />}
          </Stack>
        </DialogContent>
        <DialogActions>
          <Button onClick={forget}>{isPossible ? t.leave : t.submit}</Button>
          {isPossible && (
            <Button type="submit" variant="contained" loading={isBusy}>
              {t.submit}
            </Button>
          )}
        </DialogActions>
      </form>
    </Dialog>
  )
}
