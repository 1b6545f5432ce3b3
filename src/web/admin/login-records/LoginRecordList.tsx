/** Sign-ins and account events of all users. */

import { Typography } from '@mui/material'
import { AutocompleteInput, DateTimeInput, SearchInput } from 'react-admin'

import type { AdminLoginRecord } from '../../api/types.ts'
import { useEnum } from '../../i18n/enums.ts'
import { failureWords, loginWords } from '../../i18n/login-words.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { AdminTable } from '../../ui/AdminTable.tsx'
import { EnumInput } from '../../ui/enums.tsx'
import { UserFilter } from '../../ui/pickers.tsx'
import { EnumStatus } from '../../ui/Status.tsx'
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
  const filters = [
    <SearchInput key="keyword" source="keyword" alwaysOn data-search />,
    <EnumInput key="status" source="status" of="loginStatus" label={t.result} alwaysOn />,
    <UserFilter key="userId" source="userId" />,
    <AutocompleteInput
      key="loginType"
      source="loginType"
      choices={Object.entries(events).map(([id, name]) => ({ id, name }))}
    />,
    <DateTimeInput key="from" source="from" />,
    <DateTimeInput key="to" source="to" />,
  ]
  return (
    <AdminTable<AdminLoginRecord>
      title={t.title}
      filters={filters}
      sort={{ field: 'createdAt', order: 'DESC' }}
      opens={false}
      columns={[
        { source: 'createdAt', sortable: true },
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
            <>
              <EnumStatus of="loginStatus" value={status} />
              {(failureReason !== null || reportedByClient) && (
                <Typography variant="caption" color="text.secondary" sx={{ display: 'block' }}>
                  {reasonOf(failureReason) || t.reported}
                </Typography>
              )}
            </>
          ),
          text: ({ status, failureReason }) =>
            `${resultOf(status)}${failureReason === null ? '' : `: ${reasonOf(failureReason)}`}`,
        },
        { source: 'deviceName', label: t.device },
        {
          source: 'ipAddress',
          label: t.address,
          render: ({ ipAddress, city }) => (
            <>
              {ipAddress}
              {city !== '' && (
                <Typography variant="caption" color="text.secondary" sx={{ display: 'block' }}>
                  {city}
                </Typography>
              )}
            </>
          ),
        },
      ]}
    />
  )
}
