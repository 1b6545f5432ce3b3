/** The codes of the workspace in numbers, and the user's scans. */

import { BarChart } from '@mui/icons-material'
import { Box, Card, CardContent, LinearProgress, Link as MuiLink, Stack, Typography } from '@mui/material'
import { useState } from 'react'
import { Link } from 'react-router'

import { useCall } from '../../api/hooks.ts'
import { useEnum } from '../../i18n/enums.ts'
import { number, timeZone } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ownerQuery, useMay } from '../../session/session.ts'
import { Answer, EmptyState } from '../../ui/Answer.tsx'
import { Page } from '../../ui/Page.tsx'
import { DayChart, PeriodField } from './DayChart.tsx'
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
    most: 'Most scanned',
    mine: 'Your scans a day, with this app',
    empty: 'Nothing to count yet',
    emptyText: 'Create a code. Its scans are counted here.',
    noScans: 'No code has been scanned yet.',
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
    most: '扫码最多',
    mine: '你每日用本应用的扫描',
    empty: '暂无统计',
    emptyText: '新建二维码后，这里会统计扫码次数。',
    noScans: '还没有二维码被扫描。',
  },
})

/** Codes in the table of the most scanned. */
const MOST = 10

export default function Statistics() {
  const t = useTexts(words)
  const shared = useTexts(codeWords)
  const typeName = useEnum('contentType')
  const may = useMay()
  const [days, setDays] = useState(30)
  const tz = timeZone()
  const stats = useCall('qrCodes.stats', { query: { ...ownerQuery(), days, tz } }, { keepPrevious: true })
  const most = useCall('qrCodes.list', { query: { ...ownerQuery(), sort: '-scanCount', size: MOST } })
  const mine = useCall(
    'scanRecords.stats',
    { query: { days, tz } },
    { enabled: may('scanRecords.stats'), keepPrevious: true },
  )
  return (
    <Page title={t.title} back="/codes" actions={<PeriodField value={days} onChange={setDays} />}>
      <Answer query={stats}>
        {({ total, publicCount, pinnedCount, scanCount, byType, byCategory, byDay }) =>
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
                <Answer query={most}>
                  {({ items }) => (
                    <Shares
                      title={t.most}
                      empty={t.noScans}
                      rows={items
                        .filter((code) => code.scanCount > 0)
                        .map((code) => ({
                          key: String(code.id),
                          name: code.name,
                          to: `/codes/${code.id}`,
                          count: code.scanCount,
                        }))}
                    />
                  )}
                </Answer>
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
      <Typography sx={{ fontSize: '1.75rem', fontWeight: 650, lineHeight: 1.3 }}>{number(value)}</Typography>
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

interface SharesProps {
  title: string
  empty?: string
  rows: readonly { key: string; name: string; to: string; count: number }[]
}

/** Rows with a bar, the largest first. */
function Shares({ title, empty, rows }: SharesProps) {
  const largest = Math.max(1, ...rows.map(({ count }) => count))
  return (
    <Card>
      <CardContent>
        <Typography variant="h2" sx={{ mb: 1 }}>
          {title}
        </Typography>
        {rows.length === 0 && <Typography color="text.secondary">{empty}</Typography>}
        <Stack component="ul" spacing={1} sx={{ m: 0, p: 0, listStyle: 'none' }}>
          {rows.map(({ key, name, to, count }) => (
            <Box component="li" key={key}>
              <Stack direction="row" spacing={2} sx={{ justifyContent: 'space-between' }}>
                <MuiLink component={Link} to={to} color="text.primary" sx={{ overflowWrap: 'anywhere' }}>
                  {name}
                </MuiLink>
                <Typography>{number(count)}</Typography>
              </Stack>
              <LinearProgress
                variant="determinate"
                value={(count / largest) * 100}
                aria-hidden="true"
                sx={{ height: 6, borderRadius: 3 }}
              />
            </Box>
          ))}
        </Stack>
      </CardContent>
    </Card>
  )
}
