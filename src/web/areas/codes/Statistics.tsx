/** The codes of the workspace in numbers, and the user's scans. */

import { BarChart } from '@mui/icons-material'
import { Box, Card, CardContent, Stack, Typography } from '@mui/material'
import { useState } from 'react'

import { useCall } from '../../api/hooks.ts'
import { useEnum } from '../../i18n/enums.ts'
import { number, timeZone } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ownerQuery, useMay } from '../../session/session.ts'
import { Answer, EmptyState } from '../../ui/Answer.tsx'
import { Page } from '../../ui/Page.tsx'
import { DayChart, PeriodField } from './DayChart.tsx'
import { Shares } from './Shares.tsx'
import { codeWords } from './words.ts'

const words = texts({
  en: {
    title: 'Statistics of codes',
    total: 'Codes',
    public: 'Public',
    pinned: 'Pinned',
    scans: 'Scans',
    created: 'New codes a day',
    types: 'By type',
    folders: 'By folder',
    most: 'Most scanned in this period',
    robots: (n: string) => `Scans of the period without robots: ${n} filtered`,
    mine: 'Your scans a day, with this app',
    empty: 'Nothing to count yet',
    emptyText: 'Create a code. Its scans are counted here.',
    noScans: 'No code was scanned in this period.',
  },
  zh: {
    title: '二维码统计',
    total: '二维码',
    public: '公开',
    pinned: '置顶',
    scans: '扫码次数',
    created: '每日新建',
    types: '按类型',
    folders: '按文件夹',
    most: '这段时间扫码最多',
    robots: (n: string) => `这段时间的扫码不含机器人：已过滤 ${n} 次`,
    mine: '你每日用本应用的扫描',
    empty: '暂无统计',
    emptyText: '新建二维码后，这里会统计扫码次数。',
    noScans: '这段时间没有二维码被扫描。',
  },
})

export default function Statistics() {
  const t = useTexts(words)
  const shared = useTexts(codeWords)
  const typeName = useEnum('contentType')
  const may = useMay()
  const [days, setDays] = useState(30)
  const tz = timeZone()
  const stats = useCall('qrCodes.stats', { query: { ...ownerQuery(), days, tz } }, { keepPrevious: true })
  const mine = useCall(
    'scanRecords.stats',
    { query: { days, tz } },
    { enabled: may('scanRecords.stats'), keepPrevious: true },
  )
  return (
    <Page title={t.title} back="/codes" actions={<PeriodField value={days} onChange={setDays} />}>
      <Answer query={stats}>
        {({ total, publicCount, pinnedCount, scanCount, byType, byCategory, byDay, top, robots }) =>
          total === 0 ? (
            <EmptyState icon={BarChart} title={t.empty} text={t.emptyText} />
          ) : (
            <Stack spacing={2}>
              <Box
                sx={{
                  display: 'grid',
                  gap: 2,
                  gridTemplateColumns: { xs: '1fr 1fr', md: 'repeat(4, minmax(0, 1fr))' },
                }}
              >
                <Figure label={t.total} value={total} />
                <Figure label={t.scans} value={scanCount} />
                <Figure label={t.public} value={publicCount} />
                <Figure label={t.pinned} value={pinnedCount} />
              </Box>
              <Typography variant="body2" color="text.secondary">
                {t.robots(number(robots))}
              </Typography>
              <Days title={t.created} days={byDay} />
              {mine.data !== undefined && <Days title={t.mine} days={mine.data.byDay} />}
              <Box
                sx={{
                  display: 'grid',
                  gap: 2,
                  gridTemplateColumns: { md: 'repeat(2, minmax(0, 1fr))' },
                  alignItems: 'start',
                }}
              >
                <Shares
                  title={t.most}
                  empty={t.noScans}
                  rows={top.map(({ id, name, count }) => ({ key: String(id), name, to: `/codes/${id}`, count }))}
                />
                <Shares
                  title={t.types}
                  rows={byType.map(({ contentType, count }) => ({
                    key: contentType,
                    name: typeName(contentType),
                    to: `/codes?contentType=${contentType}`,
                    count,
                  }))}
                />
                {byCategory.some(({ categoryId }) => categoryId !== null) && (
                  <Shares
                    title={t.folders}
                    rows={byCategory.map(({ categoryId, name, count }) => ({
                      key: String(categoryId),
                      name: name ?? shared.noFolder,
                      to: `/codes?folder=${categoryId ?? 0}`,
                      count,
                    }))}
                  />
                )}
              </Box>
            </Stack>
          )
        }
      </Answer>
    </Page>
  )
}

const Figure = ({ label, value }: { label: string; value: number }) => (
  <Card>
    <CardContent sx={{ '&:last-child': { pb: 2 } }}>
      <Typography color="text.secondary" variant="body2">
        {label}
      </Typography>
      <Typography sx={{ fontSize: '1.75rem', fontWeight: 650, lineHeight: 1.3, fontVariantNumeric: 'tabular-nums' }}>
        {number(value)}
      </Typography>
    </CardContent>
  </Card>
)

const Days = ({ title, days }: { title: string; days: readonly { date: string; count: number }[] }) => (
  <Card>
    <CardContent>
      <Typography variant="h2" sx={{ mb: 1 }}>
        {title}
      </Typography>
      <DayChart label={title} days={days} />
    </CardContent>
  </Card>
)
