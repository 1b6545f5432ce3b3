/** The registrations for an activity, for its managers. */

import { EventAvailable } from '@mui/icons-material'
import { Card, CardContent, MenuItem, Stack, TextField, Typography } from '@mui/material'
import { useState } from 'react'

import { usePages } from '../../api/pages.ts'
import type { Activity, RegistrationStatus } from '../../api/types.ts'
import { dateTime, number } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { EmptyState } from '../../ui/Answer.tsx'
import { Row, Rows } from '../../ui/Rows.tsx'
import { Status, type Tone } from '../../ui/Status.tsx'
import { SearchField } from './SearchField.tsx'
import { activityWords } from './words.ts'

const words = texts({
  en: {
    registrations: 'Registrations',
    status: 'Status',
    all: 'All',
    statuses: { CONFIRMED: 'Has a place', WAITING: 'Waiting', CANCELLED: 'Cancelled' },
    place: (n: number) => `Number ${n}`,
    summary: (confirmed: string, capacity: string | null, waiting: string) =>
      `${confirmed}${capacity === null ? '' : ` of ${capacity}`} registered, ${waiting} waiting`,
    empty: 'No registrations yet',
    emptyText:
      'Share the link or the code of the activity. People who open it can register while registration is open.',
  },
  zh: {
    registrations: '报名名单',
    status: '状态',
    all: '全部',
    statuses: { CONFIRMED: '已报名', WAITING: '候补', CANCELLED: '已取消' },
    place: (n: number) => `第 ${n} 位`,
    summary: (confirmed: string, capacity: string | null, waiting: string) =>
      `已报名 ${confirmed}${capacity === null ? '' : ` / ${capacity}`}，候补 ${waiting}`,
    empty: '还没有人报名',
    emptyText: '把活动链接或二维码发给大家，报名开放期间即可报名。',
  },
})

const STATUSES = ['CONFIRMED', 'WAITING', 'CANCELLED'] as const
const TONES: Record<RegistrationStatus, Tone> = { CONFIRMED: 'good', WAITING: 'warning', CANCELLED: 'neutral' }

export function Registrations({ activity }: { activity: Activity }) {
  const t = useTexts(words)
  const shared = useTexts(activityWords)
  const [keyword, setKeyword] = useState('')
  const [status, setStatus] = useState<RegistrationStatus>()
  const query = usePages('registrations.list', {
    params: { id: activity.id },
    query: { ...(keyword && { keyword }), ...(status && { status }) },
  })
  const { stats, registration } = activity
  const labelOf = (key: string) => registration?.questions.find((question) => question.key === key)?.label ?? key
  const isFiltered = keyword !== '' || status !== undefined
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
          <Stack direction="row" spacing={1} sx={{ mb: 1 }}>
            <SearchField value={keyword} onSearch={setKeyword} />
            <TextField
              select
              label={t.status}
              value={status ?? 'ALL'}
              onChange={({ target: { value } }) =>
                setStatus(value === 'ALL' ? undefined : (value as RegistrationStatus))
              }
              sx={{ minWidth: 130 }}
            >
              <MenuItem value="ALL">{t.all}</MenuItem>
              {STATUSES.map((one) => (
                <MenuItem key={one} value={one}>
                  {t.statuses[one]}
                </MenuItem>
              ))}
            </TextField>
          </Stack>
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
                <Status
                  tone={TONES[row.status]}
                  text={[t.statuses[row.status], row.position !== null && t.place(row.position)]
                    .filter(Boolean)
                    .join(' · ')}
                />
              }
            />
          )}
        </Rows>
      </CardContent>
    </Card>
  )
}
