/** Moves the registration of a guest into the account. The link of the guest's page leads here, with its secret after `#`, which no server sees. */

import { EventBusy } from '@mui/icons-material'
import { Alert, Button, Stack, Typography } from '@mui/material'
import { useQuery } from '@tanstack/react-query'
import { Link, useLocation, useNavigate } from 'react-router'

import { callWith } from '../../api/client.ts'
import { useAction } from '../../api/hooks.ts'
import type { GuestRegistration } from '../../api/types.ts'
import { timeIn } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useSession } from '../../session/session.ts'
import { Answer, EmptyState } from '../../ui/Answer.tsx'
import { Page } from '../../ui/Page.tsx'
import { activityWords } from './words.ts'

const words = texts({
  en: {
    title: 'Keep a registration',
    text: 'The registration and its pass move into your account. The link in the mail stops working.',
    account: (name: string) => `You are signed in as ${name}.`,
    keep: 'Keep it in my account',
    done: 'The registration is in your account.',
    missing: 'This link has ended',
    missingText: 'The registration is in an account already, or it was deleted.',
  },
  zh: {
    title: '保存报名',
    text: '报名及其通行证将转入你的账号，邮件中的链接将失效。',
    account: (name: string) => `当前登录账号：${name}。`,
    keep: '保存到我的账号',
    done: '报名已保存到你的账号。',
    missing: '此链接已失效',
    missingText: '该报名已在某个账号中，或已被删除。',
  },
})

export default function ClaimGuest() {
  const t = useTexts(words)
  const shared = useTexts(activityWords)
  const { hash } = useLocation()
  const { user } = useSession()
  const navigate = useNavigate()
  const secret = decodeURIComponent(hash.slice(1))
  const query = useQuery({
    queryKey: ['guests', 'page', secret],
    queryFn: ({ signal }) =>
      callWith(
        'guests.page',
        { params: { secret } },
        { signal, headers: { accept: 'application/json' } },
      ) as Promise<GuestRegistration>,
    enabled: secret !== '',
    retry: false,
  })
  const claim = useAction('guests.claim', {
    done: t.done,
    refreshes: ['registrations', 'activities', 'passes'],
    onDone: () => void navigate(`/activities/${query.data!.activity.id}`, { replace: true }),
  })
  if (secret === '' || (query.error as { status?: number } | null)?.status === 404)
    return (
      <Page title={t.title} back="/activities">
        <EmptyState
          icon={EventBusy}
          title={t.missing}
          text={t.missingText}
          action={
            <Button component={Link} to="/activities">
              {shared.activities}
            </Button>
          }
        />
      </Page>
    )
  return (
    <Page title={t.title} back="/activities" width="form">
      <Answer query={query}>
        {({ activity, name }) => (
          <Stack spacing={2}>
            <Typography variant="h2">{activity.name}</Typography>
            <Typography>
              {name} · {timeIn(activity.startTime, activity.timeZone)}
            </Typography>
            <Alert severity="info">
              {t.text} {t.account(user.nickname)}
            </Alert>
            <Button
              variant="contained"
              size="large"
              disabled={claim.isPending}
              onClick={() => claim.mutate({ body: { secret } })}
            >
              {t.keep}
            </Button>
          </Stack>
        )}
      </Answer>
    </Page>
  )
}
