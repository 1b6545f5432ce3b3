/**
 * The overview for administrators: things that need attention, the backup, sign-ins that failed and the storage, totals, the health of the
 * server, and the growth as charts, which are folded.
 */

import { ExpandMore } from '@mui/icons-material'
import {
  Box,
  Button,
  Card,
  CardContent,
  Skeleton,
  Stack,
  ToggleButton,
  ToggleButtonGroup,
  Typography,
} from '@mui/material'
import { useMemo, useState } from 'react'
import { Link } from 'react-router'

import { useCall } from '../../api/hooks.ts'
import type { Statistics } from '../../api/types.ts'
import { bytes, dateTime, number, relativeTime, timeZone } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { Answer } from '../../ui/Answer.tsx'
import { Chart } from '../../ui/Chart.tsx'
import { Page } from '../../ui/Page.tsx'
import { Section } from '../../ui/parts.tsx'
import { NewerVersionNotice } from '../server/NewerVersion.tsx'
import { StartNotices } from '../server/StartNotices.tsx'
import { Attention, Server, SetupLeft, useHealth } from './Server.tsx'

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
    free: (size: string) => `${size} free`,
    backup: 'Newest good backup',
    none: 'None',
    failed: 'Failed sign-ins',
    lastDay: 'in the last 24 hours',
    growth: 'Growth',
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
    free: (size: string) => `剩余 ${size}`,
    backup: '最新有效备份',
    none: '无',
    failed: '登录失败',
    lastDay: '最近 24 小时',
    growth: '增长',
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
  const seesServer = may('actuator.info')
  return (
    <Page title={t.title}>
      {may('server.values') && <SetupLeft />}
      {seesServer && <Attention />}
      {may('server.values') && <NewerVersionNotice />}
      {may('server.values') && <StartNotices />}
      <Urgent storageBytes={query.data?.totals.storageBytes} />
      <Answer query={query}>{(statistics) => <Totals statistics={statistics} days={days} />}</Answer>
      {seesServer && <Server />}
      {query.data !== undefined && <Growth statistics={query.data} days={days} onChange={setDays} />}
    </Page>
  )
}

/** The questions of each day: can everything be restored, does somebody try passwords, does the disk fill up. */
function Urgent({ storageBytes }: { storageBytes: number | undefined }) {
  const t = useTexts(words)
  const may = useMay()
  const seesServer = may('actuator.info')
  const seesSignIns = may('admin.loginRecords.list')
  const backup = useHealth(seesServer)?.components?.backup
  const { data: info } = useCall('actuator.info', undefined, { enabled: seesServer })
  const { data: failed } = useCall(
    'admin.loginRecords.list',
    { query: { status: 'failed', hours: 24, size: 1 } },
    { enabled: seesSignIns, every: 60_000 },
  )
  return (
    <Tiles
      width={200}
      tiles={[
        ...(seesServer
          ? [
              {
                label: t.backup,
                value: backup && (backup.lastGoodAt === null ? t.none : relativeTime(backup.lastGoodAt)),
                below: dateTime(backup?.lastGoodAt ?? null),
                to: may('backups.list') && '/admin/backups',
              },
            ]
          : []),
        ...(seesSignIns
          ? [
              {
                label: t.failed,
                value: failed && number(failed.total),
                below: t.lastDay,
                to: '/admin/login-records?status=failed',
              },
            ]
          : []),
        {
          label: t.storage,
          value: storageBytes === undefined ? undefined : bytes(storageBytes),
          below: info && t.free(bytes(info.freeDiskBytes)),
          to: may('admin.files.list') && '/admin/files',
        },
      ]}
    />
  )
}

interface Tile {
  label: string
  /** Undefined until it is known. */
  value: string | undefined
  below?: string | undefined
  /** The page that shows more, unless the role does not allow it. */
  to: string | false
}

/** `width`: pixels of the narrowest tile. */
const Tiles = ({ tiles, width }: { tiles: readonly Tile[]; width: number }) => (
  <Box
    sx={{
      display: 'grid',
      gap: 1.5,
      gridTemplateColumns: { xs: 'repeat(2, 1fr)', sm: `repeat(auto-fit, minmax(${width}px, 1fr))` },
      mb: 2,
    }}
  >
    {tiles.map(({ label, value, below, to }) => (
      <Card
        key={label}
        {...(to !== false && { component: Link, to })}
        sx={{
          color: 'inherit',
          textDecoration: 'none',
          '&:hover': to !== false ? { borderColor: 'primary.main' } : {},
          // An odd number of tiles leaves no hole in the two columns of phones.
          '&:last-of-type:nth-of-type(odd)': { gridColumn: { xs: '1 / -1', sm: 'auto' } },
        }}
      >
        <CardContent sx={{ p: 2, '&:last-child': { pb: 2 } }}>
          <Typography variant="body2" color="text.secondary">
            {label}
          </Typography>
          <Typography component="p" sx={{ fontSize: '1.75rem', fontWeight: 650, lineHeight: 1.3 }}>
            {value ?? <Skeleton width="50%" />}
          </Typography>
          {below !== undefined && below !== '' && (
            <Typography variant="caption" color="text.secondary" component="p">
              {below}
            </Typography>
          )}
        </CardContent>
      </Card>
    ))}
  </Box>
)

function Totals({ statistics: { totals, activeUsers }, days }: { statistics: Statistics; days: Days }) {
  const t = useTexts(words)
  const may = useMay()
  const active = t.active(activeUsers, days)
  return (
    <Tiles
      width={130}
      tiles={[
        { label: t.users, value: number(totals.users), below: active, to: may('admin.users.list') && '/admin/users' },
        { label: t.organizations, value: number(totals.organizations), to: may('admin.orgs.list') && '/admin/orgs' },
        { label: t.qrCodes, value: number(totals.qrCodes), to: may('admin.qrCodes.list') && '/admin/qr-codes' },
        { label: t.scans, value: number(totals.scans), to: may('admin.scanRecords.list') && '/admin/scan-records' },
        { label: t.assets, value: number(totals.assets), to: may('assets.listAll') && '/admin/assets' },
        {
          label: t.activities,
          value: number(totals.activities),
          to: may('admin.activities.list') && '/admin/activities',
        },
      ]}
    />
  )
}

interface GrowthProps {
  statistics: Statistics
  days: Days
  onChange: (days: Days) => void
}

function Growth({ statistics: { byDay, generatedAt }, days, onChange }: GrowthProps) {
  const t = useTexts(words)
  const [isOpen, setOpen] = useState(false)
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
    <section>
      <Stack direction="row" spacing={1} useFlexGap sx={{ mb: 1.5, flexWrap: 'wrap', alignItems: 'center' }}>
        <Typography variant="h2" sx={{ flex: 1 }}>
          <Button
            color="inherit"
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
            startIcon={<ExpandMore sx={{ transform: isOpen ? undefined : 'rotate(-90deg)' }} />}
            sx={{ font: 'inherit', ml: -1 }}
          >
            {t.growth}
          </Button>
        </Typography>
        {isOpen && (
          <ToggleButtonGroup
            exclusive
            size="small"
            value={days}
            aria-label={t.period}
            onChange={(_, chosen: Days | null) => chosen && onChange(chosen)}
          >
            {DAYS.map((n) => (
              <ToggleButton key={n} value={n} sx={{ whiteSpace: 'nowrap' }}>
                {t.days(n)}
              </ToggleButton>
            ))}
          </ToggleButtonGroup>
        )}
      </Stack>
      {isOpen && (
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
      )}
      <Typography variant="caption" color="text.secondary">
        {t.at(dateTime(generatedAt))}
      </Typography>
    </section>
  )
}
