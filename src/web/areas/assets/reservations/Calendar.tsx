/** The calendar of an organization's assets: reservations, loans and maintenance of a week or month; on phones as a list. */

import { ChevronLeft, ChevronRight, EventAvailable } from '@mui/icons-material'
import {
  Alert,
  Box,
  Button,
  Card,
  IconButton,
  Stack,
  ToggleButton,
  ToggleButtonGroup,
  Tooltip,
  Typography,
} from '@mui/material'
import { blue } from '@mui/material/colors'
import { useState } from 'react'
import { Link, useSearchParams } from 'react-router'

import { useCall } from '../../../api/hooks.ts'
import { type Paged, usePages } from '../../../api/pages.ts'
import type { Asset, AssetCalendarEntry } from '../../../api/types.ts'
import { serverTime } from '../../../browser/server-time.ts'
import { dateFormat, labelled } from '../../../i18n/format.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { useMay, useOwner, useOwnerQuery } from '../../../session/session.ts'
import { EmptyState, ErrorNotice, Loading, MoreButton } from '../../../ui/Answer.tsx'
import { Page } from '../../../ui/Page.tsx'
import { Section } from '../../../ui/parts.tsx'
import { useIsPhone } from '../../../ui/use-is-phone.ts'
import { CategoryPicker, LocationPicker } from '../inputs.tsx'
import { barsOf, byThing, type Span, thingOf } from './calendar-layout.ts'
import { dayAfter, dayOf, mondayOf, monthOf, startOf } from './day-times.ts'
import { OrganizationsOnly } from './parts.tsx'
import { timesText, useZone, words as shared } from './words.ts'

const words = texts({
  en: {
    title: 'Calendar of reservations',
    views: 'Shown time',
    week: 'Week',
    month: 'Month',
    before: 'Earlier',
    after: 'Later',
    today: 'Today',
    category: 'Category',
    location: 'Location',
    kinds: { RESERVATION: 'Reservation', LOAN: 'Loan', MAINTENANCE: 'Maintenance' },
    since: (time: string) => `since ${time}, without an end`,
    truncated: 'There are more entries than can be shown. Choose a category or a place.',
    more: 'Only the first 100 assets are shown. Choose a category to see others.',
    empty: 'Nothing is reserved in this time',
    emptyText: 'Reservations, loans and maintenance are shown here.',
    borrow: 'Borrow',
  },
  zh: {
    title: '预约日历',
    views: '显示时段',
    week: '周',
    month: '月',
    before: '更早',
    after: '更晚',
    today: '今天',
    category: '分类',
    location: '位置',
    kinds: { RESERVATION: '预约', LOAN: '借用', MAINTENANCE: '维护' },
    since: (time: string) => `自 ${time} 起，无结束时间`,
    truncated: '记录过多，无法全部显示。请选择分类或位置。',
    more: '仅显示前 100 件资产。选择分类可查看其他资产。',
    empty: '该时段没有预约',
    emptyText: '预约、借用和维护会显示在这里。',
    borrow: '借用',
  },
})

type View = 'week' | 'month'

/** The days of the week or month with this day. */
function spanOf(view: View, day: string, zone: string): Span {
  const [first, end] = view === 'week' ? [mondayOf(day), dayAfter(mondayOf(day), 7)] : monthOf(day)
  const days: string[] = []
  for (let one = first; one < end; one = dayAfter(one)) days.push(one)
  return { days, from: startOf(first, zone), to: startOf(end, zone) }
}

export default function Calendar() {
  const t = useTexts(words)
  const may = useMay()
  const owner = useOwner()
  return (
    <Page
      title={t.title}
      back="/reservations"
      width="full"
      actions={
        owner !== null &&
        may('assetReservations.create') && (
          <Button
            component={Link}
            to="/reservations/borrow"
            variant="contained"
            startIcon={<EventAvailable />}
            data-create
          >
            {t.borrow}
          </Button>
        )
      }
    >
      {owner === null ? <OrganizationsOnly /> : <Content key={owner.id} />}
    </Page>
  )
}

function Content() {
  const t = useTexts(words)
  const zone = useZone()
  const owned = useOwnerQuery()
  const isPhone = useIsPhone()
  const [params, setParams] = useSearchParams()
  const [today] = useState(() => dayOf(serverTime(), zone))
  const view: View = params.get('view') === 'month' ? 'month' : 'week'
  const asked = params.get('day') ?? ''
  const day = /^\d{4}-\d\d-\d\d$/.test(asked) && !Number.isNaN(Date.parse(asked)) ? asked : today
  const [categoryId, setCategory] = useState<number | null>(null)
  const [locationId, setLocation] = useState<number | null>(null)
  const span = spanOf(view, day, zone)
  const filters = { ...(categoryId !== null && { categoryId }), ...(locationId !== null && { locationId }) }
  const calendar = useCall(
    'assetReservations.calendar',
    { query: { ...owned, from: span.from, to: span.to, ...filters } },
    { keepPrevious: true },
  )
  const go = (next: { view?: View; day?: string }) => setParams({ view, day, ...next }, { replace: true })
  const step = (n: 1 | -1) =>
    view === 'week'
      ? dayAfter(span.days[0]!, 7 * n)
      : n === 1
        ? monthOf(day)[1]
        : monthOf(dayAfter(span.days[0]!, -1))[0]
  return (
    <>
      <Stack direction="row" useFlexGap spacing={1} sx={{ flexWrap: 'wrap', alignItems: 'center', mb: 1 }}>
        <ToggleButtonGroup
          exclusive
          size="small"
          value={view}
          aria-label={t.views}
          onChange={(_, next: View | null) => next !== null && go({ view: next })}
        >
          <ToggleButton value="week" sx={{ px: 2 }}>
            {t.week}
          </ToggleButton>
          <ToggleButton value="month" sx={{ px: 2 }}>
            {t.month}
          </ToggleButton>
        </ToggleButtonGroup>
        <Arrow label={t.before} icon={<ChevronLeft />} onClick={() => go({ day: step(-1) })} />
        <Button onClick={() => go({ day: today })}>{t.today}</Button>
        <Arrow label={t.after} icon={<ChevronRight />} onClick={() => go({ day: step(1) })} />
        <Typography variant="h2" aria-live="polite" sx={{ flex: '1 1 250px' }}>
          {titleOf(view, span, zone)}
        </Typography>
      </Stack>
      <Stack
        direction={{ xs: 'column', sm: 'row' }}
        spacing={1}
        sx={{ mb: 2, '& > *': { flex: 1, maxWidth: { sm: 320 } } }}
      >
        <Box>
          <CategoryPicker label={t.category} value={categoryId} onChange={setCategory} />
        </Box>
        <Box>
          <LocationPicker label={t.location} value={locationId} onChange={setLocation} />
        </Box>
      </Stack>
      {calendar.error !== null && calendar.data === undefined && (
        <ErrorNotice error={calendar.error} onRetry={() => void calendar.refetch()} />
      )}
      {calendar.isPending && <Loading />}
      {calendar.data !== undefined && (
        <>
          {calendar.data.truncated && (
            <Alert severity="warning" sx={{ mb: 2 }}>
              {t.truncated}
            </Alert>
          )}
          <Things entries={calendar.data.items} filters={filters} span={span} today={today} isList={isPhone} />
        </>
      )}
    </>
  )
}

/** `24–30 Nov 2026`, or `November 2026`. */
function titleOf(view: View, { from, to }: Span, zone: string): string {
  if (view === 'month') return dateFormat({ month: 'long', year: 'numeric', timeZone: zone }).format(from)
  const format = dateFormat({ dateStyle: 'medium', timeZone: zone })
  return `${format.format(from)} – ${format.format(to - 1)}`
}

const Arrow = ({ label, icon, onClick }: { label: string; icon: React.ReactNode; onClick: () => void }) => (
  <Tooltip title={label}>
    <IconButton aria-label={label} onClick={onClick}>
      {icon}
    </IconButton>
  </Tooltip>
)

/** Ids of one request. */
const MAX_IDS = 100

interface ThingsProps {
  entries: readonly AssetCalendarEntry[]
  filters: { readonly categoryId?: number; readonly locationId?: number }
  span: Span
  today: string
  isList: boolean
}

/** Reads the assets: with a filter all of them, also those that are free, otherwise those with entries. */
function Things({ entries, filters, span, today, isList }: ThingsProps) {
  const t = useTexts(words)
  const owned = useOwnerQuery()
  const isFiltered = Object.keys(filters).length > 0
  const ids = [...new Set(entries.flatMap(({ assetId }) => assetId ?? []))].toSorted((a, b) => a - b)
  const shownIds = ids.slice(0, MAX_IDS)
  const list = usePages(
    'assets.list',
    { query: { ...owned, sort: 'name', ...(isFiltered ? filters : { ids: shownIds }) } },
    { size: 100, enabled: isFiltered || shownIds.length > 0 },
  )
  const supplyIds = [...new Set(entries.flatMap(({ supplyId }) => supplyId ?? []))].toSorted((a, b) => a - b)
  const supplies = usePages(
    'supplies.list',
    { query: { ...owned, ids: supplyIds.slice(0, MAX_IDS) } },
    { size: MAX_IDS, enabled: supplyIds.length > 0 },
  )
  if (entries.length === 0 && !isFiltered)
    return <EmptyState icon={EventAvailable} title={t.empty} text={t.emptyText} />
  if (list.error !== null) return <ErrorNotice error={list.error} onRetry={list.retry} />
  if (list.items === undefined && shownIds.length > 0) return <Loading />
  const names: readonly Named[] = [
    ...(list.items ?? []).map(({ id, name, assetNo }: Asset) => ({
      key: `asset ${id}`,
      name: `${name} (${assetNo})`,
      to: `/assets/${id}`,
    })),
    ...(supplies.items ?? []).map(({ id, name, supplyNo }) => ({
      key: `supply ${id}`,
      name: `${name} (${supplyNo})`,
      to: `/assets/supplies/${id}`,
    })),
  ]
  return (
    <>
      {!isFiltered && ids.length > MAX_IDS && (
        <Alert severity="info" sx={{ mb: 2 }}>
          {t.more}
        </Alert>
      )}
      {isList ? (
        <DayList entries={entries} names={names} span={span} />
      ) : (
        <Timeline entries={entries} names={names} span={span} today={today} />
      )}
      {isFiltered && !isList && <More list={list} />}
    </>
  )
}

const More = ({ list: { items, total, more, isLoading } }: { list: Paged<Asset> }) =>
  items === undefined ? null : <MoreButton shown={items.length} total={total} onMore={more} isLoading={isLoading} />

interface Named {
  readonly key: string
  readonly name: string
  readonly to: string
}

interface ViewProps {
  entries: readonly AssetCalendarEntry[]
  names: readonly Named[]
  span: Span
}

const NAME_WIDTH = 200
const LANE = 28
/** Percent of the width from which a bar has room for a name. */
const WIDE = 4

const COLORS = {
  RESERVATION: ['primary.main', 'primary.contrastText'],
  LOAN: [blue[800], 'common.white'],
  MAINTENANCE: ['grey.700', 'common.white'],
} as const

/** `Reservation, Ann, Sat, 21 Nov 2026, 14:00–16:00` */
function useEntryText(): (entry: AssetCalendarEntry) => { readonly who: string; readonly times: string } {
  const t = useTexts(words)
  const names = useTexts(shared)
  const zone = useZone()
  return ({ kind, name, from, to }) => ({
    who: labelled(t.kinds[kind], name ?? names.busy),
    times: to === null ? t.since(timesText({ from, to: from }, zone)) : timesText({ from, to }, zone),
  })
}

/** A row for each thing, a column for each day. */
function Timeline({ entries, names, span, today }: ViewProps & { today: string }) {
  const t = useTexts(words)
  const zone = useZone()
  const things = byThing(entries)
  const isWeek = span.days.length === 7
  const heading = dateFormat({ timeZone: zone, day: 'numeric', ...(isWeek && { weekday: 'short' }) })
  const edges = span.days.map((day) => ((startOf(day, zone) - span.from) / (span.to - span.from)) * 100)
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, and must do so with the keyboard too
    <Card variant="outlined" component="section" sx={{ overflowX: 'auto' }} tabIndex={0} aria-label={t.title}>
      <Box sx={{ minWidth: NAME_WIDTH + span.days.length * (isWeek ? 90 : 26) }}>
        <Box aria-hidden sx={{ display: 'flex', borderBottom: 1, borderColor: 'divider' }}>
          <Box sx={{ width: NAME_WIDTH, flexShrink: 0 }} />
          <Box sx={{ position: 'relative', flex: 1, height: 36 }}>
            {span.days.map((day, i) => (
              <Typography
                key={day}
                variant="body2"
                sx={{
                  position: 'absolute',
                  left: `${edges[i]}%`,
                  pl: 0.5,
                  pt: 1,
                  whiteSpace: 'nowrap',
                  ...(day === today && { fontWeight: 700, color: 'primary.main' }),
                }}
              >
                {heading.format(startOf(day, zone))}
              </Typography>
            ))}
          </Box>
        </Box>
        <Box component="ul" aria-label={t.title} sx={{ p: 0, m: 0, listStyle: 'none' }}>
          {names.map((thing) => (
            <Row key={thing.key} thing={thing} entries={things.get(thing.key) ?? []} span={span} edges={edges} />
          ))}
        </Box>
      </Box>
    </Card>
  )
}

interface RowProps {
  thing: Named
  entries: readonly AssetCalendarEntry[]
  span: Span
  edges: readonly number[]
}

function Row({ thing, entries, span, edges }: RowProps) {
  const bars = barsOf(entries, span)
  const lanes = Math.max(1, ...bars.map(({ lane }) => lane + 1))
  return (
    <Box
      component="li"
      sx={{ display: 'flex', borderBottom: 1, borderColor: 'divider', '&:last-of-type': { borderBottom: 0 } }}
    >
      <Typography
        variant="body2"
        component={Link}
        to={thing.to}
        sx={{ width: NAME_WIDTH, flexShrink: 0, p: 1, overflowWrap: 'anywhere', color: 'inherit' }}
      >
        {thing.name}
      </Typography>
      <Box sx={{ position: 'relative', flex: 1, minHeight: lanes * LANE + 12 }}>
        {edges.map((edge) => (
          <Box
            key={edge}
            aria-hidden
            sx={{ position: 'absolute', top: 0, bottom: 0, left: `${edge}%`, borderLeft: 1, borderColor: 'divider' }}
          />
        ))}
        <Box component="ul" aria-label={thing.name} sx={{ p: 0, m: 0, listStyle: 'none' }}>
          {bars.map(({ entry, left, width, lane }) => (
            <Box
              component="li"
              key={`${entry.kind} ${entry.reservationId} ${entry.from}`}
              sx={{ position: 'absolute', left: `${left}%`, width: `${width}%`, minWidth: 8, top: 6 + lane * LANE }}
            >
              <BarOf entry={entry} isWide={width > WIDE} />
            </Box>
          ))}
        </Box>
      </Box>
    </Box>
  )
}

function BarOf({ entry, isWide }: { entry: AssetCalendarEntry; isWide: boolean }) {
  const { who, times } = useEntryText()(entry)
  const names = useTexts(shared)
  const [background, color] = COLORS[entry.kind]
  return (
    <Tooltip title={`${who}, ${times}`}>
      <Box
        {...(entry.reservationId === null
          ? { component: 'span' }
          : { component: Link, to: `/reservations/${entry.reservationId}` })}
        aria-label={`${who}, ${times}`}
        sx={{
          display: 'block',
          height: LANE - 4,
          mx: '1px',
          px: 0.75,
          borderRadius: 1,
          bgcolor: background,
          color,
          fontSize: '0.8125rem',
          lineHeight: `${LANE - 4}px`,
          textDecoration: 'none',
          whiteSpace: 'nowrap',
          overflow: 'hidden',
          textOverflow: 'ellipsis',
        }}
      >
        {isWide && [entry.assetId === null ? `${entry.quantity} ×` : '', entry.name ?? names.busy].join(' ').trim()}
      </Box>
    </Tooltip>
  )
}

/** The entries below the days on which they begin, or below the first day if they began before. */
function DayList({ entries, names, span }: ViewProps) {
  const t = useTexts(words)
  const zone = useZone()
  const textOf = useEntryText()
  const nameOf = new Map(names.map(({ key, name }) => [key, name]))
  const days = span.days
    .map((day) => ({
      day,
      entries: entries
        .filter(({ from }) => dayOf(Math.max(from, span.from), zone) === day)
        .toSorted((a, b) => a.from - b.from),
    }))
    .filter((one) => one.entries.length > 0)
  if (days.length === 0) return <EmptyState icon={EventAvailable} title={t.empty} text={t.emptyText} />
  const heading = dateFormat({ timeZone: zone, weekday: 'long', day: 'numeric', month: 'long' })
  return days.map(({ day, entries: ofDay }) => (
    <Section key={day} title={heading.format(startOf(day, zone))}>
      <Stack component="ul" spacing={1.5} sx={{ p: 0, m: 0, listStyle: 'none' }}>
        {ofDay.map((entry) => {
          const { who, times } = textOf(entry)
          const name = nameOf.get(thingOf(entry)) ?? ''
          return (
            <Box
              component="li"
              key={`${thingOf(entry)} ${entry.kind} ${entry.reservationId} ${entry.from}`}
              sx={{ borderLeft: 4, pl: 1.5, borderColor: COLORS[entry.kind][0], overflowWrap: 'anywhere' }}
            >
              <Typography
                {...(entry.reservationId !== null && {
                  component: Link,
                  to: `/reservations/${entry.reservationId}`,
                })}
                sx={{ fontWeight: 600, color: 'inherit' }}
              >
                {name}
              </Typography>
              <Typography variant="body2">{who}</Typography>
              <Typography variant="body2" color="text.secondary">
                {times}
              </Typography>
            </Box>
          )
        })}
      </Stack>
    </Section>
  ))
}
