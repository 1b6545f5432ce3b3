/** Leads from the public page of an activity, or of its check-in, to the activity. */

import { EventBusy } from '@mui/icons-material'
import { Button } from '@mui/material'
import { useQuery } from '@tanstack/react-query'
import { Link, Navigate, useParams, useSearchParams } from 'react-router'

import { callWith } from '../../api/client.ts'
import type { ApiError } from '../../api/errors.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { Answer, EmptyState } from '../../ui/Answer.tsx'
import { Page } from '../../ui/Page.tsx'
import { AskInviteCode } from './InviteCode.tsx'
import { activityWords, CHECK_IN_CODE, ROTATING_CODE } from './words.ts'

const words = texts({
  en: {
    title: 'Activity',
    missing: 'This activity is not there for you',
    missingText: 'The activity was deleted, or it is only for members of an organization. Ask the organizer.',
  },
  zh: {
    title: '活动',
    missing: '无法查看此活动',
    missingText: '活动可能已被删除，或仅限组织成员查看。请联系主办方。',
  },
})

export default function Visit() {
  const t = useTexts(words)
  const shared = useTexts(activityWords)
  const { type = '', uuid = '' } = useParams()
  const [search] = useSearchParams()
  const code = search.get('code')
  const rotating = search.get(ROTATING_CODE)
  const query = useQuery({
    queryKey: ['landing', type, uuid, code],
    // As JSON, the public page names the activity. The token shows it to members too.
    queryFn: ({ signal }) =>
      callWith(
        'landing.page',
        { params: { type, id: uuid }, query: { code } },
        { signal, headers: { accept: 'application/json' } },
      ) as Promise<{ readonly id?: number }>,
  })
  const status = (query.error as ApiError | null)?.status
  if (status === 403)
    return (
      <Page title={t.title} back="/activities" width="form">
        <AskInviteCode isWrong={code !== null} />
      </Page>
    )
  if (status === 404)
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
  const parameters = new URLSearchParams({
    ...(code !== null && { code }),
    ...(type.toLowerCase() === 'check-in' && {
      [CHECK_IN_CODE]: uuid,
      ...(rotating !== null && { [ROTATING_CODE]: rotating }),
    }),
  })
  return <Answer query={query}>{({ id }) => <Navigate to={`/activities/${id}?${parameters}`} replace />}</Answer>
}
