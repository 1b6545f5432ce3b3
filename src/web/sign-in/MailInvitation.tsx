/** The invitation of a visitor who has opened the link in a mail, above sign-in and registration. */

import { Alert, Button, Card, CardContent, Typography } from '@mui/material'
import { useState } from 'react'

import { useAction, useCall } from '../api/hooks.ts'
import { texts, useTexts } from '../i18n/words.ts'
import { InvitedBy } from '../ui/InvitedBy.tsx'

const words = texts({
  en: {
    text: 'Sign in or create an account to join.',
    closed: 'Sign in to join. This server makes accounts only through its administrators.',
    over: 'This invitation was answered or withdrawn, or has expired. Ask for a new one.',
    decline: 'Decline',
    declined: 'You have declined the invitation.',
  },
  zh: {
    text: '登录或注册后即可加入。',
    closed: '登录后即可加入。此服务器的账号只能由管理员创建。',
    over: '此邀请已答复、已撤回或已过期，请索取新的邀请。',
    decline: '拒绝',
    declined: '你已拒绝邀请。',
  },
})

export default function MailInvitation({ token }: { token: string }) {
  const t = useTexts(words)
  const [isDeclined, setDeclined] = useState(false)
  const decline = useAction('orgs.declineMailInvitation', { refreshes: [], onDone: () => setDeclined(true) })
  const { data, error } = useCall('orgs.mailInvitation', { params: { token } }, { enabled: decline.isIdle })
  if (isDeclined) return <Alert sx={{ mb: 2 }}>{t.declined}</Alert>
  if (error !== null)
    return (
      <Alert severity="warning" sx={{ mb: 2 }}>
        {t.over}
      </Alert>
    )
  if (data === undefined) return null
  return (
    <Card component="section" sx={{ width: '100%', maxWidth: 400, mb: 2 }}>
      <CardContent sx={{ '&:last-child': { pb: 2 } }}>
        <InvitedBy invitation={data} />
        <Typography variant="body2" color="text.secondary" sx={{ mt: 1 }}>
          {data.registrationOpen ? t.text : t.closed}
        </Typography>
        <Button
          color="inherit"
          size="small"
          sx={{ mt: 1 }}
          loading={decline.isPending}
          onClick={() => decline.mutate({ params: { token } })}
        >
          {t.decline}
        </Button>
      </CardContent>
    </Card>
  )
}
