/** The first or a new password, with a code on paper: a start code or a reset code. Slips lead here with both in the fragment of the address. */

import { Alert, Link, TextField } from '@mui/material'
import { useState } from 'react'
import { Link as RouterLink, useLocation } from 'react-router'

import { texts, useTexts } from '../i18n/words.ts'
import { useForm } from '../ui/use-form.tsx'
import { Frame } from './Frame.tsx'

const words = texts({
  en: {
    title: 'Start with a code',
    text: 'You got a code on a slip of paper, by mail or from an administrator. Use it to choose your password.',
    account: 'Username or e-mail',
    code: 'Code',
    codeHelp: '16 letters and digits. Hyphens and upper case do not matter.',
    password: 'New password',
    submit: 'Set password',
    done: 'Your password is set. Sign in with it.',
    signIn: 'Sign in',
  },
  zh: {
    title: '使用初始码',
    text: '你从纸条、邮件或管理员处得到了一个代码，可用它设置密码。',
    account: '用户名或邮箱',
    code: '代码',
    codeHelp: '16 位字母和数字，不区分大小写，可省略连字符。',
    password: '新密码',
    submit: '设置密码',
    done: '密码已设置，请用它登录。',
    signIn: '登录',
  },
})

export default function Start() {
  const t = useTexts(words)
  const given = new URLSearchParams(useLocation().hash.slice(1))
  const [isDone, setDone] = useState(false)
  const form = useForm(
    'auth.redeemCode',
    { account: given.get('account') ?? '', code: given.get('code') ?? '', newPassword: '' },
    { refreshes: [], onDone: () => setDone(true) },
  )
  const isGiven = given.has('code')
  return (
    <Frame
      title={t.title}
      form={form}
      action={isDone ? undefined : t.submit}
      links={
        <Link component={RouterLink} to="/login">
          {t.signIn}
        </Link>
      }
    >
      {isDone ? (
        <Alert severity="success">{t.done}</Alert>
      ) : (
        <>
          <Alert severity="info">{t.text}</Alert>
          <TextField
            {...form.text('account', { label: t.account })}
            autoComplete="username"
            slotProps={{ htmlInput: { autoCapitalize: 'none', spellCheck: false } }}
            autoFocus={!isGiven}
          />
          <TextField
            {...form.text('code', { label: t.code, help: t.codeHelp })}
            autoComplete="off"
            slotProps={{ htmlInput: { autoCapitalize: 'characters', spellCheck: false } }}
          />
          <TextField
            {...form.text('newPassword', { label: t.password })}
            type="password"
            autoComplete="new-password"
            autoFocus={isGiven}
          />
        </>
      )}
    </Frame>
  )
}
