/** Sets the first password, or changes it with the old one or with a code. A change ends all sessions. */

import { Button, Stack, TextField, ToggleButton, ToggleButtonGroup } from '@mui/material'
import { useState } from 'react'

import { useAction } from '../../api/hooks.ts'
import { forget } from '../../api/tokens.ts'
import { notify } from '../../browser/notices.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { reloadSession, useSession } from '../../session/session.ts'
import { ErrorNotice } from '../../ui/Answer.tsx'
import { CodeField } from '../../ui/CodeField.tsx'
import { FormDialog } from '../../ui/dialogs.tsx'
import { Section } from '../../ui/parts.tsx'

const words = texts({
  en: {
    title: 'Password',
    none: 'This account has no password yet. With one you can sign in on every device.',
    text: 'A change ends the sessions on all devices, also on this one. Then sign in with the new password.',
    set: 'Set password',
    change: 'Change password',
    old: 'Current password',
    next: 'New password',
    hint: 'At least 8 characters. Several words are easy to remember.',
    saved: 'Password saved.',
    changed: 'Password changed. Sign in with the new one.',
    ways: { OLD_PASSWORD: 'Password', EMAIL_CODE: 'Code by e-mail', PHONE_CODE: 'Code by SMS' },
  },
  zh: {
    title: '密码',
    none: '此账号尚未设置密码。设置后可在任何设备上登录。',
    text: '更改密码后，包括本机在内的所有设备都会退出，请用新密码重新登录。',
    set: '设置密码',
    change: '更改密码',
    old: '当前密码',
    next: '新密码',
    hint: '至少 8 个字符，几个词语的组合便于记忆。',
    saved: '密码已保存。',
    changed: '密码已更改，请用新密码登录。',
    ways: { OLD_PASSWORD: '密码', EMAIL_CODE: '邮箱验证码', PHONE_CODE: '短信验证码' },
  },
})

type Way = 'OLD_PASSWORD' | 'EMAIL_CODE' | 'PHONE_CODE'

export function Password() {
  const t = useTexts(words)
  const { user } = useSession()
  const [isOpen, setOpen] = useState(false)
  return (
    <Section title={t.title} text={user.hasPassword ? t.text : t.none}>
      <Button variant="outlined" onClick={() => setOpen(true)}>
        {user.hasPassword ? t.change : t.set}
      </Button>
      {isOpen &&
        (user.hasPassword ? <Change onClose={() => setOpen(false)} /> : <SetFirst onClose={() => setOpen(false)} />)}
    </Section>
  )
}

function SetFirst({ onClose }: { onClose: () => void }) {
  const t = useTexts(words)
  const [password, setPassword] = useState('')
  const save = useAction('profile.setPassword', {
    done: t.saved,
    quiet: true,
    onDone: () => {
      onClose()
      void reloadSession()
    },
  })
  return (
    <FormDialog
      isOpen
      title={t.set}
      action={t.set}
      isBusy={save.isPending}
      onClose={onClose}
      onSubmit={() => save.mutate({ body: { password } })}
      maxWidth="xs"
    >
      <NewPassword value={password} onChange={setPassword} error={save.error?.problem('password')} />
      {save.error !== null && save.error.details.length === 0 && <ErrorNotice error={save.error} />}
    </FormDialog>
  )
}

function Change({ onClose }: { onClose: () => void }) {
  const t = useTexts(words)
  const { user } = useSession()
  const proved = user.identities.filter(({ verified }) => verified).map(({ provider }) => provider)
  const ways: readonly Way[] = [
    'OLD_PASSWORD',
    ...(proved.includes('EMAIL') ? (['EMAIL_CODE'] as const) : []),
    ...(proved.includes('PHONE') ? (['PHONE_CODE'] as const) : []),
  ]
  const [way, setWay] = useState<Way>('OLD_PASSWORD')
  const [proof, setProof] = useState('')
  const [newPassword, setNewPassword] = useState('')
  const change = useAction('auth.changePassword', {
    quiet: true,
    refreshes: [],
    onDone: () => {
      notify(t.changed, 'success')
      forget()
    },
  })
  const submit = () =>
    change.mutate({
      body:
        way === 'OLD_PASSWORD'
          ? { verifyType: way, oldPassword: proof, newPassword }
          : { verifyType: way, code: proof, newPassword },
    })
  const problem = (field: string) => change.error?.problem(field)
  const isShownAtField = ['oldPassword', 'newPassword', 'code'].some((field) => problem(field) !== undefined)
  return (
    <FormDialog
      isOpen
      title={t.change}
      action={t.change}
      isBusy={change.isPending}
      onClose={onClose}
      onSubmit={submit}
      maxWidth="xs"
    >
      {ways.length > 1 && (
        <ToggleButtonGroup
          exclusive
          fullWidth
          size="small"
          value={way}
          onChange={(_, next: Way | null) => {
            if (next === null) return
            setWay(next)
            setProof('')
          }}
        >
          {ways.map((each) => (
            <ToggleButton key={each} value={each}>
              {t.ways[each]}
            </ToggleButton>
          ))}
        </ToggleButtonGroup>
      )}
      {way === 'OLD_PASSWORD' ? (
        <TextField
          label={t.old}
          type="password"
          value={proof}
          onChange={({ target }) => setProof(target.value)}
          error={problem('oldPassword') !== undefined}
          helperText={problem('oldPassword')}
          autoComplete="current-password"
          required
          autoFocus
        />
      ) : (
        <CodeField
          key={way}
          operation="auth.changeCode"
          recipient={way === 'EMAIL_CODE' ? 'EMAIL' : 'PHONE'}
          recipientName={(way === 'EMAIL_CODE' ? user.email : user.phone) ?? ''}
          value={proof}
          onChange={setProof}
        />
      )}
      <NewPassword value={newPassword} onChange={setNewPassword} error={problem('newPassword')} />
      {change.error !== null && !isShownAtField && <ErrorNotice error={change.error} />}
    </FormDialog>
  )
}

function NewPassword({
  value,
  onChange,
  error,
}: {
  value: string
  onChange: (value: string) => void
  error: string | undefined
}) {
  const t = useTexts(words)
  return (
    <Stack>
      <TextField
        label={t.next}
        type="password"
        value={value}
        onChange={({ target }) => onChange(target.value)}
        error={error !== undefined}
        helperText={error ?? t.hint}
        autoComplete="new-password"
        required
      />
    </Stack>
  )
}
