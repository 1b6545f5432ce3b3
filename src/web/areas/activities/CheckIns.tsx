/** Who has checked in to an activity, and when: for its managers. */

import { Download, HowToReg } from '@mui/icons-material'
import { Box, Button, Card, CardContent, Stack, Typography } from '@mui/material'
import { useEffect, useRef, useState } from 'react'

import { useCall, useDownload, useRefresh } from '../../api/hooks.ts'
import { usePages } from '../../api/pages.ts'
import type { Activity, CheckInStats } from '../../api/types.ts'
import { useEnum } from '../../i18n/enums.ts'
import { timeIn } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { Answer, EmptyState } from '../../ui/Answer.tsx'
import { Row, Rows } from '../../ui/Rows.tsx'
import { SearchField } from '../../ui/SearchField.tsx'
import { Figure } from './Organizer.tsx'
import { activityWords } from './words.ts'

const words = texts({
  en: {
    checkIns: 'Check-ins',
    people: 'People',
    all: 'Check-ins',
    repeated: 'Repeated',
    byHour: 'Check-ins by hour of the day',
    download: 'Download as Excel',
    metres: (n: number) => `${n} m away`,
    nth: (n: number) => `check-in ${n}`,
    empty: 'Nobody has checked in yet',
    emptyText:
      'Put the check-in code where people enter: you find it in the overview. New check-ins appear here by themselves.',
  },
  zh: {
    checkIns: '签到记录',
    people: '签到人数',
    all: '签到次数',
    repeated: '重复签到',
    byHour: '各时段签到次数',
    download: '导出 Excel',
    metres: (n: number) => `距离 ${n} 米`,
    nth: (n: number) => `第 ${n} 次`,
    empty: '还没有人签到',
    emptyText: '把概览中的签到二维码放在入口处，新的签到会自动显示在这里。',
  },
})

/** Milliseconds between two looks at a running activity. */
const OFTEN = 10_000

export function CheckIns({ activity }: { activity: Activity }) {
  const t = useTexts(words)
  const shared = useTexts(activityWords)
  const methodOf = useEnum('checkInMethod')
  const [keyword, setKeyword] = useState('')
  const file = useDownload()
  const params = { id: activity.id }
  const tz = activity.timeZone
  const stats = useCall(
    'activities.checkInStats',
    { params, query: { tz } },
    activity.status === 'ACTIVE' ? { every: OFTEN } : {},
  )
  const records = usePages('activities.checkInRecords', {
    params,
    query: { ...(keyword && { keyword }) },
  })
  const total = stats.data?.total
  const refresh = useRefresh()
  const seen = useRef(total)
  useEffect(() => {
    // The list is read again when the number of check-ins has changed.
    if (seen.current !== undefined && seen.current !== total) void refresh('activities.checkInRecords')
    seen.current = total
  })
  const save = () => file.mutate(['activities.checkInRecords', { params, query: { format: 'xlsx' } }])
  return (
    <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: { md: '2fr 3fr' }, alignItems: 'start' }}>
      <Card variant="outlined">
        <CardContent>
          <Answer query={stats}>
            {(data) => (
              <>
                <Box
                  component="dl"
                  sx={{ m: 0, mb: 2, display: 'grid', gap: 1, gridTemplateColumns: 'repeat(3, 1fr)' }}
                >
                  <Figure name={t.people} value={data.users} />
                  <Figure name={t.all} value={data.total} />
                  <Figure name={t.repeated} value={data.repeated} />
                </Box>
                {data.total > 0 && <Hours byHour={data.byHour} />}
              </>
            )}
          </Answer>
        </CardContent>
      </Card>
      <Card variant="outlined">
        <CardContent>
          {(keyword !== '' || records.items?.length !== 0) && (
            <Stack direction="row" spacing={1} useFlexGap sx={{ mb: 1, flexWrap: 'wrap' }}>
              <SearchField
                label={shared.search}
                sx={{ flex: 1, minWidth: 160 }}
                value={keyword}
                onSearch={setKeyword}
              />
              <Button startIcon={<Download />} loading={file.isPending} onClick={save}>
                {t.download}
              </Button>
            </Stack>
          )}
          <Rows
            query={records}
            label={t.checkIns}
            keyOf={({ id }) => id}
            empty={keyword === '' ? <EmptyState icon={HowToReg} title={t.empty} text={t.emptyText} /> : shared.notFound}
          >
            {(row) => (
              <Row
                title={row.nickname}
                details={[
                  timeIn(row.checkedInAt, tz),
                  methodOf(row.method),
                  row.distance !== null && t.metres(row.distance),
                  row.sequence > 1 && t.nth(row.sequence),
                ]
                  .filter(Boolean)
                  .join(' · ')}
              />
            )}
          </Rows>
        </CardContent>
      </Card>
    </Box>
  )
}

/** Bars for the hours from the first check-in to the last. */
function Hours({ byHour }: { byHour: CheckInStats['byHour'] }) {
  const t = useTexts(words)
  const used = byHour.filter(({ count }) => count > 0).map(({ hour }) => hour)
  const shown = byHour.filter(({ hour }) => hour >= Math.min(...used) - 1 && hour <= Math.max(...used) + 1)
  const highest = Math.max(...shown.map(({ count }) => count))
  return (
    <Box component="table" sx={{ width: '100%', borderSpacing: '0 3px', fontSize: '0.875rem' }}>
      <Typography component="caption" variant="body2" color="text.secondary" sx={{ textAlign: 'start', mb: 0.5 }}>
        {t.byHour}
      </Typography>
      <tbody>
        {shown.map(({ hour, count }) => (
          <tr key={hour}>
            <Box component="th" scope="row" sx={{ width: 48, fontWeight: 400, textAlign: 'start' }}>
              {String(hour).padStart(2, '0')}:00
            </Box>
            <Box component="td" sx={{ p: 0 }}>
              <Stack direction="row" spacing={1} sx={{ alignItems: 'center' }}>
                <Box
                  sx={{
                    height: 16,
                    minWidth: count > 0 ? 3 : 0,
                    width: `${(count / highest) * 82}%`,
                    bgcolor: 'primary.main',
                    borderRadius: 0.5,
                  }}
                />
                <span>{count}</span>
              </Stack>
            </Box>
          </tr>
        ))}
      </tbody>
    </Box>
  )
}
