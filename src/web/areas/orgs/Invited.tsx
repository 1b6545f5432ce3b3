/** The link in a mail that invites to an organization (`/invited#token`), for those who are signed in. */

import { Alert, Button, Stack } from '@mui/material'
import { useState } from 'react'
import { Link, useLocation, useNavigate } from 'react-router'

import { useAction, useCall } from '../../api/hooks.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { reloadSession } from '../../session/session.ts'
import { ErrorNotice, Loading } from '../../ui/Answer.tsx'
import { InvitedBy } from '../../ui/InvitedBy.tsx'
import { Page } from '../../ui/Page.tsx'
import { Section } from '../../ui/parts.tsx'

const words = texts({
  en: {
    title: 'Invitation',
    accept: 'Accept',
    accepted: 'You are a member now.',
    decline: 'Decline',
    declined: 'You have declined the invitation.',
    over: 'This invitation was answered or withdrawn, or has expired. Ask for a new one.',
    toOrgs: 'My organizations',
  },
  zh: {
    title: '邀请',
    accept: '接受',
    accepted: '你已成为成员。',
    decline: '拒绝',
    declined: '你已拒绝邀请。',
    over: '此邀请已答复、已撤回或已过期，请索取新的邀请。',
    toOrgs: '我的组织',
  },
})

export default function Invited() {
  const t = useTexts(words)
  const navigate = useNavigate()
  const token = useLocation().hash.slice(1)
  const params = { token }
  const [isDeclined, setDeclined] = useState(false)
  const accept = useAction('orgs.acceptMailInvitation', {
    done: t.accepted,
    refreshes: ['orgs', 'access'],
    onDone: () => void reloadSession().then(() => navigate('/orgs', { replace: true })),
  })
  const decline = useAction('orgs.declineMailInvitation', { refreshes: [], onDone: () => setDeclined(true) })
  // It ends with the answer.
  const isOpen = token !== '' && !isDeclined && accept.isIdle && decline.isIdle
  const { data, error, isPending } = useCall('orgs.mailInvitation', { params }, { enabled: isOpen })
  const isOver = token === '' || error !== null
  return (
    <Page title={t.title} back="/orgs" width="form">
      <Section>
        {isDeclined ? (
          <Alert severity="success">{t.declined}</Alert>
        ) : isOver ? (
          <Stack spacing={2} sx={{ alignItems: 'flex-start' }}>
            <Alert severity="warning">{t.over}</Alert>
            <Button component={Link} to="/orgs">
              {t.toOrgs}
            </Button>
          </Stack>
        ) : isPending ? (
          <Loading />
        ) : (
          <Stack spacing={2}>
            <div>
              <InvitedBy invitation={data} />
            </div>
            {accept.error !== null && <ErrorNotice error={accept.error} />}
            <Stack direction="row" spacing={1}>
              <Button variant="contained" loading={accept.isPending} onClick={() => accept.mutate({ params })}>
                {t.accept}
              </Button>
              <Button color="inherit" loading={decline.isPending} onClick={() => decline.mutate({ params })}>
                {t.decline}
              </Button>
            </Stack>
          </Stack>
        )}
      </Section>
    </Page>
  )
}
