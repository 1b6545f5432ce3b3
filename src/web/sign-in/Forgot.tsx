/** A new password for a user who proves an e-mail address or phone number with a code. */

import { Alert, Link, TextField } from '@mui/material'
import { useState } from 'react'
import { Link as RouterLink } from 'react-router'

import { texts, useTexts } from '../i18n/words.ts'
import { CodeField } from '../ui/CodeField.tsx'
import { useForm } from '../ui/use-form.tsx'
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

export default function Forgot() {
  const t = useTexts(words)
  const { state } = useTarget()
  const [isDone, setDone] = useState(false)
  const form = useForm(
    'auth.resetPassword',
    { credential: '', code: '', newPassword: '' },
    { refreshes: [], onDone: () => setDone(true) },
  )
  return (
    <Frame
      title={t.title}
      form={form}
      action={isDone ? undefined : t.submit}
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
          <TextField {...form.text('credential', { label: t.credential })} autoComplete="username" autoFocus />
          <CodeField {...form.pick('code')} operation="auth.forgotCode" recipient={form.values.credential} />
          <TextField {...form.text('newPassword', { label: t.password })} type="password" autoComplete="new-password" />
        </>
      )}
    </Frame>
  )
}
