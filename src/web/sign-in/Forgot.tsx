/** A new password for a user who proves an e-mail address or phone number with a code. */

import { Alert, Button, Link, TextField } from '@mui/material'
import { useState } from 'react'
import { Link as RouterLink } from 'react-router'

import { call } from '../api/client.ts'
import { ApiError } from '../api/errors.ts'
import { texts, useTexts } from '../i18n/words.ts'
import { ErrorNotice } from '../ui/Answer.tsx'
import { CodeField } from '../ui/CodeField.tsx'
import { Frame } from './Frame.tsx'
import { useTarget } from './target.ts'

const words = texts({
  en: {
    title: 'Set a new password',
    credential: 'E-mail or phone of your account',
    password: 'New password',
    submit: 'Set password',
    done: 'Your password was changed. Sign in with it.',
    signIn: 'Back to sign-in',
  },
  zh: {
    title: '重设密码',
    credential: '账号的邮箱或手机号',
    password: '新密码',
    submit: '设置密码',
    done: '密码已更改，请用新密码登录。',
    signIn: '返回登录',
  },
})

export function Forgot() {
  const t = useTexts(words)
  const { state } = useTarget()
  const [credential, setCredential] = useState('')
  const [code, setCode] = useState('')
  const [newPassword, setNewPassword] = useState('')
  const [error, setError] = useState<ApiError>()
  const [isDone, setDone] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const submit = async () => {
    setBusy(true)
    setError(undefined)
    try {
      await call('auth.resetPassword', { body: { credential, code, newPassword } })
      setDone(true)
    } catch (problem) {
      if (!(problem instanceof ApiError)) throw problem
      setError(problem)
    } finally {
      setBusy(false)
    }
  }
  const passwordProblem = error?.problem('newPassword')
  return (
    <Frame
      title={t.title}
      onSubmit={() => void submit()}
      links={
        <Link component={RouterLink} to="/login" state={state}>
          {t.signIn}
        </Link>
      }
    >
      {isDone ? (
        <Alert severity="success">{t.done}</Alert>
      ) : (
        <>
          <TextField
            label={t.credential}
            value={credential}
            onChange={(event) => setCredential(event.target.value)}
            autoComplete="username"
            required
            autoFocus
          />
          <CodeField operation="auth.forgotCode" recipient={credential} value={code} onChange={setCode} />
          <TextField
            label={t.password}
            type="password"
            value={newPassword}
            onChange={(event) => setNewPassword(event.target.value)}
            autoComplete="new-password"
            error={passwordProblem !== undefined}
            helperText={passwordProblem}
            required
          />
          {error !== undefined && passwordProblem === undefined && <ErrorNotice error={error} />}
          <Button type="submit" variant="contained" size="large" loading={isBusy}>
            {t.submit}
          </Button>
        </>
      )}
    </Frame>
  )
}
