/** The sessions of one user, which administrators can end, and the devices that synchronize. */

import { Logout } from '@mui/icons-material'

import { usePages } from '../../api/pages.ts'
import type { UserAdmin } from '../../api/types.ts'
import { useEnum } from '../../i18n/enums.ts'
import { dateTime, relativeTime } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { ActionButton } from '../../ui/ActionButton.tsx'
import { Section } from '../../ui/parts.tsx'
import { Row, Rows } from '../../ui/Rows.tsx'

export const sessionWords = texts({
  en: {
    sessions: 'Sessions',
    noSession: 'This user is not signed in anywhere.',
    active: (time: string) => `active ${time}`,
    end: 'End',
    endOf: (device: string) => `End the session on ${device}`,
    endTitle: 'End this session?',
    endText:
      'The device is signed out at once. It may sign in again by itself if it is bound to the account; disable the user to prevent that.',
    ended: 'The session is ended.',
    endAll: 'End all',
    endAllTitle: 'End all sessions of this user?',
    endAllText:
      'The user is signed out everywhere at once. Devices that are bound to the account may sign in again by themselves.',
    endedAll: 'All sessions are ended.',
    devices: 'Devices that synchronize',
    noDevice: 'No device of this user synchronizes.',
    pulled: (time: string) => `Read ${time}`,
    pushed: (time: string) => `sent ${time}`,
    conflicts: (n: number) => (n === 1 ? '1 open conflict' : `${n} open conflicts`),
    unnamed: 'Unnamed device',
  },
  zh: {
    sessions: '会话',
    noSession: '此用户没有登录。',
    active: (time: string) => `${time}活动`,
    end: '结束',
    endOf: (device: string) => `结束 ${device} 上的会话`,
    endTitle: '结束此会话？',
    endText: '该设备会立即退出登录。如果设备已绑定账号，它可能会自动重新登录；要阻止登录，请停用此用户。',
    ended: '会话已结束。',
    endAll: '全部结束',
    endAllTitle: '结束此用户的所有会话？',
    endAllText: '该用户会立即在所有设备上退出登录。已绑定账号的设备可能会自动重新登录。',
    endedAll: '所有会话已结束。',
    devices: '同步设备',
    noDevice: '此用户没有同步的设备。',
    pulled: (time: string) => `${time}读取`,
    pushed: (time: string) => `${time}上传`,
    conflicts: (n: number) => `${n} 个未解决的冲突`,
    unnamed: '未命名设备',
  },
})

function EndAll({ user }: { user: UserAdmin }) {
  const t = useTexts(sessionWords)
  return (
    <ActionButton
      operation="admin.users.endSessions"
      input={{ params: { userId: user.id } }}
      label={t.endAll}
      icon={<Logout />}
      title={t.endAllTitle}
      text={t.endAllText}
      done={t.endedAll}
      refreshes={['admin', 'operationLog']}
    />
  )
}

export function Devices({ user }: { user: UserAdmin }) {
  const t = useTexts(sessionWords)
  const statusOf = useEnum('sessionStatus')
  const may = useMay()
  const sessions = usePages(
    'admin.sessions.list',
    { query: { userId: user.id } },
    { enabled: may('admin.sessions.list') },
  )
  const devices = usePages('sync.devicesOf', { query: { userId: user.id } })
  return (
    <>
      {may('admin.sessions.list') && (
        <Section title={t.sessions} actions={<EndAll user={user} />}>
          <Rows query={sessions} empty={t.noSession} label={t.sessions} keyOf={({ id }) => id}>
            {({ id, deviceName, ipAddress, city, lastActiveTime, status, createdAt }) => (
              <Row
                title={deviceName || t.unnamed}
                details={[
                  statusOf(status),
                  dateTime(createdAt),
                  t.active(relativeTime(lastActiveTime)),
                  ipAddress,
                  city,
                ]
                  .filter(Boolean)
                  .join(' · ')}
                actions={
                  <ActionButton
                    operation="admin.sessions.revoke"
                    input={{ params: { sessionId: id } }}
                    label={t.end}
                    name={t.endOf(deviceName || t.unnamed)}
                    icon={<Logout />}
                    title={t.endTitle}
                    text={t.endText}
                    done={t.ended}
                    refreshes={['admin', 'operationLog']}
                  />
                }
              />
            )}
          </Rows>
        </Section>
      )}
      <Section title={t.devices}>
        <Rows query={devices} empty={t.noDevice} label={t.devices} keyOf={({ deviceId }) => deviceId}>
          {({ deviceName, lastPullAt, lastPushAt, pendingConflicts }) => (
            <Row
              title={deviceName || t.unnamed}
              details={[
                lastPullAt && t.pulled(relativeTime(lastPullAt)),
                lastPushAt && t.pushed(relativeTime(lastPushAt)),
                pendingConflicts > 0 && t.conflicts(pendingConflicts),
              ]
                .filter(Boolean)
                .join(' · ')}
            />
          )}
        </Rows>
      </Section>
    </>
  )
}
