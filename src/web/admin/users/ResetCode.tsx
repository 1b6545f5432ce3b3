/** A reset code for a user who cannot help themselves, or why there is none. */

import { ContentCopy, Password } from '@mui/icons-material'
import { Alert, Button, Typography } from '@mui/material'
import { useState } from 'react'

import { useCall } from '../../api/hooks.ts'
import type { DataOf, UserAdmin } from '../../api/types.ts'
import { dateTime } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay, useSession } from '../../session/session.ts'
import { useCopy } from '../../ui/copy.ts'
import { DialogButton } from '../../ui/DialogButton.tsx'
import { FormDialog, NoticeDialog } from '../../ui/dialogs.tsx'
import { NumberField } from '../../ui/fields.tsx'
import { Section } from '../../ui/parts.tsx'
import { useForm } from '../../ui/use-form.tsx'
import { nameOf } from '../../ui/UserLink.tsx'

const words = texts({
  en: {
    title: 'Forgotten password',
    make: 'Make a reset code',
    text: (name: string) =>
      `With the code, ${name} sets a new password on the page /console/start. ${name} is notified in the app, with your name, and can withdraw the code. Two-factor sign-in stays on.`,
    hours: 'Valid for (hours)',
    once: (name: string, until: string) =>
      `Give this code to ${name}. It works once, until ${until}, and is not shown again.`,
    copy: 'Copy code',
    off: 'Reset codes are switched off. A system administrator can allow them in the settings.',
    own: 'You cannot make a reset code for yourself.',
    administrator: 'For an administrator, the operator makes a reset code on the command line.',
    inactive: 'Only an active user can use a reset code.',
    proved:
      'The user has a confirmed e-mail address or phone number, and sets a new password with a code that is sent there.',
  },
  zh: {
    title: '忘记密码',
    make: '生成重置码',
    text: (name: string) =>
      `${name} 可用此代码在 /console/start 页面设置新密码。系统会在应用内通知 ${name}，并显示你的名字；对方可撤销此代码。两步验证保持不变。`,
    hours: '有效小时数',
    once: (name: string, until: string) =>
      `请把此代码交给 ${name}。代码仅可使用一次，有效期至 ${until}，不会再次显示。`,
    copy: '复制代码',
    off: '未启用重置码。系统管理员可在设置中启用。',
    own: '不能为自己生成重置码。',
    administrator: '管理员的重置码由运维人员在命令行中生成。',
    inactive: '只有状态正常的用户可使用重置码。',
    proved: '该用户已验证邮箱或手机号，可通过发送到那里的验证码自行设置新密码。',
  },
})

type Words = (typeof words)['en']

/** Why no code is offered; undefined if one is. `isOn`: the setting, as far as the caller may see it. */
function obstacleOf(user: UserAdmin, isOwn: boolean, isOn: boolean, t: Words): string | undefined {
  if (isOwn) return t.own
  if (user.isAdmin) return t.administrator
  if (user.status !== 'ACTIVE') return t.inactive
  if (user.identities.some(({ provider, verified }) => provider !== 'DEVICE' && verified)) return t.proved
  return isOn ? undefined : t.off
}

export function ResetCode({ user }: { user: UserAdmin }) {
  const t = useTexts(words)
  const may = useMay()
  const { user: me } = useSession()
  const settings = useCall('admin.settings.list', {}, { enabled: may('admin.settings.list') })
  if (!may('admin.users.resetCode') || user.status === 'DELETED' || settings.isLoading) return null
  const setting = settings.data?.items.find(({ key }) => key === 'security.adminResetCodes')
  const obstacle = obstacleOf(user, user.id === me.id, setting === undefined || setting.value === true, t)
  return (
    <Section title={t.title} text={obstacle ?? t.text(nameOf(user))}>
      {obstacle === undefined && (
        <DialogButton label={t.make} icon={<Password />} variant="outlined">
          {(close) => <Make user={user} onClose={close} />}
        </DialogButton>
      )}
    </Section>
  )
}

function Make({ user, onClose }: { user: UserAdmin; onClose: () => void }) {
  const t = useTexts(words)
  const copy = useCopy()
  const [made, setMade] = useState<DataOf<'admin.users.resetCode'>>()
  const form = useForm(
    'admin.users.resetCode',
    { hours: 24 as number | null },
    {
      input: ({ hours }) => ({ params: { userId: user.id }, body: hours === null ? {} : { hours } }),
      refreshes: ['operationLog'],
      onDone: setMade,
    },
  )
  if (made !== undefined)
    return (
      <NoticeDialog title={t.title} isOnlyOnce onClose={onClose}>
        <Alert severity="success">{t.once(nameOf(user), dateTime(made.expiresAt))}</Alert>
        <Typography component="output" sx={{ fontFamily: 'monospace', fontSize: '1.25rem', overflowWrap: 'anywhere' }}>
          {made.code}
        </Typography>
        <Button variant="outlined" startIcon={<ContentCopy />} onClick={() => copy(made.code)}>
          {t.copy}
        </Button>
      </NoticeDialog>
    )
  return (
    <FormDialog form={form} title={t.make} action={t.make} maxWidth="xs" onClose={onClose}>
      <Typography color="text.secondary">{t.text(nameOf(user))}</Typography>
      <NumberField {...form.number('hours', { label: t.hours })} />
    </FormDialog>
  )
}
