/** Notifications that administrators have sent. A send that is running shows how far it is. */

import { Campaign } from '@mui/icons-material'
import { Box, LinearProgress } from '@mui/material'

import type { AdminNotification } from '../../api/types.ts'
import { useEnum } from '../../i18n/enums.ts'
import { useLabels } from '../../i18n/fields.ts'
import { dateTime, number, withNote } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { DetailTable } from '../../ui/DetailTable.tsx'
import { EnumChip } from '../../ui/enums.tsx'
import { OrgById } from '../../ui/named.tsx'
import { Facts } from '../../ui/parts.tsx'
import { searchFilter, timeFilters } from '../../ui/table/filters.tsx'
import { UserLink } from '../../ui/UserLink.tsx'

const words = texts({
  en: {
    title: 'Notifications',
    create: 'Send notification',
    none: 'No notifications sent yet',
    noneText: 'Tell users about maintenance, new rules or events. They get it in the app, here, and as a push.',
    remove:
      'The notification is taken back: recipients no longer see it, and a send that is running stops. Pushes that phones have shown already stay. This cannot be undone.',
    users: (n: number) => (n === 1 ? '1 user' : `${n} users`),
    progress: (n: number) => `${n} % sent`,
    finished: 'Finished',
    received: 'Received by',
    read: 'Read by',
  },
  zh: {
    title: '通知',
    create: '发送通知',
    none: '还没有发送过通知',
    noneText: '向用户发布维护、新规则或活动消息，用户会在应用、网页版和推送中收到。',
    remove: '通知将被撤回：接收者不再看到它，正在进行的发送会停止；手机上已显示的推送无法收回。此操作无法撤销。',
    users: (n: number) => `${n} 位用户`,
    progress: (n: number) => `已发送 ${n}%`,
    finished: '完成时间',
    received: '已送达',
    read: '已读',
  },
})

export default function NotificationList() {
  const t = useTexts(words)
  const f = useLabels()
  const audienceOf = useEnum('audience')
  const audience = ({ audience: { kind, count } }: AdminNotification) =>
    withNote(audienceOf(kind), kind !== 'ALL' && number(count))
  return (
    <DetailTable
      operation="admin.notifications.list"
      title={t.title}
      create={{ to: '/admin/notifications/create', needs: 'admin.notifications.send', label: t.create }}
      sort="-createdAt"
      filters={[searchFilter, { source: 'userId', kind: 'user' }, { source: 'orgId', kind: 'org' }, ...timeFilters]}
      columns={[
        { source: 'title' },
        { source: 'audience', render: audience, text: audience },
        { source: 'status', kind: 'enum', of: 'sendStatus', render: (row) => <State row={row} /> },
        { source: 'sent', kind: 'count' },
        { source: 'readCount', kind: 'count' },
        { source: 'sender', kind: 'user', user: ({ sender }) => ({ ...sender, id: sender.userId }), phone: 'hidden' },
        { source: 'createdAt', kind: 'time', sortable: true },
      ]}
      isChanging={({ status }) => status === 'RUNNING'}
      nameOf={(row) => row.title}
      renderDetails={(row) => (
        <>
          <Box sx={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{row.bodyPlain}</Box>
          <Facts
            items={[
              [f('status'), <State key="state" row={row} />],
              [f('audience'), audienceOf(row.audience.kind)],
              [f('orgId'), row.audience.orgId !== null && <OrgById key="org" id={row.audience.orgId} />],
              [t.received, t.users(row.sent)],
              [t.read, t.users(row.readCount)],
              [
                f('sender'),
                <UserLink
                  key="sender"
                  id={row.sender.userId}
                  nickname={row.sender.nickname}
                  username={row.sender.username}
                />,
              ],
              [f('createdAt'), dateTime(row.createdAt)],
              [t.finished, dateTime(row.finishedAt)],
            ]}
          />
        </>
      )}
      target="NOTIFICATION"
      removal={{ operation: 'admin.notifications.delete', param: 'notificationId', text: t.remove }}
      empty={{ icon: Campaign, title: t.none, text: t.noneText }}
    />
  )
}

function State({ row }: { row: AdminNotification }) {
  const t = useTexts(words)
  if (row.status === 'DONE') return <EnumChip of="sendStatus" value={row.status} />
  return (
    <Box sx={{ minWidth: 90 }}>
      {t.progress(row.progress)}
      <LinearProgress variant="determinate" value={row.progress} aria-label={t.progress(row.progress)} />
    </Box>
  )
}
