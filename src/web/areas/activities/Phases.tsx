/** Activities that run now, then the upcoming ones, the nearest first. Past ones are folded, the latest first. */

import { ExpandMore } from '@mui/icons-material'
import { Box, Button, Stack, Typography } from '@mui/material'
import type { ReactNode } from 'react'
import { useSearchParams } from 'react-router'

import { type Paged, usePages } from '../../api/pages.ts'
import type { ActivityItem, PublicActivity, QueryOf } from '../../api/types.ts'
import { serverTime } from '../../browser/server-time.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ErrorNotice, Loading, MoreButton } from '../../ui/Answer.tsx'
import { ActivityCard } from './ActivityCard.tsx'

const words = texts({
  en: { now: 'Now', upcoming: 'Upcoming', past: 'Past', none: 'Nothing is on now, and nothing is planned.' },
  zh: { now: '正在进行', upcoming: '即将开始', past: '已结束', none: '目前没有正在进行或即将开始的活动。' },
})

type Query = Pick<QueryOf<'activities.list'>, 'orgId' | 'registered'>
type Group = Paged<ActivityItem>

export interface Phases {
  readonly now: Group
  readonly upcoming: Group
  readonly past: Group
  readonly isPastOpen: boolean
  readonly togglePast: () => void
  /** Whether nothing runs or is planned, so that past activities are shown. */
  readonly isQuiet: boolean
  /** Undefined until it is known. */
  readonly isEmpty: boolean | undefined
}

/** Each group is read in pages of its own; past activities only when they are shown, or if there are no others. */
export function usePhases(query: Query, enabled: boolean): Phases {
  const [search, setSearch] = useSearchParams()
  const now = usePages('activities.list', { query: { ...query, phase: 'NOW', sort: 'startTime' } }, { enabled })
  const upcoming = usePages(
    'activities.list',
    { query: { ...query, phase: 'UPCOMING', sort: 'startTime' } },
    { enabled },
  )
  const isQuiet = now.items?.length === 0 && upcoming.items?.length === 0
  const chosen = search.get('past')
  const isPastOpen = chosen === null ? isQuiet : chosen === 'open'
  const past = usePages(
    'activities.list',
    { query: { ...query, phase: 'PAST', sort: '-startTime' } },
    { enabled: enabled && (isPastOpen || isQuiet) },
  )
  const hasAnswered = now.items !== undefined && upcoming.items !== undefined
  return {
    now,
    upcoming,
    past,
    isPastOpen,
    isQuiet,
    togglePast() {
      const next = new URLSearchParams(search)
      next.set('past', isPastOpen ? 'closed' : 'open')
      setSearch(next, { replace: true })
    },
    isEmpty: !hasAnswered ? undefined : !isQuiet ? false : past.items && past.items.length === 0,
  }
}

export function PhaseLists({ phases }: { phases: Phases }) {
  const t = useTexts(words)
  const { now, upcoming, past, isPastOpen, isQuiet, togglePast } = phases
  return (
    <Stack spacing={3}>
      <List title={t.now} group={now} />
      <List title={t.upcoming} group={upcoming} />
      {isQuiet && <Typography color="text.secondary">{t.none}</Typography>}
      {now.items !== undefined && upcoming.items !== undefined && (
        <Box component="section">
          <Typography variant="h2">
            <Button
              color="inherit"
              aria-expanded={isPastOpen}
              onClick={togglePast}
              startIcon={<ExpandMore sx={{ transform: isPastOpen ? undefined : 'rotate(-90deg)' }} />}
              sx={{ font: 'inherit', ml: -1 }}
            >
              {t.past}
            </Button>
          </Typography>
          {isPastOpen && <Rows group={past} />}
        </Box>
      )}
    </Stack>
  )
}

/** Without rows, nothing is drawn. */
function List({ title, group }: { title: string; group: Group }) {
  if (group.items?.length === 0) return null
  return (
    <Section title={title}>
      <Rows group={group} />
    </Section>
  )
}

const Section = ({ title, children }: { title: string; children: ReactNode }) => (
  <Box component="section">
    <Typography variant="h2" sx={{ mb: 1.5 }}>
      {title}
    </Typography>
    {children}
  </Box>
)

export function Rows({ group: { items, total, error, isLoading, more, retry } }: { group: Paged<Shown> }) {
  if (error !== null) return <ErrorNotice error={error} onRetry={retry} />
  if (items === undefined) return <Loading />
  return (
    <>
      <ActivityCards activities={items} />
      <MoreButton shown={items.length} total={total} onMore={more} isLoading={isLoading} />
    </>
  )
}

/** Public activities, which the server sorts by their start and which are not over. */
export function DiscoveredLists({ group }: { group: Paged<PublicActivity> }) {
  const t = useTexts(words)
  const now = serverTime()
  const items = group.items ?? []
  return (
    <Stack spacing={3}>
      {(['now', 'upcoming'] as const).map((phase) => {
        const shown = items.filter(({ startTime }) => startTime <= now === (phase === 'now'))
        if (shown.length === 0) return null
        return (
          <Section key={phase} title={t[phase]}>
            <ActivityCards activities={shown} />
          </Section>
        )
      })}
      <MoreButton shown={items.length} total={group.total} onMore={group.more} isLoading={group.isLoading} />
    </Stack>
  )
}

type Shown = ActivityItem | PublicActivity

function ActivityCards({ activities }: { activities: readonly Shown[] }) {
  return (
    <Box
      component="ul"
      sx={{
        m: 0,
        p: 0,
        display: 'grid',
        gap: 2,
        gridTemplateColumns: 'repeat(auto-fill, minmax(min(100%, 300px), 1fr))',
      }}
    >
      {activities.map((activity) => (
        <ActivityCard key={activity.id} activity={activity} />
      ))}
    </Box>
  )
}
