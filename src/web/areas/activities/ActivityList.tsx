/** The activities of the workspace, those for which the user has registered, and those that anyone may join. */

import {
  Add,
  Badge,
  ConfirmationNumber,
  Event,
  EventRepeat,
  HowToReg,
  SearchOff,
  TravelExplore,
} from '@mui/icons-material'
import { Button, Chip, MenuItem, Stack, Tab, Tabs, TextField } from '@mui/material'
import { useCallback } from 'react'
import { Link, useSearchParams } from 'react-router'

import { type Paged, usePages } from '../../api/pages.ts'
import type { ActivityItem, ActivityStatus, PublicActivity } from '../../api/types.ts'
import { useChoices } from '../../i18n/enums.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ownerQuery, useMay, useSession } from '../../session/session.ts'
import { EmptyState } from '../../ui/Answer.tsx'
import { Page } from '../../ui/Page.tsx'
import { SearchField } from '../../ui/SearchField.tsx'
import { DiscoveredLists, PhaseLists, Rows, usePhases } from './Phases.tsx'
import { activityWords } from './words.ts'

const words = texts({
  en: {
    create: 'New activity',
    templates: 'Pass templates',
    mine: 'Mine',
    registered: 'Registered',
    discover: 'Discover',
    status: 'Status',
    all: 'All',
    views: 'Which activities',
    series: 'One series',
    empty: 'No activities yet',
    emptyText:
      'An activity has a time and a place. People register for it, check in with a code, and are let in with passes. Create the first one as a draft; nobody sees it before you publish it.',
    emptyMember: 'Nobody has published an activity here yet.',
    emptyRegistered: 'You have not registered for an activity',
    emptyRegisteredText: 'Find one under “Discover”, or open the link or code that the organizer gave you.',
    emptyDiscover: 'No public activities at the moment',
    emptyDiscoverText: 'Here are the published activities that everyone may join, as long as they are not over.',
  },
  zh: {
    create: '新建活动',
    templates: '通行证模板',
    mine: '我的',
    registered: '已报名',
    discover: '发现',
    status: '状态',
    all: '全部',
    views: '活动范围',
    series: '一个系列',
    empty: '还没有活动',
    emptyText: '活动有时间和地点，可以接受报名、扫码签到，并凭通行证入场。先创建草稿，发布之前别人看不到。',
    emptyMember: '这里还没有发布活动。',
    emptyRegistered: '还没有报名任何活动',
    emptyRegisteredText: '可在“发现”中查找，或打开主办方提供的链接或二维码。',
    emptyDiscover: '目前没有公开活动',
    emptyDiscoverText: '这里显示所有人都可以参加、且尚未结束的已发布活动。',
  },
})

const VIEWS = ['mine', 'registered', 'discover'] as const
const STATUSES = new Set<string>(['DRAFT', 'ACTIVE', 'ENDED', 'CANCELLED'])

export default function ActivityList() {
  const t = useTexts(words)
  const shared = useTexts(activityWords)
  const { workspace } = useSession()
  const statuses = useChoices('activityStatus')
  const [search, setSearch] = useSearchParams()
  const view = VIEWS.find((one) => one === search.get('view')) ?? 'mine'
  const isDiscovery = view === 'discover'
  const keyword = search.get('keyword') ?? ''
  const chosen = search.get('status') ?? ''
  const status = STATUSES.has(chosen) ? (chosen as ActivityStatus) : undefined
  const change = useCallback(
    (name: string, value: string) =>
      setSearch(
        (before) => {
          const next = new URLSearchParams(before)
          if (value === '') next.delete(name)
          else next.set(name, value)
          return next
        },
        { replace: true },
      ),
    [setSearch],
  )
  const onSearch = useCallback((text: string) => change('keyword', text), [change])

  const asked = keyword === '' ? {} : { keyword }
  const series = isDiscovery ? null : search.get('series')
  const isFiltered = keyword !== '' || (!isDiscovery && (status !== undefined || series !== null))
  const listed = view === 'registered' ? { registered: true } : ownerQuery()
  const phases = usePhases(listed, !isDiscovery && !isFiltered)
  const found = usePages(
    'activities.list',
    {
      query: { ...listed, ...asked, ...(status && { status }), ...(series && { seriesId: series, sort: 'startTime' }) },
    },
    { enabled: !isDiscovery && isFiltered },
  )
  const discovered = usePages('activities.discover', { query: asked }, { enabled: isDiscovery })
  const flat: Paged<ActivityItem | PublicActivity> = isDiscovery ? discovered : found
  const inPhases = !isDiscovery && !isFiltered
  const isEmpty = inPhases ? phases.isEmpty === true : flat.items?.length === 0
  return (
    <Page title={shared.activities} actions={<Actions />}>
      <Tabs
        value={view}
        onChange={(_, next: string) => setSearch(next === 'mine' ? {} : { view: next })}
        variant="scrollable"
        aria-label={t.views}
        sx={{ mb: 2, borderBottom: 1, borderColor: 'divider' }}
      >
        <Tab value="mine" label={workspace?.name ?? t.mine} />
        <Tab value="registered" label={t.registered} />
        <Tab value="discover" label={t.discover} />
      </Tabs>
      {(!isEmpty || isFiltered) && (
        <Stack direction="row" spacing={1} sx={{ mb: 2 }}>
          <SearchField
            key={view}
            label={shared.search}
            sx={{ flex: 1, minWidth: 160 }}
            value={keyword}
            onSearch={onSearch}
          />
          {!isDiscovery && (
            <TextField
              select
              label={t.status}
              value={status ?? 'ALL'}
              onChange={({ target: { value } }) => change('status', value === 'ALL' ? '' : value)}
              sx={{ minWidth: 120 }}
            >
              <MenuItem value="ALL">{t.all}</MenuItem>
              {statuses.map(({ id, name }) => (
                <MenuItem key={id} value={id}>
                  {name}
                </MenuItem>
              ))}
            </TextField>
          )}
        </Stack>
      )}
      {series !== null && (
        <Chip icon={<EventRepeat />} label={t.series} onDelete={() => change('series', '')} sx={{ mb: 2 }} />
      )}
      {isEmpty ? (
        isFiltered ? (
          <EmptyState icon={SearchOff} title={shared.notFound} text={shared.notFoundText} />
        ) : (
          <NoActivities view={view} />
        )
      ) : inPhases ? (
        <PhaseLists phases={phases} />
      ) : isDiscovery && discovered.items !== undefined ? (
        <DiscoveredLists group={discovered} />
      ) : (
        <Rows group={flat} />
      )}
    </Page>
  )
}

function Actions() {
  const t = useTexts(words)
  const shared = useTexts(activityWords)
  const may = useMay()
  return (
    <>
      <Button startIcon={<ConfirmationNumber />} component={Link} to="/activities/passes">
        {shared.myPasses}
      </Button>
      {may('passTemplates.list') && (
        <Button variant="outlined" startIcon={<Badge />} component={Link} to="/activities/templates">
          {t.templates}
        </Button>
      )}
      {may('activities.create') && (
        <Button variant="contained" startIcon={<Add />} component={Link} to="/activities/new" data-create>
          {t.create}
        </Button>
      )}
    </>
  )
}

function NoActivities({ view }: { view: (typeof VIEWS)[number] }) {
  const t = useTexts(words)
  const mayCreate = useMay()('activities.create')
  if (view === 'registered')
    return <EmptyState icon={HowToReg} title={t.emptyRegistered} text={t.emptyRegisteredText} />
  if (view === 'discover') return <EmptyState icon={TravelExplore} title={t.emptyDiscover} text={t.emptyDiscoverText} />
  return (
    <EmptyState
      icon={Event}
      title={t.empty}
      text={mayCreate ? t.emptyText : t.emptyMember}
      action={
        mayCreate && (
          <Button variant="contained" component={Link} to="/activities/new">
            {t.create}
          </Button>
        )
      }
    />
  )
}
