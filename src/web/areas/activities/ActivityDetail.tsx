/** An activity: facts, what the user can do there, and for its managers registrations, check-ins and passes. */

import { Edit, QrCodeScanner } from '@mui/icons-material'
import { Alert, Button, Stack, Tab, Tabs } from '@mui/material'
import { useEffect, useState } from 'react'
import { Link, useParams, useSearchParams } from 'react-router'

import { useCall } from '../../api/hooks.ts'
import type { Activity } from '../../api/types.ts'
import { serverTime } from '../../browser/server-time.ts'
import { storage } from '../../browser/storage.ts'
import { leave } from '../../browser/unsaved.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useRecent } from '../../session/recent.ts'
import { useSession } from '../../session/session.ts'
import { Answer, Loading } from '../../ui/Answer.tsx'
import { Owned } from '../../ui/Owned.tsx'
import { Page } from '../../ui/Page.tsx'
import { Nothing, part } from '../../ui/part.tsx'
import { CheckIns } from './CheckIns.tsx'
import { AskInviteCode } from './InviteCode.tsx'
import { Messages } from './messages/Messages.tsx'
import { nextStepOf } from './next-step.ts'
import { Organizer } from './Organizer.tsx'
import { Overview } from './Overview.tsx'
import { Participants } from './participants/Participants.tsx'
import { Passes } from './Passes.tsx'
import { useOwnerOf, useRights } from './rights.ts'
import { StatusActions } from './StatusActions.tsx'
import { scannedIn } from './words.ts'

const CheckInLists = part(() => import('./lists/CheckInLists.tsx'), Nothing)
const Gates = part(() => import('./gate/Gates.tsx'), Nothing)
const Invitations = part(() => import('./invitations/Invitations.tsx'), Loading)

const words = texts({
  en: {
    title: 'Activity',
    edit: 'Edit',
    gate: 'Gate',
    parts: 'Parts of the activity',
    overview: 'Overview',
    registrations: 'Registrations',
    invitations: 'Invitations',
    checkIns: 'Check-ins',
    passes: 'Passes',
    lists: 'Check-in lists',
    gates: 'Gates',
    messages: 'Messages',
    asVisitor: 'Visitors see this page like this.',
    back: 'Back to managing',
  },
  zh: {
    title: '活动',
    edit: '编辑',
    gate: '检票',
    parts: '活动内容',
    overview: '概览',
    registrations: '报名',
    invitations: '邀请',
    checkIns: '签到',
    passes: '通行证',
    lists: '签到名单',
    gates: '检票口',
    messages: '消息',
    asVisitor: '参加者看到的页面如下。',
    back: '返回管理',
  },
})

export default function ActivityDetail() {
  const t = useTexts(words)
  const id = Number(useParams().id)
  const [search] = useSearchParams()
  const { user } = useSession()
  const remembered = `tessera.inviteCode.${user.id}.${id}`
  const given = search.get('code')
  const code = given ?? storage.getItem(remembered) ?? undefined
  const query = useCall('activities.get', { params: { id }, query: { ...(code !== undefined && { code }) } })
  const isOpen = query.data !== undefined
  // The server does not remember who has given the code, and lists name the activity without it.
  useEffect(() => {
    if (isOpen && given !== null) storage.setItem(remembered, given)
  }, [isOpen, given, remembered])
  if (query.error?.status === 403 && query.data === undefined)
    return (
      <Page title={t.title} back="/activities" width="form">
        <AskInviteCode isWrong={given !== null} />
      </Page>
    )
  return <Answer query={query}>{(activity) => <OwnedActivity activity={activity} code={code} />}</Answer>
}

interface ShownProps {
  activity: Activity
  code: string | undefined
}

const OwnedActivity = (props: ShownProps) => (
  <Owned orgId={useOwnerOf(props.activity)}>
    <Shown {...props} />
  </Owned>
)

function Shown({ activity, code }: ShownProps) {
  const t = useTexts(words)
  useRecent('activity', activity.name)
  const can = useRights(activity)
  const [search, setSearch] = useSearchParams()
  const [now] = useState(serverTime)
  // The numbers are for managers only.
  const isManager = activity.stats !== null
  if (isManager && search.get('view') === 'visitor') return <AsVisitor activity={activity} code={code} />
  const scanned = scannedIn(search)
  const step = nextStepOf(activity, can, now, new Date(now).setHours(23, 59, 59, 999))
  const isOver = activity.status === 'ENDED' || activity.status === 'CANCELLED'
  const tabs = [
    { id: 'overview', label: t.overview, isShown: true },
    {
      id: 'registrations',
      label: t.registrations,
      isShown: activity.registration !== null && can('registrations.list'),
    },
    {
      id: 'invitations',
      label: t.invitations,
      isShown:
        activity.registration !== null && activity.visibility !== 'RESTRICTED' && can('activityInvitations.list'),
    },
    { id: 'check-ins', label: t.checkIns, isShown: activity.hasCheckIn && can('activities.checkInStats') },
    { id: 'passes', label: t.passes, isShown: activity.hasPass && can('passes.issue') },
    { id: 'lists', label: t.lists, isShown: activity.hasPass && isManager && can('checkInLists.list') },
    { id: 'gates', label: t.gates, isShown: activity.hasPass && isManager && can('activityGates.list') },
    {
      id: 'messages',
      label: t.messages,
      isShown: activity.status !== 'DRAFT' && can('activityMessages.list'),
    },
  ].filter(({ isShown }) => isShown)
  const chosen = tabs.find(({ id }) => id === search.get('tab'))?.id ?? 'overview'
  const hasGate = activity.hasPass && activity.status === 'ACTIVE' && can('passes.uploadRedemptions')
  return (
    <Page
      title={activity.name}
      back="/activities"
      actions={
        <Stack direction="row" spacing={1} sx={{ width: { xs: '100%', sm: 'auto' }, alignItems: 'center' }}>
          {hasGate && !(chosen === 'overview' && step === 'GATE') && (
            <Button
              variant={isManager ? 'outlined' : 'contained'}
              startIcon={<QrCodeScanner />}
              component={Link}
              to={`/activities/${activity.id}/gate`}
            >
              {t.gate}
            </Button>
          )}
          {!isOver && can('activities.update') && (
            <Button variant="outlined" startIcon={<Edit />} component={Link} to={`/activities/${activity.id}/edit`}>
              {t.edit}
            </Button>
          )}
          <StatusActions activity={activity} />
        </Stack>
      }
    >
      {tabs.length > 1 && (
        <Tabs
          value={chosen}
          onChange={(_, tab: string) => leave(() => setSearch(tab === 'overview' ? {} : { tab }, { replace: true }))}
          variant="scrollable"
          allowScrollButtonsMobile
          aria-label={t.parts}
          sx={{ mb: 2, borderBottom: 1, borderColor: 'divider' }}
        >
          {tabs.map(({ id, label }) => (
            <Tab key={id} value={id} label={label} />
          ))}
        </Tabs>
      )}
      {chosen === 'overview' &&
        (isManager ? (
          <Organizer activity={activity} code={code} scanned={scanned} step={step} />
        ) : (
          <Overview activity={activity} code={code} scanned={scanned} />
        ))}
      {chosen === 'invitations' && <Invitations activity={activity} />}
      {chosen === 'registrations' && <Participants activity={activity} />}
      {chosen === 'check-ins' && <CheckIns activity={activity} />}
      {chosen === 'passes' && <Passes activity={activity} />}
      {chosen === 'lists' && <CheckInLists activity={activity} />}
      {chosen === 'gates' && <Gates activity={activity} />}
      {chosen === 'messages' && <Messages activity={activity} />}
    </Page>
  )
}

/** The page of visitors, for managers, who can also register and check in there themselves. */
function AsVisitor({ activity, code }: ShownProps) {
  const t = useTexts(words)
  const path = `/activities/${activity.id}`
  return (
    <Page title={activity.name} back={path}>
      <Alert
        severity="info"
        sx={{ mb: 2 }}
        action={
          <Button color="inherit" component={Link} to={path}>
            {t.back}
          </Button>
        }
      >
        {t.asVisitor}
      </Alert>
      <Overview activity={{ ...activity, inviteCode: null, stats: null }} code={code} scanned={undefined} />
    </Page>
  )
}
