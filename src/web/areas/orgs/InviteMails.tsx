/** Invites people by mail, also those without an account. */

import { Alert, TextField, Typography } from '@mui/material'
import { useState } from 'react'

import type { DataOf, Organization } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useSession } from '../../session/session.ts'
import { FormDialog, NoticeDialog } from '../../ui/dialogs.tsx'
import { NumberField } from '../../ui/fields.tsx'
import { useForm } from '../../ui/use-form.tsx'

const words = texts({
  en: {
    title: (name: string) => `Invite to ${name} by mail`,
    text: 'Each address gets a link that works once. Anyone who has the link can use it, so it makes nobody an administrator.',
    emails: 'E-mail addresses',
    emailsHelp: 'One in each line, or separated by commas. At most 500.',
    role: 'Role',
    roles: { MEMBER: 'Member', GUEST: 'Guest' },
    message: 'Message',
    messageHelp: 'Optional. Links in it cannot be clicked.',
    days: 'Valid for (days)',
    send: 'Send invitations',
    unproved: 'First confirm an e-mail address of yours under Account → Security.',
    result: {
      SENT: 'The mail is on its way.',
      QUEUED: 'Today’s limit of mails is reached. This mail follows within three days.',
      ALREADY_INVITED: 'Has an open invitation already.',
      REFUSED: 'Was not sent: the address wants no invitations, takes no mails, or got enough of them today.',
    },
  },
  zh: {
    title: (name: string) => `通过邮件邀请加入${name}`,
    text: '每个邮箱会收到一个仅可使用一次的链接。任何拿到链接的人都可使用，因此不能授予管理权限。',
    emails: '邮箱地址',
    emailsHelp: '每行一个，或用逗号分隔，最多 500 个。',
    role: '角色',
    roles: { MEMBER: '成员', GUEST: '访客' },
    message: '留言',
    messageHelp: '可选。其中的链接无法点击。',
    days: '有效天数',
    send: '发送邀请',
    unproved: '请先在“账号 → 安全”中验证你的邮箱。',
    result: {
      SENT: '邮件正在发送。',
      QUEUED: '今天的邮件额度已用完，将在三天内发送。',
      ALREADY_INVITED: '已有待接受的邀请。',
      REFUSED: '未发送：该邮箱不接受邀请、无法收信或今天已收到足够的邀请。',
    },
  },
})

/** Each once. */
const addressesIn = (text: string): string[] => [...new Set(text.split(/[\s,;，；]+/).filter((part) => part !== ''))]

export function InviteMails({ org, onClose }: { org: Organization; onClose: () => void }) {
  const t = useTexts(words)
  const { user, platform } = useSession()
  const isProved = platform.size > 0 || user.identities.some((one) => one.provider === 'EMAIL' && one.verified)
  const [result, setResult] = useState<DataOf<'orgs.inviteByMail'>['items']>()
  const form = useForm(
    'orgs.inviteByMail',
    { emails: '', roleCode: 'MEMBER' as 'MEMBER' | 'GUEST', message: '', expiresInDays: 7 as number | null },
    {
      input: ({ emails, roleCode, message, expiresInDays }) => ({
        params: { id: org.id },
        body: {
          emails: addressesIn(emails),
          roleCode,
          ...(message.trim() !== '' && { message }),
          ...(expiresInDays !== null && { expiresInDays }),
        },
      }),
      refreshes: ['orgs'],
      onDone: ({ items }) => setResult(items),
    },
  )
  if (result !== undefined)
    return (
      <NoticeDialog title={t.title(org.name)} maxWidth="sm" onClose={onClose}>
        {result.map(({ target, status }) => (
          <Alert key={target} severity={status === 'SENT' ? 'success' : status === 'QUEUED' ? 'info' : 'warning'}>
            <Typography variant="body2" sx={{ fontWeight: 600, overflowWrap: 'anywhere' }}>
              {target}
            </Typography>
            {t.result[status]}
          </Alert>
        ))}
      </NoticeDialog>
    )
  return (
    <FormDialog
      form={form}
      title={t.title(org.name)}
      action={t.send}
      isDisabled={!isProved || addressesIn(form.values.emails).length === 0}
      onClose={onClose}
    >
      <Typography color="text.secondary">{t.text}</Typography>
      {!isProved && <Alert severity="warning">{t.unproved}</Alert>}
      <TextField
        {...form.text('emails', { label: t.emails, help: t.emailsHelp })}
        multiline
        minRows={3}
        maxRows={10}
        required
        autoFocus
      />
      <TextField {...form.choice('roleCode', t.roles, { label: t.role })} />
      <TextField {...form.text('message', { label: t.message, help: t.messageHelp })} multiline maxRows={6} />
      <NumberField {...form.number('expiresInDays', { label: t.days })} />
    </FormDialog>
  )
}
