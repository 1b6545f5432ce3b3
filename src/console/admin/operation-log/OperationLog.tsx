/** The operation log with filters, details of each row, and exports that the server makes. */

import { Download, VerifiedUser } from '@mui/icons-material'
import {
  Alert,
  Button,
  Dialog,
  DialogActions,
  DialogContent,
  DialogTitle,
  LinearProgress,
  Typography,
} from '@mui/material'
import { useState } from 'react'
import { AutocompleteInput, DateTimeInput, NumberInput, SearchInput, useListContext, useNotify } from 'react-admin'

import { download } from '../../api/client.ts'
import { ApiError } from '../../api/errors.ts'
import type { OperationLogRow } from '../../api/types.ts'
import { wordOf } from '../../i18n/enums.ts'
import { dateTime } from '../../i18n/format.ts'
import { logWords } from '../../i18n/log-words.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { Change } from '../../ui/admin.tsx'
import { AdminTable } from '../../ui/AdminTable.tsx'
import { Facts } from '../../ui/parts.tsx'
import { UserFilter } from '../../ui/pickers.tsx'
import { UserLink } from '../../ui/UserLink.tsx'

const words = texts({
  en: {
    title: 'Operation log',
    verify:
      'Each row contains the hash of the row before. Run “tessera log verify” on the server to prove that no old row was changed or removed.',
    time: 'Time',
    what: 'Change',
    target: 'Target',
    details: 'Details',
    detailsOf: (action: string) => `Details: ${action}`,
    address: 'Address',
    request: 'Request',
    hash: 'Hash',
    before: 'Hash of the row before',
    first: 'None, this is the first row',
    close: 'Close',
    preparing: 'Preparing the file',
  },
  zh: {
    title: '操作日志',
    verify: '每行都包含上一行的哈希值。在服务器上运行“tessera log verify”，可证明旧记录没有被更改或删除。',
    time: '时间',
    what: '变更',
    target: '对象',
    details: '详情',
    detailsOf: (action: string) => `详情：${action}`,
    address: '地址',
    request: '请求编号',
    hash: '哈希值',
    before: '上一行的哈希值',
    first: '无，这是第一行',
    close: '关闭',
    preparing: '正在准备文件',
  },
})

const choices = (names: Readonly<Record<string, string>>) => Object.entries(names).map(([id, name]) => ({ id, name }))

/** Agreements are named by their type and version. */
const nameOfTarget = (name: string | null): string | null =>
  name?.replace(/^(?:SERVICE|PRIVACY)(?= \d+$)/, (type) => wordOf('agreementType', type)) ?? null

export default function OperationLog() {
  const t = useTexts(words)
  const { actions, targets } = useTexts(logWords)
  const [opened, setOpened] = useState<OperationLogRow>()
  return (
    <>
      <AdminTable<OperationLogRow>
        title={t.title}
        opens={false}
        exports={false}
        actions={<Exports />}
        filters={[
          <SearchInput key="keyword" source="keyword" alwaysOn data-search />,
          <AutocompleteInput key="action" source="action" alwaysOn choices={choices(actions)} />,
          <UserFilter key="actorId" source="actorId" />,
          <AutocompleteInput key="targetType" source="targetType" choices={choices(targets)} />,
          <NumberInput key="targetId" source="targetId" />,
          <DateTimeInput key="from" source="from" />,
          <DateTimeInput key="to" source="to" />,
        ]}
        columns={[
          {
            source: 'action',
            render: ({ action }) => actions[action] ?? action,
          },
          { source: 'createdAt', label: t.time },
          {
            source: 'actorId',
            render: ({ actorId, actorName }) => <UserLink id={actorId} nickname={actorName} />,
          },
          {
            source: 'targetName',
            render: ({ targetType, targetName, targetId }) =>
              `${targets[targetType] ?? targetType} ${nameOfTarget(targetName) ?? targetId ?? ''}`,
          },
          {
            source: 'after',
            label: t.what,
            phone: 'hidden',
            render: ({ before, after }) => <Change before={before} after={after} most={3} />,
          },
          {
            source: 'id',
            label: t.details,
            render: (row) => (
              <Button
                size="small"
                onClick={() => setOpened(row)}
                aria-label={t.detailsOf(`${actions[row.action]}, ${dateTime(row.createdAt)}`)}
              >
                {t.details}
              </Button>
            ),
          },
        ]}
      />
      <Alert severity="info" icon={<VerifiedUser />} sx={{ mt: 2 }}>
        {t.verify}
      </Alert>
      <Dialog open={opened !== undefined} onClose={() => setOpened(undefined)} fullWidth aria-labelledby="log-title">
        {opened !== undefined && (
          <>
            <DialogTitle id="log-title">{actions[opened.action] ?? opened.action}</DialogTitle>
            <DialogContent>
              <Change before={opened.before} after={opened.after} />
              <Typography component="div" sx={{ mt: 2 }}>
                <Facts
                  items={[
                    [t.time, dateTime(opened.createdAt)],
                    [
                      t.target,
                      `${targets[opened.targetType] ?? opened.targetType} ${nameOfTarget(opened.targetName) ?? ''} ${opened.targetId ?? ''}`,
                    ],
                    [t.address, opened.ipAddress],
                    [t.request, opened.requestId],
                    [t.hash, opened.hash],
                    [t.before, opened.previousHash || t.first],
                  ]}
                />
              </Typography>
            </DialogContent>
            <DialogActions>
              <Button onClick={() => setOpened(undefined)}>{t.close}</Button>
            </DialogActions>
          </>
        )}
      </Dialog>
    </>
  )
}

/** All rows of the current filter as a file of the server. */
function Exports() {
  const t = useTexts(words)
  const notify = useNotify()
  const { filterValues, total } = useListContext()
  const [running, setRunning] = useState(false)
  const start = async (format: 'csv' | 'xlsx') => {
    setRunning(true)
    try {
      await download('operationLog.list', { query: { ...filterValues, format } }, `operation-log.${format}`)
    } catch (error) {
      notify(error instanceof ApiError ? error.message : String(error), { type: 'error', multiLine: true })
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
