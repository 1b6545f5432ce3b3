/** Sets the first password, or changes it with the old one or with a code. A change ends all sessions. */

import { TextField } from '@mui/material'

import { useCall } from '../../api/hooks.ts'
import { usePages } from '../../api/pages.ts'
import { forget } from '../../api/tokens.ts'
import { notify } from '../../browser/notices.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { reloadSession, useSession } from '../../session/session.ts'
import { hasEnded } from '../../ui/api-keys.tsx'
import { CodeField } from '../../ui/CodeField.tsx'
import { DialogButton } from '../../ui/DialogButton.tsx'
import { FormDialog } from '../../ui/dialogs.tsx'
import { CheckField, ToggleField } from '../../ui/fields.tsx'
import { Section } from '../../ui/parts.tsx'
import { useForm } from '../../ui/use-form.tsx'

const words = texts({
  en: {
    title: 'Password',
    none: 'This account has no password yet. With one you can sign in on every device.',
    text: 'Changing the password ends the sessions on all devices, including this one. Then sign in with the new password.',
    set: 'Set password',
    change: 'Change password',
    old: 'Current password',
    next: 'New password',
    hint: 'Several words are long and easy to remember.',
    saved: 'Password saved.',
    changed: 'Password changed. Sign in with the new one.',
    keep: (names: string) => `Keep my passkeys: ${names}`,
    keepHelp: 'Otherwise passkeys made on other devices are removed. Keep them only if you know all of them.',
    keepKeys: 'Keep the API keys',
    keepKeysHelp:
      'Otherwise programs that use them are refused. Leave it unchecked if somebody may know your password.',
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
    hint: '几个词语的组合足够长，也便于记忆。',
    saved: '密码已保存。',
    changed: '密码已更改，请用新密码登录。',
    keep: (names: string) => `保留我的通行密钥：${names}`,
    keepHelp: '否则在其他设备上创建的通行密钥将失效。请仅在认得全部通行密钥时保留。',
    keepKeys: '保留 API 密钥',
    keepKeysHelp: '否则使用它们的程序会被拒绝。如果密码可能已泄露，请不要勾选。',
    ways: { OLD_PASSWORD: '密码', EMAIL_CODE: '邮箱验证码', PHONE_CODE: '短信验证码' },
  },
})

export function Password() {
  const t = useTexts(words)
  const { user } = useSession()
  return (
    <Section title={t.title} text={user.hasPassword ? t.text : t.none}>
      <DialogButton label={user.hasPassword ? t.change : t.set} variant="outlined">
        {(close) => (user.hasPassword ? <Change onClose={close} /> : <SetFirst onClose={close} />)}
      </DialogButton>
    </Section>
  )
}

function SetFirst({ onClose }: { onClose: () => void }) {
  const t = useTexts(words)
  const form = useForm(
    'profile.setPassword',
    { password: '' },
    {
      done: t.saved,
      onDone() {
        onClose()
        void reloadSession()
      },
    },
  )
  return (
    <FormDialog form={form} title={t.set} action={t.set} onClose={onClose} maxWidth="xs">
      <TextField
        {...form.text('password', { label: t.next, help: t.hint })}
        type="password"
        autoComplete="new-password"
      />
    </FormDialog>
  )
}

type Way = 'OLD_PASSWORD' | 'EMAIL_CODE' | 'PHONE_CODE'

function Change({ onClose }: { onClose: () => void }) {
  const t = useTexts(words)
  const { user } = useSession()
  const proved = user.identities.filter(({ verified }) => verified).map(({ provider }) => provider)
  const { OLD_PASSWORD, EMAIL_CODE, PHONE_CODE } = t.ways
  const ways = {
    OLD_PASSWORD,
    ...(proved.includes('EMAIL') && { EMAIL_CODE }),
    ...(proved.includes('PHONE') && { PHONE_CODE }),
  }
  const form = useForm(
    'auth.changePassword',
    {
      verifyType: 'OLD_PASSWORD' as Way,
      oldPassword: '',
      code: '',
      newPassword: '',
      keepPasskeys: false,
      keepApiKeys: false,
    },
    {
      input: ({ verifyType, oldPassword, code, ...rest }) => ({
        body: { verifyType, ...rest, ...(verifyType === 'OLD_PASSWORD' ? { oldPassword } : { code }) },
      }),
      refreshes: [],
      onDone() {
        notify(t.changed, 'success')
        forget()
      },
    },
  )
  const way = form.values.verifyType
  const passkeys = useCall('passkeys.list').data?.items ?? []
  // Ended keys are in the list for some time.
  const { items: keys = [] } = usePages('apiKeys.list', undefined, { size: 100 })
  return (
    <FormDialog form={form} title={t.change} action={t.change} onClose={onClose} maxWidth="xs">
      {Object.keys(ways).length > 1 && (
        <ToggleField
          value={way}
          onChange={(verifyType) => form.set({ verifyType, oldPassword: '', code: '' })}
          choices={ways}
        />
      )}
      {way === 'OLD_PASSWORD' ? (
        <TextField
          {...form.text('oldPassword', { label: t.old })}
          type="password"
          autoComplete="current-password"
          required
          autoFocus
        />
      ) : (
        <CodeField
          {...form.pick('code')}
          key={way}
          operation="auth.changeCode"
          recipient={way === 'EMAIL_CODE' ? 'EMAIL' : 'PHONE'}
          recipientName={(way === 'EMAIL_CODE' ? user.email : user.phone) ?? ''}
        />
      )}
      <TextField
        {...form.text('newPassword', { label: t.next, help: t.hint })}
        type="password"
        autoComplete="new-password"
      />
      {passkeys.length > 0 && (
        <CheckField
          {...form.check('keepPasskeys', {
            label: t.keep(passkeys.map(({ name }) => name).join(', ')),
            help: t.keepHelp,
          })}
          isBox
        />
      )}
      {keys.some((key) => !hasEnded(key)) && (
        <CheckField {...form.check('keepApiKeys', { label: t.keepKeys, help: t.keepKeysHelp })} isBox />
      )}
    </FormDialog>
  )
}
