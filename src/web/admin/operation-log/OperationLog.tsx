/** The operation log with filters, details of each row, and exports that the server makes. */

import { Download, ReceiptLong, VerifiedUser } from '@mui/icons-material'
import { Alert, Button, LinearProgress } from '@mui/material'
import { useState } from 'react'

import { download } from '../../api/client.ts'
import { ApiError } from '../../api/errors.ts'
import { useCall } from '../../api/hooks.ts'
import type { OperationLogRow } from '../../api/types.ts'
import { notify } from '../../browser/notices.ts'
import { wordOf } from '../../i18n/enums.ts'
import { useLabels } from '../../i18n/fields.ts'
import { dateTime, timeZone } from '../../i18n/format.ts'
import { logWords } from '../../i18n/log-words.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { DetailTable } from '../../ui/DetailTable.tsx'
import { Change, type ChangeWords } from '../../ui/History.tsx'
import { Facts } from '../../ui/parts.tsx'
import { useTable } from '../../ui/table/context.ts'
import { searchFilter, timeFilters } from '../../ui/table/filters.tsx'
import { UserLink } from '../../ui/UserLink.tsx'
import { shownValue, type Value } from '../settings/SettingInput.tsx'
import { settingWords } from '../settings/words.ts'

const words = texts({
  en: {
    title: 'Operation log',
    verify:
      'Each row contains the hash of the row before. Run “tessera log verify” on the server to prove that no old row was changed or removed.',
    time: 'Time',
    what: 'Change',
    target: 'Target',
    address: 'Address',
    request: 'Request',
    key: 'API key',
    hash: 'Hash',
    before: 'Hash of the row before',
    first: 'None, this is the first row',
    none: 'No changes yet',
    noneText: 'All changes by administrators are listed here, with the values before and after.',
    preparing: 'Preparing the file',
  },
  zh: {
    title: '操作日志',
    verify: '每行都包含上一行的哈希值。在服务器上运行“tessera log verify”，可证明旧记录没有被更改或删除。',
    time: '时间',
    what: '变更',
    target: '对象',
    address: '地址',
    request: '请求编号',
    key: 'API 密钥',
    hash: '哈希值',
    before: '上一行的哈希值',
    first: '无，这是第一行',
    none: '还没有更改',
    noneText: '管理员的所有更改及更改前后的值会显示在这里。',
    preparing: '正在准备文件',
  },
})

const choices = (names: Readonly<Record<string, string>>) => Object.entries(names).map(([id, name]) => ({ id, name }))

/** Agreements are named by their type and version. */
const nameOfTarget = (name: string | null): string | null =>
  name?.replace(/^(?:SERVICE|PRIVACY)(?= \d+$)/, (type) => wordOf('agreementType', type)) ?? null

export default function OperationLog() {
  const t = useTexts(words)
  const f = useLabels()
  const { actions, targets } = useTexts(logWords)
  const targetOf = ({ targetType, targetName, targetId }: OperationLogRow) =>
    `${targets[targetType] ?? targetType} ${nameOfTarget(targetName) ?? targetId ?? ''}`
  return (
    <>
      <DetailTable
        operation="operationLog.list"
        title={t.title}
        exports={false}
        actions={<Exports />}
        filters={[
          searchFilter,
          { source: 'action', kind: 'choice', choices: choices(actions), always: true },
          { source: 'actorId', kind: 'user' },
          { source: 'targetType', kind: 'choice', choices: choices(targets) },
          { source: 'targetId', kind: 'number' },
          ...timeFilters,
        ]}
        columns={[
          { source: 'action', render: ({ action }) => actions[action] ?? action },
          { source: 'targetName', render: targetOf },
          { source: 'after', label: t.what, phone: 'hidden', render: (row) => <LoggedChange row={row} most={3} /> },
          { source: 'actorId', kind: 'user', user: ({ actorId, actorName }) => ({ id: actorId, nickname: actorName }) },
          { source: 'createdAt', kind: 'time', label: t.time },
        ]}
        nameOf={({ action }) => actions[action] ?? action}
        renderDetails={(row) => (
          <>
            <div>
              <LoggedChange row={row} />
            </div>
            <Facts
              items={[
                [t.target, `${targetOf(row)}${row.targetName && row.targetId ? ` (${row.targetId})` : ''}`],
                [f('actorId'), <UserLink key="actor" id={row.actorId} nickname={row.actorName} />],
                ...(row.apiKey === null ? [] : [[t.key, row.apiKey.name] as const]),
                [t.time, dateTime(row.createdAt)],
                [t.address, row.ipAddress],
                [t.request, row.requestId],
                [t.hash, row.hash],
                [t.before, row.previousHash || t.first],
              ]}
            />
          </>
        )}
        empty={{ icon: ReceiptLong, title: t.none, text: t.noneText }}
      />
      <Alert severity="info" icon={<VerifiedUser />} sx={{ mt: 2 }}>
        {t.verify}
      </Alert>
    </>
  )
}

/** The changed fields of a row. Settings have the labels and values of their page. */
function LoggedChange({ row: { targetType, before, after }, most }: { row: OperationLogRow; most?: number }) {
  const s = useTexts(settingWords)
  const mayRead = useMay()('admin.settings.list')
  const isSetting = targetType === 'SETTING' && mayRead
  const { data } = useCall('admin.settings.list', undefined, { enabled: isSetting })
  const settingOf = (key: string) => data?.items.find((one) => one.key === key)
  const own: ChangeWords = {
    label: (key) => settingOf(key)?.label,
    value(key, value) {
      const setting = settingOf(key)
      return setting && shownValue(setting, value as Value, s)
    },
  }
  return (
    <Change before={before} after={after} {...(most !== undefined && { most })} {...(isSetting && { words: own })} />
  )
}

/** All rows of the current filter as a file of the server. */
function Exports() {
  const t = useTexts(words)
  const { query, total } = useTable()
  const [running, setRunning] = useState(false)
  const start = async (format: 'csv' | 'xlsx') => {
    setRunning(true)
    try {
      await download('operationLog.list', { query: { ...query, format, tz: timeZone() } }, `operation-log.${format}`)
    } catch (error) {
      notify(error instanceof ApiError ? error.message : String(error), 'error')
    } finally {
      setRunning(false)
    }
  }
  return (
    <>
      {running && <LinearProgress aria-label={t.preparing} sx={{ width: 80 }} />}
      <Button size="small" startIcon={<Download />} disabled={running || total === 0} onClick={() => void start('csv')}>
        CSV
      </Button>
      <Button
        size="small"
        startIcon={<Download />}
        disabled={running || total === 0}
        onClick={() => void start('xlsx')}
      >
        XLSX
      </Button>
    </>
  )
}
