/** The sessions of all users; administrators can end them. */

import { Logout } from '@mui/icons-material'

import { call } from '../../api/client.ts'
import type { AdminSession } from '../../api/types.ts'
import { withNote } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { BulkAction } from '../../ui/BulkAction.tsx'
import { searchFilter, timeFilters } from '../../ui/table/filters.tsx'
import { Table } from '../../ui/table/Table.tsx'

const words = texts({
  en: {
    title: 'Sessions',
    started: 'Signed in',
    yours: 'This session',
    end: 'End sessions',
    endTitle: (n: number) => (n === 1 ? 'End this session?' : `End ${n} sessions?`),
    endText:
      'The devices are signed out at once. A device that is bound to its account may sign in again by itself; disable the user to prevent that.',
    ended: (n: number) => (n === 1 ? 'The session is ended.' : `${n} sessions are ended.`),
  },
  zh: {
    title: '会话',
    started: '登录时间',
    yours: '当前会话',
    end: '结束会话',
    endTitle: (n: number) => (n === 1 ? '结束此会话？' : `结束 ${n} 个会话？`),
    endText: '这些设备会立即退出登录。已绑定账号的设备可能会自动重新登录；要阻止登录，请停用用户。',
    ended: (n: number) => `已结束 ${n} 个会话。`,
  },
})

export default function SessionList() {
  const t = useTexts(words)
  const may = useMay()
  return (
    <Table
      operation="admin.sessions.list"
      title={t.title}
      sort="-createdAt"
      filters={[
        searchFilter,
        { source: 'status', kind: 'enum', of: 'sessionStatus', always: true },
        { source: 'userId', kind: 'user' },
        ...timeFilters,
      ]}
      bulk={may('admin.sessions.revoke') && <EndSessions />}
      columns={[
        {
          source: 'userId',
          kind: 'user',
          user: ({ userId, nickname, username }) => ({ id: userId, nickname, username }),
          text: ({ username, nickname }) => username ?? nickname,
        },
        {
          source: 'deviceName',
          render: ({ deviceName, isCurrent }) => withNote(deviceName, isCurrent && t.yours),
        },
        {
          source: 'ipAddress',
          render: ({ ipAddress, city }) => [ipAddress, city].filter(Boolean).join(' · '),
        },
        { source: 'status', kind: 'enum', of: 'sessionStatus' },
        { source: 'lastActiveTime', kind: 'time' },
        { source: 'createdAt', kind: 'time', label: t.started, sortable: true },
      ]}
    />
  )
}

function EndSessions() {
  const t = useTexts(words)
  return (
    <BulkAction
      label={t.end}
      icon={<Logout />}
      title={t.endTitle}
      text={t.endText}
      run={(id) => call('admin.sessions.revoke', { params: { sessionId: Number(id) } })}
      done={t.ended}
      nameOf={({ nickname, username, deviceName }: AdminSession) => `${nickname || username}, ${deviceName}`}
    />
  )
}
