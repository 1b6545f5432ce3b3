/** One invitation: its code to show, its link, what became of the mail, sending again and revoking. */

import { Block, ContentCopy, Send } from '@mui/icons-material'
import { Box, Button, Stack, TextField, Typography } from '@mui/material'
import { useState } from 'react'

import { useAction } from '../../../api/hooks.ts'
import type { Activity, ActivityInvitation } from '../../../api/types.ts'
import { dateTime } from '../../../i18n/format.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { useSession } from '../../../session/session.ts'
import { ActionDialog } from '../../../ui/ActionDialog.tsx'
import { ErrorNotice } from '../../../ui/Answer.tsx'
import { useCopy } from '../../../ui/copy.ts'
import { NoticeDialog } from '../../../ui/dialogs.tsx'
import { QrPicture } from '../../../ui/QrPicture.tsx'
import { Status } from '../../../ui/Status.tsx'
import { useRights } from '../rights.ts'
import { invitationWords, mailText, titleOf, TONES } from './words.ts'

const words = texts({
  en: {
    link: 'Link',
    alt: (name: string) => `QR code of the invitation of ${name}`,
    created: (time: string) => `Made ${time}`,
    mailed: (time: string) => `Mailed last ${time}`,
    opened: (time: string) => `Opened ${time}, perhaps by a program that checks the links of mails`,
    until: (time: string) => `Valid until ${time}`,
    used: 'Somebody has registered with it. Cancel that registration to take the place back.',
    send: 'Send mail',
    again: 'Send mail again',
    sent: 'The invitation is on its way.',
    revoke: 'Revoke',
    revokeTitle: 'Revoke this invitation?',
    revokeText: 'Its link and its code no longer work. You can make a new one at any time.',
    revoked: 'The invitation is revoked.',
  },
  zh: {
    link: '链接',
    alt: (name: string) => `${name} 的邀请二维码`,
    created: (time: string) => `创建于 ${time}`,
    mailed: (time: string) => `最近发送：${time}`,
    opened: (time: string) => `${time} 打开（也可能是检查邮件链接的程序）`,
    until: (time: string) => `有效期至 ${time}`,
    used: '已有人用它报名。如需收回名额，请取消对应的报名。',
    send: '发送邮件',
    again: '再次发送邮件',
    sent: '邀请邮件正在发送。',
    revoke: '撤销',
    revokeTitle: '撤销此邀请？',
    revokeText: '链接和邀请码将失效，你可以随时创建新的邀请。',
    revoked: '邀请已撤销。',
  },
})

interface Props {
  activity: Activity
  invitation: ActivityInvitation
  onClose: () => void
}

export default function InvitationDialog({ activity, invitation, onClose }: Props) {
  const t = useTexts(words)
  const names = useTexts(invitationWords)
  const copy = useCopy()
  const { user } = useSession()
  const can = useRights(activity)
  const [isRevoking, setRevoking] = useState(false)
  const send = useAction('activityInvitations.send', {
    done: t.sent,
    quiet: true,
    refreshes: ['activityInvitations'],
  })
  const { id, email, code, url, state, mail, sentAt, openedAt, expiresAt, createdAt } = invitation
  const params = { id: activity.id, invitationId: id }
  const isOpen = state === 'OPEN'
  const facts = [
    t.created(dateTime(createdAt)),
    mailText(invitation, names),
    sentAt !== null && t.mailed(dateTime(sentAt)),
    openedAt !== null && t.opened(dateTime(openedAt)),
    expiresAt !== null && t.until(dateTime(expiresAt)),
    state === 'USED' && t.used,
  ].filter(Boolean)
  const mayMail =
    isOpen && email !== null && user.mailAvailable && activity.status === 'ACTIVE' && can('activityInvitations.send')
  return (
    <NoticeDialog title={titleOf(invitation, names)} onClose={onClose} maxWidth="sm">
      <Stack direction="row" spacing={2} useFlexGap sx={{ flexWrap: 'wrap', alignItems: 'center' }}>
        {isOpen && <QrPicture content={url} alt={t.alt(titleOf(invitation, names))} width={160} />}
        <Box sx={{ flex: 1, minWidth: 200 }}>
          <Status tone={TONES[state]} text={names.states[state]} />
          <Typography component="code" sx={{ display: 'block', fontFamily: 'monospace', fontSize: '1.05rem', my: 0.5 }}>
            {code}
          </Typography>
          {email !== null && <Typography sx={{ overflowWrap: 'anywhere' }}>{email}</Typography>}
          {facts.map((fact) => (
            <Typography key={String(fact)} variant="body2" color="text.secondary">
              {fact}
            </Typography>
          ))}
        </Box>
      </Stack>
      {isOpen && <TextField label={t.link} value={url} slotProps={{ htmlInput: { readOnly: true } }} />}
      {send.error !== null && <ErrorNotice error={send.error} />}
      <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap' }}>
        {isOpen && (
          <Button variant="contained" startIcon={<ContentCopy />} onClick={() => copy(url)}>
            {names.copyLink}
          </Button>
        )}
        {mayMail && (
          <Button
            variant="outlined"
            startIcon={<Send />}
            loading={send.isPending}
            disabled={mail?.state === 'QUEUED'}
            onClick={() => send.mutate({ params })}
          >
            {mail === null ? t.send : t.again}
          </Button>
        )}
        {(isOpen || state === 'EXPIRED') && can('activityInvitations.revoke') && (
          <Button color="error" startIcon={<Block />} onClick={() => setRevoking(true)}>
            {t.revoke}
          </Button>
        )}
      </Stack>
      {isRevoking && (
        <ActionDialog
          operation="activityInvitations.revoke"
          input={{ params }}
          title={t.revokeTitle}
          text={t.revokeText}
          action={t.revoke}
          refreshes={['activityInvitations']}
          done={t.revoked}
          onDone={onClose}
          onClose={() => setRevoking(false)}
        />
      )}
    </NoticeDialog>
  )
}
