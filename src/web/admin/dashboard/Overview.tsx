/** The overview for administrators: things that need attention, totals, growth as charts, and the health of the server. */

import { Box, Card, CardContent, Stack, ToggleButton, ToggleButtonGroup, Typography } from '@mui/material'
import { useMemo, useState } from 'react'
import { Link } from 'react-router'

import { useCall } from '../../api/hooks.ts'
import type { Statistics } from '../../api/types.ts'
import { bytes, dateTime, number, timeZone } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { Answer } from '../../ui/Answer.tsx'
import { Chart } from '../../ui/Chart.tsx'
import { Page } from '../../ui/Page.tsx'
import { Section } from '../../ui/parts.tsx'
import { Attention, Server } from './Server.tsx'

const words = texts({
  en: {
    title: 'Overview',
    days: (n: string) => `${n} days`,
    period: 'Period',
    users: 'Users',
    organizations: 'Organizations',
    qrCodes: 'QR codes',
    scans: 'Scans',
    assets: 'Assets',
    activities: 'Activities',
    storage: 'Storage',
    active: (n: number, days: string) => `${number(n)} active in ${days} days`,
    people: 'New users and organizations',
    content: 'New codes and scans',
    things: 'New assets and activities',
    stored: 'Size of new files',
    at: (time: string) => `Counted ${time}`,
  },
  zh: {
    title: '概览',
    days: (n: string) => `${n} 天`,
    period: '时段',
    users: '用户',
    organizations: '组织',
    qrCodes: '二维码',
    scans: '扫码',
    assets: '资产',
    activities: '活动',
    storage: '存储',
    active: (n: number, days: string) => `${days} 天内活跃 ${number(n)} 人`,
    people: '新增用户和组织',
    content: '新增二维码和扫码',
    things: '新增资产和活动',
    stored: '新增文件大小',
    at: (time: string) => `统计于${time}`,
  },
})

const DAYS = ['7', '30', '90'] as const
type Days = (typeof DAYS)[number]

export default function Overview() {
  const t = useTexts(words)
  const may = useMay()
  const [days, setDays] = useState<Days>('30')
  const tz = timeZone()
  const query = useCall('admin.statistics.get', { query: { days, tz } }, { keepPrevious: true, every: 60_000 })
  return (
    <Page
      title={t.title}
      actions={
        <ToggleButtonGroup
          exclusive
          size="small"
          value={days}
          aria-label={t.period}
          onChange={(_, chosen: Days | null) => chosen && setDays(chosen)}
        >
          {DAYS.map((n) => (
            <ToggleButton key={n} value={n} sx={{ whiteSpace: 'nowrap' }}>
              {t.days(n)}
            </ToggleButton>
          ))}
        </ToggleButtonGroup>
      }
    >
      {may('actuator.info') && <Attention />}
      <Answer query={query}>{(statistics) => <Numbers statistics={statistics} days={days} />}</Answer>
      {may('actuator.info') && <Server />}
    </Page>
  )
}

function Numbers({ statistics, days }: { statistics: Statistics; days: Days }) {
  const t = useTexts(words)
  const may = useMay()
  const { totals, activeUsers, byDay, generatedAt } = statistics
  const tiles = [
    {
      label: t.users,
      value: number(totals.users),
      below: t.active(activeUsers, days),
      to: '/admin/users',
      needs: may('admin.users.list'),
    },
    { label: t.organizations, value: number(totals.organizations), to: '/admin/orgs', needs: may('admin.orgs.list') },
    { label: t.qrCodes, value: number(totals.qrCodes), to: '/admin/qr-codes', needs: may('admin.qrCodes.list') },
    { label: t.scans, value: number(totals.scans), to: '/admin/scan-records', needs: may('admin.scanRecords.list') },
    { label: t.assets, value: number(totals.assets), to: '/admin/assets', needs: may('assets.listAll') },
    {
      label: t.activities,
      value: number(totals.activities),
      to: '/admin/activities',
      needs: may('admin.activities.list'),
    },
    { label: t.storage, value: bytes(totals.storageBytes), to: '/admin/files', needs: may('admin.files.list') },
  ]
  // Charts are drawn again when their data is another object.
  const charts = useMemo(() => {
    const times = byDay.map(({ date }) => new Date(`${date}T00:00`).getTime())
    const series = (name: keyof Statistics['totals'], label: string) => ({
      label,
      values: byDay.map((day) => day[name]),
    })
    return [
      { title: t.people, times, series: [series('users', t.users), series('organizations', t.organizations)] },
      { title: t.content, times, series: [series('qrCodes', t.qrCodes), series('scans', t.scans)] },
      { title: t.things, times, series: [series('assets', t.assets), series('activities', t.activities)] },
      { title: t.stored, times, series: [series('storageBytes', t.storage)] },
    ]
  }, [byDay, t])
  return (
    <>
      <Box
        sx={{
          display: 'grid',
          gap: 1.5,
          gridTemplateColumns: { xs: 'repeat(2, 1fr)', sm: 'repeat(auto-fit, minmax(130px, 1fr))' },
          mb: 2,
        }}
      >
        {tiles.map(({ label, value, below, to, needs }) => (
          <Card
            key={label}
            {...(needs && { component: Link, to })}
            sx={{
              color: 'inherit',
              textDecoration: 'none',
              '&:hover': needs ? { borderColor: 'primary.main' } : {},
              // An odd number of tiles leaves no hole in the two columns of phones.
              '&:last-of-type:nth-of-type(odd)': { gridColumn: { xs: '1 / -1', sm: 'auto' } },
            }}
          >
            <CardContent sx={{ p: 2, '&:last-child': { pb: 2 } }}>
              <Typography variant="body2" color="text.secondary">
                {label}
              </Typography>
              <Typography component="p" sx={{ fontSize: '1.75rem', fontWeight: 650, lineHeight: 1.3 }}>
                {value}
              </Typography>
              {below !== undefined && (
                <Typography variant="caption" color="text.secondary" component="p">
                  {below}
                </Typography>
              )}
            </CardContent>
          </Card>
        ))}
      </Box>
      <Box
        sx={{
          display: 'grid',
          columnGap: 2,
          gridTemplateColumns: { xs: 'minmax(0, 1fr)', lg: 'repeat(2, minmax(0, 1fr))' },
        }}
      >
        {charts.map(({ title, times, series }) => (
          <Section key={title} title={title}>
            <Chart label={title} times={times} series={series} height={200} />
          </Section>
        ))}
      </Box>
      <Stack sx={{ mb: 2 }}>
        <Typography variant="caption" color="text.secondary">
          {t.at(dateTime(generatedAt))}
        </Typography>
      </Stack>
    </>
  )
}
