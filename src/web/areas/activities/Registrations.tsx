/** The registrations for an activity, for its managers. */

import { EventAvailable, PersonRemove } from '@mui/icons-material'
import { Card, CardContent, IconButton, Typography } from '@mui/material'
import { useState } from 'react'

import { usePages } from '../../api/pages.ts'
import type { Activity, ListedRegistration, RegistrationStatus } from '../../api/types.ts'
import { dateTime, number } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ActionDialog } from '../../ui/ActionDialog.tsx'
import { EmptyState } from '../../ui/Answer.tsx'
import { ExportMenu } from '../../ui/ExportMenu.tsx'
import { Row, Rows } from '../../ui/Rows.tsx'
import { Status, type Tone } from '../../ui/Status.tsx'
import { useFilters } from '../../ui/use-filters.ts'
import { useRights } from './rights.ts'
import { SearchAndStatus } from './SearchAndStatus.tsx'
import { activityWords } from './words.ts'

const words = texts({
  en: {
    registrations: 'Registrations',
    statuses: {
      CONFIRMED: 'Confirmed',
      WAITING: 'Waiting',
      CANCELLED: 'Cancelled',
      PENDING: 'Pending',
      REJECTED: 'Rejected',
    },
    place: (n: number) => `Number ${n}`,
    summary: (confirmed: string, capacity: string | null, waiting: string) =>
      `${confirmed}${capacity === null ? '' : ` of ${capacity}`} registered, ${waiting} waiting`,
    cancel: (name: string) => `Cancel the registration of ${name}`,
    cancelTitle: (name: string) => `Cancel the registration of ${name}?`,
    cancelText:
      'The person is notified and can register again while registration is open. The next person on the waiting list gets the place.',
    cancelAction: 'Cancel registration',
    cancelled: 'The registration is cancelled.',
    empty: 'No registrations yet',
    emptyText:
      'Share the link or the code of the activity. People who open it can register while registration is open.',
  },
  zh: {
    registrations: '报名名单',
    statuses: { CONFIRMED: '已报名', WAITING: '候补', CANCELLED: '已取消', PENDING: '待确认', REJECTED: '未通过' },
    place: (n: number) => `第 ${n} 位`,
    summary: (confirmed: string, capacity: string | null, waiting: string) =>
      `已报名 ${confirmed}${capacity === null ? '' : ` / ${capacity}`}，候补 ${waiting}`,
    cancel: (name: string) => `取消 ${name} 的报名`,
    cancelTitle: (name: string) => `取消 ${name} 的报名？`,
    cancelText: '将通知对方；报名开放期间对方可重新报名。名额将由候补的下一位递补。',
    cancelAction: '取消报名',
    cancelled: '已取消报名。',
    empty: '还没有人报名',
    emptyText: '把活动链接或二维码发给大家，报名开放期间即可报名。',
  },
})

const STATUSES = ['CONFIRMED', 'WAITING', 'CANCELLED'] as const
const TONES: Record<RegistrationStatus, Tone> = {
  CONFIRMED: 'good',
  WAITING: 'warning',
  CANCELLED: 'neutral',
  PENDING: 'warning',
  REJECTED: 'neutral',
}

export function Registrations({ activity }: { activity: Activity }) {
  const t = useTexts(words)
  const shared = useTexts(activityWords)
  const { filters, set, query: filter } = useFilters({ keyword: '', status: null as RegistrationStatus | null })
  const query = usePages('registrations.list', { params: { id: activity.id }, query: filter })
  const { stats, registration } = activity
  const labelOf = (key: string) => registration?.questions.find((question) => question.key === key)?.label ?? key
  const can = useRights(activity)
  const [asked, setAsked] = useState<ListedRegistration>()
  const mayCancel = activity.status === 'ACTIVE' && can('registrations.cancelOf')
  const isFiltered = Object.keys(filter).length > 0
  return (
    <Card variant="outlined">
      <CardContent>
        {stats !== null && (
          <Typography sx={{ mb: 2 }}>
            {t.summary(
              number(stats.registrations.confirmed),
              registration?.capacity == null ? null : number(registration.capacity),
              number(stats.registrations.waiting),
            )}
          </Typography>
        )}
        {(isFiltered || query.items?.length !== 0) && (
          <SearchAndStatus
            filters={filters}
            set={set}
            statuses={STATUSES.map((id) => ({ id, name: t.statuses[id] }))}
            action={
              <ExportMenu
                operation="registrations.list"
                input={{ params: { id: activity.id }, query: filter }}
                name="participants"
              />
            }
          />
        )}
        <Rows
          query={query}
          label={t.registrations}
          keyOf={({ id }) => id}
          empty={isFiltered ? shared.notFound : <EmptyState icon={EventAvailable} title={t.empty} text={t.emptyText} />}
        >
          {(row) => (
            <Row
              title={row.nickname}
              details={
                <>
                  {dateTime(row.createdAt)}
                  {Object.entries(row.answers).map(([key, answer]) => (
                    <div key={key}>
                      {labelOf(key)}: {answer}
                    </div>
                  ))}
                </>
              }
              actions={
                <>
                  <Status
                    tone={TONES[row.status]}
                    text={[t.statuses[row.status], row.position !== null && t.place(row.position)]
                      .filter(Boolean)
                      .join(' · ')}
                  />
                  {mayCancel && row.userId !== null && ['CONFIRMED', 'WAITING'].includes(row.status) && (
                    <IconButton aria-label={t.cancel(row.nickname)} onClick={() => setAsked(row)}>
                      <PersonRemove />
                    </IconButton>
                  )}
                </>
              }
            />
          )}
        </Rows>
        {asked?.userId != null && (
          <ActionDialog
            operation="registrations.cancelOf"
            input={{ params: { id: activity.id, userId: asked.userId } }}
            title={t.cancelTitle(asked.nickname)}
            text={t.cancelText}
            action={t.cancelAction}
            isCancelling
            refreshes={['registrations', 'activities']}
            done={t.cancelled}
            onClose={() => setAsked(undefined)}
          />
        )}
      </CardContent>
    </Card>
  )
}
