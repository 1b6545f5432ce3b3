/** For users who must change the password that an administrator gave them before they can do anything else. */

import { Alert, Link, TextField } from '@mui/material'

import { forget, signOutLater } from '../api/tokens.ts'
import { notify } from '../browser/notices.ts'
import { texts, useTexts } from '../i18n/words.ts'
import { useForm } from '../ui/use-form.tsx'
import { Frame } from './Frame.tsx'

const words = texts({
  en: {
    title: 'Choose your own password',
    text: 'Somebody gave you the password that you signed in with. Replace it with one that only you know. Then sign in again.',
    old: 'Password that you were given',
    next: 'New password',
    submit: 'Change password',
    changed: 'Password changed. Sign in with the new one.',
    signOut: 'Sign out',
  },
  zh: {
    title: '设置你自己的密码',
    text: '你登录时使用的密码是他人提供的。请改为只有你知道的密码，然后重新登录。',
    old: '收到的密码',
    next: '新密码',
    submit: '更改密码',
    changed: '密码已更改，请用新密码登录。',
    signOut: '退出登录',
  },
})

export default function ChangeInitial() {
  const t = useTexts(words)
  const form = useForm(
    'auth.changePassword',
    { oldPassword: '', newPassword: '' },
    {
      input: (values) => ({ body: { verifyType: 'OLD_PASSWORD' as const, ...values } }),
      refreshes: [],
      onDone() {
        notify(t.changed, 'success')
        forget()
      },
    },
  )
  return (
    <Frame
      title={t.title}
      form={form}
      action={t.submit}
      links={
        <Link component="button" type="button" onClick={signOutLater}>
          {t.signOut}
        </Link>
      }
    >
      <Alert severity="info">{t.text}</Alert>
      <TextField
        {...form.text('oldPassword', { label: t.old })}
        type="password"
        autoComplete="current-password"
        required
        autoFocus
      />
      <TextField {...form.text('newPassword', { label: t.next })} type="password" autoComplete="new-password" />
    </Frame>
  )
}
