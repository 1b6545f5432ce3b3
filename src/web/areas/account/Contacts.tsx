/** E-mail address and phone number: ways to sign in and to get notices and codes. */

import { EmailOutlined, PhoneOutlined } from '@mui/icons-material'
import { Button, List, ListItem, ListItemIcon, ListItemText, Stack, TextField } from '@mui/material'
import { useState } from 'react'

import { useAction } from '../../api/hooks.ts'
import { notify } from '../../browser/notices.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { reloadSession, useSession } from '../../session/session.ts'
import { ErrorNotice } from '../../ui/Answer.tsx'
import { CodeField } from '../../ui/CodeField.tsx'
import { ConfirmDialog, FormDialog } from '../../ui/dialogs.tsx'
import { Section } from '../../ui/parts.tsx'

const words = texts({
  en: {
    title: 'E-mail and phone',
    text: 'You can sign in with them, and set a new password if you have forgotten it.',
    email: 'E-mail',
    phone: 'Phone',
    none: 'Not added',
    unproved: 'Not confirmed yet: add it again to get a code',
    add: 'Add',
    change: 'Change',
    remove: 'Remove',
    addEmail: 'E-mail address',
    addPhone: 'Phone number',
    phoneHint: '11 digits in mainland China, otherwise + and the country code.',
    save: 'Save',
    saved: 'Saved.',
    removed: 'Removed.',
    removeEmail:
      'You can no longer sign in with this address, and get no mails. The old address gets a mail with a link that undoes this for three days.',
    removePhone: 'You can no longer sign in with this number.',
  },
  zh: {
    title: '邮箱与手机号',
    text: '可用于登录，忘记密码时也可用来设置新密码。',
    email: '邮箱',
    phone: '手机号',
    none: '未绑定',
    unproved: '尚未验证：请重新绑定以获取验证码',
    add: '绑定',
    change: '更换',
    remove: '解绑',
    addEmail: '邮箱地址',
    addPhone: '手机号码',
    phoneHint: '中国大陆为 11 位数字，其他地区请输入 + 和国家代码。',
    save: '保存',
    saved: '已保存。',
    removed: '已解绑。',
    removeEmail: '解绑后无法用此邮箱登录，也收不到邮件。原邮箱会收到一封邮件，三天内可撤销。',
    removePhone: '解绑后无法用此手机号登录。',
  },
})

type Kind = 'email' | 'phone'

export function Contacts() {
  const t = useTexts(words)
  const { user } = useSession()
  const [binding, setBinding] = useState<Kind>()
  const [removing, setRemoving] = useState<Kind>()
  const onUnbound = ({ hint }: { hint: string | null }) => {
    setRemoving(undefined)
    notify(hint ?? t.removed, hint === null ? 'success' : 'warning')
    void reloadSession()
  }
  const refreshes = ['profile']
  const unbindEmail = useAction('auth.emailUnbind', { refreshes, quiet: true, onDone: onUnbound })
  const unbindPhone = useAction('auth.phoneUnbind', { refreshes, quiet: true, onDone: onUnbound })
  const unbind = removing === 'email' ? unbindEmail : unbindPhone
  const isProved = (kind: Kind) =>
    user.identities.some(({ provider, verified }) => verified && provider === (kind === 'email' ? 'EMAIL' : 'PHONE'))
  return (
    <Section title={t.title} text={t.text}>
      <List disablePadding>
        {(['email', 'phone'] as const).map((kind) => (
          <ListItem key={kind} disableGutters sx={{ flexWrap: 'wrap' }}>
            <ListItemIcon sx={{ minWidth: 40 }}>
              {kind === 'email' ? <EmailOutlined /> : <PhoneOutlined />}
            </ListItemIcon>
            <ListItemText
              primary={t[kind]}
              secondary={user[kind] === null ? t.none : isProved(kind) ? user[kind] : `${user[kind]}. ${t.unproved}`}
              slotProps={{ secondary: { sx: { overflowWrap: 'anywhere' } } }}
            />
            <Stack direction="row" spacing={1}>
              {user[kind] !== null && (
                <Button color="error" onClick={() => setRemoving(kind)} aria-label={`${t.remove}: ${t[kind]}`}>
                  {t.remove}
                </Button>
              )}
              <Button
                variant="outlined"
                onClick={() => setBinding(kind)}
                aria-label={`${user[kind] === null ? t.add : t.change}: ${t[kind]}`}
              >
                {user[kind] === null ? t.add : t.change}
              </Button>
            </Stack>
          </ListItem>
        ))}
      </List>
      {binding !== undefined && <Bind kind={binding} onClose={() => setBinding(undefined)} />}
      {removing !== undefined && (
        <ConfirmDialog
          isOpen
          title={`${t.remove}: ${t[removing]}`}
          text={removing === 'email' ? t.removeEmail : t.removePhone}
          action={t.remove}
          isBusy={unbind.isPending}
          error={unbind.error}
          onConfirm={() => unbind.mutate()}
          onClose={() => {
            unbind.reset()
            setRemoving(undefined)
          }}
        />
      )}
    </Section>
  )
}

function Bind({ kind, onClose }: { kind: Kind; onClose: () => void }) {
  const t = useTexts(words)
  const [address, setAddress] = useState('')
  const [code, setCode] = useState('')
  const settings = {
    refreshes: ['profile'],
    done: t.saved,
    quiet: true,
    onDone: () => {
      onClose()
      void reloadSession()
    },
  } as const
  const bindEmail = useAction('auth.emailBind', settings)
  const bindPhone = useAction('auth.phoneBind', settings)
  const { error, isPending } = kind === 'email' ? bindEmail : bindPhone
  const problem = error?.problem(kind)
  return (
    <FormDialog
      isOpen
      title={kind === 'email' ? t.addEmail : t.addPhone}
      action={t.save}
      isBusy={isPending}
      onClose={onClose}
      onSubmit={() =>
        kind === 'email'
          ? bindEmail.mutate({ body: { email: address.trim(), code } })
          : bindPhone.mutate({ body: { phone: address.trim(), code } })
      }
      maxWidth="xs"
    >
      <TextField
        label={kind === 'email' ? t.addEmail : t.addPhone}
        type={kind === 'email' ? 'email' : 'tel'}
        value={address}
        onChange={({ target }) => setAddress(target.value)}
        error={problem !== undefined}
        helperText={problem ?? (kind === 'phone' ? t.phoneHint : undefined)}
        autoComplete={kind === 'email' ? 'email' : 'tel'}
        required
        autoFocus
      />
      <CodeField
        operation={kind === 'email' ? 'auth.emailBindCode' : 'auth.phoneBindCode'}
        recipient={address.trim()}
        value={code}
        onChange={setCode}
      />
      {error !== null && problem === undefined && <ErrorNotice error={error} />}
    </FormDialog>
  )
}
