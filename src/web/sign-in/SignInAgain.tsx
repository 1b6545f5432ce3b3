/**
 * Asks the user of an expired session for the password, above the page that is open, so that nothing that was typed is lost. The refused
 * request is then sent again.
 */

import { Button, Dialog, DialogActions, DialogContent, DialogTitle, Stack, TextField, Typography } from '@mui/material'
import { useEffect, useSyncExternalStore } from 'react'

import { forget, isLapsed, onLapse, renew } from '../api/tokens.ts'
import { texts, useTexts } from '../i18n/words.ts'
import { useSession } from '../session/session.ts'
import { ErrorNotice } from '../ui/Answer.tsx'
import { Nothing, part } from '../ui/part.tsx'
import type { Form } from '../ui/use-form.tsx'
import { type FactorValues, NO_FACTOR, useSignIn } from './use-sign-in.ts'

const FactorFields = part(() => import('./FactorFields.tsx'), Nothing)

const words = texts({
  en: {
    title: 'Your session has expired',
    text: (name: string) => `Sign in again as ${name} to go on. Nothing that you typed is lost.`,
    noPassword: 'Sign in again to go on. The texts that you typed on this page are lost.',
    submit: 'Sign in',
    leave: 'Leave this page',
  },
  zh: {
    title: '会话已过期',
    text: (name: string) => `请重新登录 ${name} 以继续，已填写的内容会保留。`,
    noPassword: '请重新登录以继续。此页面上已填写的内容会丢失。',
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
  // The user may have signed in again in another tab.
  useEffect(() => {
    const check = () => void renew()
    window.addEventListener('focus', check)
    return () => window.removeEventListener('focus', check)
  }, [])

  const account = user.username ?? user.email
  const isPossible = user.hasPassword && (account ?? user.phone) !== null
  const { form, ways } = useSignIn(
    account === null ? 'auth.phonePasswordLogin' : 'auth.login',
    { password: '', ...NO_FACTOR },
    { body: ({ password }) => ({ ...(account === null ? { phone: user.phone! } : { account }), password }) },
  )
  return (
    <Dialog
      open
      fullWidth
      maxWidth="xs"
      aria-labelledby="expired-title"
      // Others may pass by the screen.
      slotProps={{ backdrop: { sx: { backdropFilter: 'blur(12px)' } } }}
    >
      <form onSubmit={form.submit} style={{ display: 'contents' }}>
        <DialogTitle id="expired-title">{t.title}</DialogTitle>
        <DialogContent>
          <Stack spacing={2} sx={{ overflowWrap: 'anywhere' }}>
            <Typography>{isPossible ? t.text(user.nickname) : t.noPassword}</Typography>
            {isPossible && (
              <TextField {...form.text('password')} type="password" autoComplete="current-password" autoFocus />
            )}
            {ways && <FactorFields form={form as Form<FactorValues>} ways={ways} />}
            {form.error !== null && <ErrorNotice error={form.error} />}
          </Stack>
        </DialogContent>
        <DialogActions>
          <Button onClick={forget}>{isPossible ? t.leave : t.submit}</Button>
          {isPossible && (
            <Button type="submit" variant="contained" loading={form.isBusy}>
              {t.submit}
            </Button>
          )}
        </DialogActions>
      </form>
    </Dialog>
  )
}
