/** The things of today, above everything else on the start page: activities, overdue loans, stock-takings, reservations, requests and unread messages. */

import {
  AssignmentLate,
  ChatBubbleOutlined,
  EventAvailable,
  FactCheck,
  HowToReg,
  Notifications,
  PersonAdd,
} from '@mui/icons-material'
import {
  Alert,
  Box,
  Button,
  Card,
  List,
  ListItem,
  ListItemButton,
  ListItemIcon,
  ListItemText,
  Skeleton,
  Typography,
} from '@mui/material'
import { type ReactNode, useEffect, useState } from 'react'
import { Link } from 'react-router'

import { useCall } from '../../api/hooks.ts'
import type { ActivityItem } from '../../api/types.ts'
import { serverTime } from '../../browser/server-time.ts'
import { stored } from '../../browser/stored.ts'
import { clockTime, date, number } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useUnread } from '../../session/live.ts'
import { ownerQuery, useMay, useSession } from '../../session/session.ts'
import { DateTile } from '../../ui/DateTile.tsx'
import { useRights } from '../activities/rights.ts'

const words = texts({
  en: {
    title: 'Today',
    nothing: 'Nothing is due. Have a calm day.',
    failed: 'A part of this list could not be loaded.',
    retry: 'Try again',
    during: (from: string, to: string) => `${from} to ${to}`,
    from: (time: string) => `From ${time}`,
    until: (time: string) => `Until ${time}`,
    gate: 'Open gate',
    pass: 'Show my pass',
    checkIn: 'Check in',
    resume: 'Continue',
    found: (found: string, expected: string) => `Stock-taking: ${found} of ${expected} found`,
    overdue: (n: string) => (n === '1' ? '1 loan is overdue' : `${n} loans are overdue`),
    reservations: (n: string) => (n === '1' ? '1 reservation' : `${n} reservations`),
    joining: (n: string) => (n === '1' ? '1 request to join' : `${n} requests to join`),
    contacts: (n: string) => (n === '1' ? '1 contact request' : `${n} contact requests`),
    messages: (n: string) => (n === '1' ? '1 unread message' : `${n} unread messages`),
    notifications: (n: string) => (n === '1' ? '1 unread notification' : `${n} unread notifications`),
    waiting: 'Waiting for your decision',
  },
  zh: {
    title: '今天',
    nothing: '目前没有待办事项。',
    failed: '部分内容未能加载。',
    retry: '重试',
    during: (from: string, to: string) => `${from} 至 ${to}`,
    from: (time: string) => `${time} 开始`,
    until: (time: string) => `至 ${time}`,
    gate: '打开检票',
    pass: '出示通行证',
    checkIn: '签到',
    resume: '继续',
    found: (found: string, expected: string) => `盘点：已找到 ${found} / ${expected}`,
    overdue: (n: string) => `${n} 件借出已逾期`,
    reservations: (n: string) => `${n} 个预约`,
    joining: (n: string) => `${n} 个加入申请`,
    contacts: (n: string) => `${n} 个联系人申请`,
    messages: (n: string) => `${n} 条未读消息`,
    notifications: (n: string) => `${n} 条未读通知`,
    waiting: '等待你处理',
  },
})

/** Rows of one kind. */
const ROWS = 5
/** Pixels of a row, which has a date or two lines. */
const ROW_HEIGHT = 84
/** Rows of the last visit: so many are drawn until there are answers, so that nothing below them moves. */
const rowsBefore = stored('tessera.dueRows', 1)

/** Each part is one request for at most five rows. A part that fails leaves the others. */
function useParts() {
  const may = useMay()
  const { workspace } = useSession()
  const [day] = useState(() => ({ from: new Date().setHours(0, 0, 0, 0), to: new Date().setHours(23, 59, 59, 999) }))
  const activities = { size: ROWS, status: 'ACTIVE', sort: 'startTime', ...day } as const
  const mayList = { enabled: may('activities.list') }
  const own = useCall('activities.list', { query: { ...activities, ...ownerQuery() } }, mayList)
  const registered = useCall('activities.list', { query: { ...activities, registered: true } }, mayList)
  const loans = useCall(
    'assets.loans',
    { query: { overdue: true, size: 1, ...ownerQuery() } },
    { enabled: may('assets.loans') },
  )
  const inventories = useCall(
    'inventories.list',
    { query: { status: 'RUNNING', size: ROWS, ...ownerQuery() } },
    { enabled: may('inventories.list') },
  )
  const reservations = useCall(
    'assetReservations.list',
    { query: { status: ['REQUESTED'], size: 1, ...ownerQuery() } },
    { enabled: workspace !== null && may('assetReservations.approve') },
  )
  const contacts = useCall('contacts.pendingCount', {}, { enabled: may('contacts.pendingCount') })
  const joining = useCall(
    'orgs.pending',
    { params: { id: workspace?.id ?? 0 }, query: { size: 1 } },
    { enabled: workspace !== null && may('orgs.pending') },
  )
  const all = [own, registered, loans, inventories, reservations, contacts, joining]
  return {
    day,
    own,
    registered,
    loans,
    inventories,
    reservations,
    contacts,
    joining,
    // Those that are not asked for stay pending, but fetch nothing.
    isSettled: all.every(({ isLoading }) => !isLoading),
    failed: all.filter(({ error, data }) => error !== null && data === undefined),
  }
}

export function Due() {
  const t = useTexts(words)
  const unread = useUnread()
  const { workspace } = useSession()
  const parts = useParts()
  const { day, own, registered, loans, inventories, reservations, contacts, joining, isSettled, failed } = parts
  const [reserved] = useState(rowsBefore.get)
  const mine = new Set(registered.data?.items.map(({ id }) => id))
  const activities = [
    ...new Map([...(own.data?.items ?? []), ...(registered.data?.items ?? [])].map((one) => [one.id, one])).values(),
  ]
    .toSorted((a, b) => a.startTime - b.startTime)
    .slice(0, ROWS)
  const counted = (n: number | undefined, to: string, icon: ReactNode, text: (n: string) => string, detail = '') =>
    n ? [<Row key={to} to={to} picture={icon} title={text(number(n))} detail={detail} />] : []
  const rows = [
    ...activities.map((activity) => (
      <ActivityRow key={`activity-${activity.id}`} activity={activity} isRegistered={mine.has(activity.id)} day={day} />
    )),
    ...counted(loans.data?.total, '/assets/loans?show=overdue', <AssignmentLate color="warning" />, t.overdue),
    ...(inventories.data?.items ?? []).map(({ id, name, found, expected }) => (
      <Row
        key={`inventory-${id}`}
        to={`/assets/inventories/${id}`}
        picture={<FactCheck color="primary" />}
        title={name}
        detail={t.found(number(found), number(expected))}
        action={{ to: `/assets/inventories/${id}`, text: t.resume }}
      />
    )),
    ...counted(
      reservations.data?.total,
      '/reservations/today',
      <EventAvailable color="primary" />,
      t.reservations,
      t.waiting,
    ),
    ...counted(
      joining.data?.total,
      `/orgs/${workspace?.id}?tab=joining`,
      <HowToReg color="primary" />,
      t.joining,
      t.waiting,
    ),
    ...counted(contacts.data?.count, '/contacts?tab=requests', <PersonAdd color="primary" />, t.contacts, t.waiting),
    ...counted(unread.messages, '/chats', <ChatBubbleOutlined color="primary" />, t.messages),
    ...counted(unread.notifications, '/notifications', <Notifications color="primary" />, t.notifications),
  ]
  useEffect(() => {
    if (isSettled) rowsBefore.set(Math.max(1, rows.length))
  }, [isSettled, rows.length])
  return (
    <Card component="section" aria-busy={!isSettled}>
      <Typography variant="h2" sx={{ px: 2, pt: 2 }}>
        {t.title}
      </Typography>
      {isSettled && failed.length > 0 && (
        <Alert
          severity="warning"
          sx={{ m: 1 }}
          action={
            <Button color="inherit" size="small" onClick={() => failed.forEach(({ refetch }) => void refetch())}>
              {t.retry}
            </Button>
          }
        >
          {t.failed}
        </Alert>
      )}
      <Box sx={{ minHeight: reserved * ROW_HEIGHT }}>
        {!isSettled && (
          <Box aria-hidden>
            {Array.from({ length: reserved }, (_, i) => (
              // oxlint-disable-next-line react/no-array-index-key -- they are all the same
              <Box key={i} sx={{ height: ROW_HEIGHT, px: 2, pt: 2 }}>
                <Skeleton width="45%" />
                <Skeleton width="25%" />
              </Box>
            ))}
          </Box>
        )}
        {isSettled && rows.length === 0 && failed.length === 0 && (
          <Typography color="text.secondary" sx={{ px: 2, height: ROW_HEIGHT, pt: 1.5 }}>
            {t.nothing}
          </Typography>
        )}
        {isSettled && rows.length > 0 && <List disablePadding>{rows}</List>}
      </Box>
    </Card>
  )
}

interface RowProps {
  to: string
  picture: ReactNode
  title: string
  detail: string
  action?: { readonly to: string; readonly text: string } | undefined
}

const Row = ({ to, picture, title, detail, action }: RowProps) => (
  <ListItem disablePadding sx={{ minHeight: ROW_HEIGHT }}>
    <ListItemButton component={Link} to={to} sx={{ minWidth: 0, alignSelf: 'stretch' }}>
      <ListItemIcon sx={{ minWidth: 0, width: 60, mr: 1.5, justifyContent: 'center' }}>{picture}</ListItemIcon>
      <ListItemText
        primary={title}
        secondary={detail}
        slotProps={{ primary: { noWrap: true }, secondary: { noWrap: true } }}
      />
    </ListItemButton>
    {action && (
      <Button component={Link} to={action.to} variant="contained" sx={{ mx: 1.5, flexShrink: 0 }}>
        {action.text}
      </Button>
    )}
  </ListItem>
)

interface ActivityRowProps {
  activity: ActivityItem
  isRegistered: boolean
  day: { readonly from: number; readonly to: number }
}

/** With the one thing that this user does there today. */
function ActivityRow({ activity, isRegistered, day }: ActivityRowProps) {
  const t = useTexts(words)
  const can = useRights(activity)
  const { id, name, startTime, endTime, hasPass, hasCheckIn } = activity
  const path = `/activities/${id}`
  const action =
    hasPass && can('passes.uploadRedemptions')
      ? { to: `${path}/gate`, text: t.gate }
      : hasPass && isRegistered
        ? { to: `${path}?show=pass`, text: t.pass }
        : hasCheckIn && isRegistered && startTime <= serverTime()
          ? { to: path, text: t.checkIn }
          : undefined
  /** Clock times, or the last day of an activity that goes on for days. */
  const times = (): string => {
    if (endTime > day.to) return startTime < day.from ? t.until(date(endTime)) : t.from(clockTime(startTime))
    return startTime < day.from ? t.until(clockTime(endTime)) : t.during(clockTime(startTime), clockTime(endTime))
  }
  return <Row to={path} picture={<DateTile time={startTime} />} title={name} detail={times()} action={action} />
}
