/** Sign-ins and account events of all users. */

import { Typography } from '@mui/material'

import { useEnum } from '../../i18n/enums.ts'
import { failureWords, loginWords } from '../../i18n/login-words.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { EnumStatus } from '../../ui/Status.tsx'
import { searchFilter, timeFilters } from '../../ui/table/filters.tsx'
import { Table } from '../../ui/table/Table.tsx'
import { TwoLines } from '../../ui/table/TwoLines.tsx'
import { UserLink } from '../../ui/UserLink.tsx'

const words = texts({
  en: {
    title: 'Login records',
    device: 'Device',
    address: 'Address',
    result: 'Result',
    reason: 'Reason',
    unknown: 'Unknown account',
    reported: 'reported by an app',
  },
  zh: {
    title: '登录记录',
    device: '设备',
    address: '地址',
    result: '结果',
    reason: '原因',
    unknown: '未知账号',
    reported: '应用上报',
  },
})

export default function LoginRecordList() {
  const t = useTexts(words)
  const resultOf = useEnum('loginStatus')
  const events = useTexts(loginWords)
  const failures = useTexts(failureWords)
  const reasonOf = (reason: string | null) => (reason === null ? '' : (failures[reason] ?? reason))
  return (
    <Table
      operation="admin.loginRecords.list"
      title={t.title}
      filters={[
        searchFilter,
        { source: 'status', kind: 'enum', of: 'loginStatus', label: t.result, always: true },
        { source: 'userId', kind: 'user' },
        {
          source: 'loginType',
          kind: 'choice',
          choices: Object.entries(events).map(([id, name]) => ({ id, name })),
        },
        ...timeFilters,
      ]}
      sort="-createdAt"
      columns={[
        { source: 'createdAt', kind: 'time', sortable: true },
        {
          source: 'userId',
          render: ({ userId, nickname, username }) =>
            userId === null ? (
              <Typography variant="body2" color="text.secondary">
                {t.unknown}
              </Typography>
            ) : (
              <UserLink id={userId} nickname={nickname} username={username} />
            ),
          text: ({ userId, nickname, username }) => username ?? nickname ?? userId,
        },
        {
          source: 'loginType',
          render: ({ loginType }) => events[loginType],
          text: ({ loginType }) => events[loginType],
        },
        {
          source: 'status',
          label: t.result,
          render: ({ status, failureReason, reportedByClient }) => (
            <TwoLines
              first={<EnumStatus of="loginStatus" value={status} />}
              second={failureReason !== null || reportedByClient ? reasonOf(failureReason) || t.reported : null}
            />
          ),
          text: ({ status, failureReason }) =>
            `${resultOf(status)}${failureReason === null ? '' : `: ${reasonOf(failureReason)}`}`,
        },
        { source: 'deviceName', label: t.device },
        {
          source: 'ipAddress',
          label: t.address,
          render: ({ ipAddress, city }) => <TwoLines first={ipAddress} second={city} />,
        },
      ]}
    />
  )
}
