/** The API keys of all users; administrators can end them. */

import { KeyOff } from '@mui/icons-material'

import { call } from '../../api/client.ts'
import type { DataOf } from '../../api/types.ts'
import { clockTime, date, dateTime, list } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { BulkAction } from '../../ui/BulkAction.tsx'
import { usePointText } from '../../ui/point-words.ts'
import { searchFilter, timeFilters } from '../../ui/table/filters.tsx'
import { Table } from '../../ui/table/Table.tsx'
import { TwoLines, Unbroken } from '../../ui/table/TwoLines.tsx'
import { UserLink } from '../../ui/UserLink.tsx'

const words = texts({
  en: {
    title: 'API keys',
    points: 'Permissions',
    address: 'Last address',
    used: 'Last used',
    until: 'Valid until',
    over: 'Ended at',
    untilAt: (time: string) => `Valid until ${time}`,
    overAt: (time: string) => `Ended ${time}`,
    end: 'End keys',
    endTitle: (n: number) => (n === 1 ? 'End this API key?' : `End ${n} API keys?`),
    endText: 'Programs that use them are refused at once, and their owners are notified. This cannot be undone.',
    ended: (n: number) => (n === 1 ? 'The key has ended.' : `${n} keys have ended.`),
  },
  zh: {
    title: 'API 密钥',
    points: '权限',
    address: '最近地址',
    used: '最近使用',
    until: '有效期至',
    over: '终止时间',
    untilAt: (time: string) => `有效期至 ${time}`,
    overAt: (time: string) => `已于 ${time} 终止`,
    end: '终止密钥',
    endTitle: (n: number) => (n === 1 ? '终止此 API 密钥？' : `终止 ${n} 个 API 密钥？`),
    endText: '使用它们的程序会立即被拒绝，其所有者会收到通知。此操作无法撤销。',
    ended: (n: number) => `已终止 ${n} 个密钥。`,
  },
})

type AdminKey = DataOf<'admin.apiKeys.list'>['items'][number]

export default function ApiKeyList() {
  const t = useTexts(words)
  const may = useMay()
  const pointText = usePointText()
  return (
    <Table
      operation="admin.apiKeys.list"
      title={t.title}
      sort="-createdAt"
      filters={[
        searchFilter,
        { source: 'status', kind: 'enum', of: 'apiKeyStatus' },
        { source: 'userId', kind: 'user' },
        ...timeFilters,
      ]}
      bulk={may('admin.apiKeys.revoke') && <EndKeys />}
      columns={[
        { source: 'name', render: ({ name, prefix }) => <TwoLines first={name} second={`${prefix}…`} /> },
        {
          source: 'owner',
          render: ({ owner, orgName }) => (
            <TwoLines
              first={<UserLink id={owner.userId} nickname={owner.nickname} username={owner.username} />}
              second={orgName}
            />
          ),
          text: ({ owner }) => owner.username ?? owner.nickname,
        },
        { source: 'orgName', exportOnly: true },
        { source: 'points', label: t.points, render: ({ points }) => points.map(pointText).join(' · ') },
        {
          source: 'lastUsedAt',
          kind: 'time',
          label: t.used,
          render: ({ lastUsedAt, lastAddress }) =>
            lastUsedAt === null ? null : (
              <TwoLines
                first={<Unbroken>{date(lastUsedAt)}</Unbroken>}
                second={list([clockTime(lastUsedAt), ...(lastAddress ? [lastAddress] : [])])}
              />
            ),
        },
        { source: 'lastAddress', label: t.address, exportOnly: true },
        { source: 'expiresAt', kind: 'time', label: t.until, exportOnly: true },
        { source: 'revokedAt', kind: 'time', label: t.over, exportOnly: true },
        {
          source: 'createdAt',
          kind: 'time',
          sortable: true,
          render: ({ createdAt, expiresAt, revokedAt }) => (
            <TwoLines
              first={<Unbroken>{date(createdAt)}</Unbroken>}
              second={revokedAt === null ? t.untilAt(dateTime(expiresAt)) : t.overAt(dateTime(revokedAt))}
            />
          ),
        },
      ]}
    />
  )
}

function EndKeys() {
  const t = useTexts(words)
  return (
    <BulkAction
      label={t.end}
      icon={<KeyOff />}
      title={t.endTitle}
      text={t.endText}
      run={(id) => call('admin.apiKeys.revoke', { params: { id: Number(id) } })}
      done={t.ended}
      nameOf={({ name, owner }: AdminKey) => `${name}, ${owner.nickname || owner.username}`}
    />
  )
}
