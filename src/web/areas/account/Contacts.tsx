/** E-mail address and phone number: ways to sign in and to get notices and codes. */

import { EmailOutlined, PhoneOutlined } from '@mui/icons-material'
import { Button, List, ListItem, ListItemIcon, ListItemText, Stack, TextField } from '@mui/material'
import { useState } from 'react'

import { notify } from '../../browser/notices.ts'
import { labelled } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { reloadSession, useSession } from '../../session/session.ts'
import { ActionDialog } from '../../ui/ActionDialog.tsx'
import { CodeField } from '../../ui/CodeField.tsx'
import { FormDialog } from '../../ui/dialogs.tsx'
import { Section } from '../../ui/parts.tsx'
import { useForm } from '../../ui/use-form.tsx'

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
  const [open, setOpen] = useState<{ kind: Kind; isRemoval: boolean }>()
  const close = () => setOpen(undefined)
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
                <Button
                  color="error"
                  onClick={() => setOpen({ kind, isRemoval: true })}
                  aria-label={`${t.remove}: ${t[kind]}`}
                >
                  {t.remove}
                </Button>
              )}
              <Button
                variant="outlined"
                onClick={() => setOpen({ kind, isRemoval: false })}
                aria-label={`${user[kind] === null ? t.add : t.change}: ${t[kind]}`}
              >
                {user[kind] === null ? t.add : t.change}
              </Button>
            </Stack>
          </ListItem>
        ))}
      </List>
      {open?.isRemoval === false && <Bind kind={open.kind} onClose={close} />}
      {open?.isRemoval && (
        <ActionDialog
          operation={open.kind === 'phone' ? 'auth.phoneUnbind' : 'auth.emailUnbind'}
          input={{}}
          title={labelled(t.remove, t[open.kind])}
          text={open.kind === 'email' ? t.removeEmail : t.removePhone}
          action={t.remove}
          refreshes={['profile']}
          onDone={({ hint }) => {
            notify(hint ?? t.removed, hint === null ? 'success' : 'warning')
            void reloadSession()
          }}
          onClose={close}
        />
      )}
    </Section>
  )
}

function Bind({ kind, onClose }: { kind: Kind; onClose: () => void }) {
  const t = useTexts(words)
  const isEmail = kind === 'email'
  const form = useForm(
    isEmail ? 'auth.emailBind' : 'auth.phoneBind',
    { email: '', phone: '', code: '' },
    {
      input: ({ email, phone, code }) => ({ body: isEmail ? { email, code } : { phone, code } }),
      refreshes: ['profile'],
      done: t.saved,
      onDone() {
        onClose()
        void reloadSession()
      },
    },
  )
  const label = isEmail ? t.addEmail : t.addPhone
  return (
    <FormDialog form={form} title={label} action={t.save} onClose={onClose} maxWidth="xs">
      <TextField
        {...form.text(kind, { label, ...(!isEmail && { help: t.phoneHint }) })}
        type={isEmail ? 'email' : 'tel'}
        autoComplete={isEmail ? 'email' : 'tel'}
        autoFocus
      />
      <CodeField
        {...form.pick('code')}
        operation={isEmail ? 'auth.emailBindCode' : 'auth.phoneBindCode'}
        recipient={form.values[kind].trim()}
      />
    </FormDialog>
  )
}
