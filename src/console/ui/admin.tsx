/** Parts of the administrators' tables: a list with our defaults, dates, and the history of a row from the operation log. */

import { Table, TableBody, TableCell, TableHead, TableRow, Typography } from '@mui/material'
import type { ReactElement, ReactNode } from 'react'
import { BulkDeleteButton, FunctionField, List, type ListProps, Pagination, useRecordContext } from 'react-admin'

import { useCall } from '../api/hooks.ts'
import type { OperationLogRow } from '../api/types.ts'
import { dateTime } from '../i18n/format.ts'
import { texts, useTexts } from '../i18n/words.ts'
import { may } from '../session/session.ts'
import { Answer } from './Answer.tsx'

const words = texts({
  en: {
    history: 'History',
    none: 'No administrator has changed this.',
    time: 'Time',
    who: 'Administrator',
    action: 'Action',
    change: 'Change',
  },
  zh: {
    history: '历史记录',
    none: '没有管理员更改过此项。',
    time: '时间',
    who: '管理员',
    action: '操作',
    change: '变更',
  },
})

/** A list of react-admin in the order of the server, 25 rows a page. */
export function AdminList({ children, ...props }: Omit<ListProps, 'children'> & { children: ReactNode }) {
  return (
    <List perPage={25} pagination={<Pagination rowsPerPageOptions={[25, 50, 100]} />} exporter={false} {...props}>
      {children as ReactElement}
    </List>
  )
}

/** Deletes the selected rows after a question, one after the other. */
export const BulkDelete = () => <BulkDeleteButton mutationMode="pessimistic" />

/** A time of the server (epoch milliseconds) in the user's zone. */
export const TimeField = ({ source, ...props }: { source: string; label?: string; sortable?: boolean }) => (
  <FunctionField
    source={source}
    {...props}
    render={(record: Record<string, unknown>) => (
      <span style={{ whiteSpace: 'nowrap' }}>{dateTime(record[source] as number | null)}</span>
    )}
  />
)

/** The changes by administrators to the row of the page, from the operation log. */
export function History({ targetType }: { targetType: OperationLogRow['targetType'] }) {
  const t = useTexts(words)
  const record = useRecordContext()
  const mayRead = may('operationLog.list')
  const query = useCall(
    'operationLog.list',
    { query: { targetType, targetId: Number(record?.id), size: 50 } },
    { enabled: mayRead && record !== undefined },
  )
  if (!mayRead) return null
  return (
    <Answer query={query}>
      {({ items }) =>
        items.length === 0 ? (
          <Typography color="text.secondary">{t.none}</Typography>
        ) : (
          <Table size="small" aria-label={t.history}>
            <TableHead>
              <TableRow>
                <TableCell>{t.time}</TableCell>
                <TableCell>{t.who}</TableCell>
                <TableCell>{t.action}</TableCell>
                <TableCell>{t.change}</TableCell>
              </TableRow>
            </TableHead>
            <TableBody>
              {items.map((row) => (
                <TableRow key={row.id}>
                  <TableCell sx={{ whiteSpace: 'nowrap' }}>{dateTime(row.createdAt)}</TableCell>
                  <TableCell>{row.actorName}</TableCell>
                  <TableCell>{row.action}</TableCell>
                  <TableCell>
                    <Change before={row.before} after={row.after} />
                  </TableCell>
                </TableRow>
              ))}
            </TableBody>
          </Table>
        )
      }
    </Answer>
  )
}

/** The fields that a logged write has changed: `name: old → new`. */
export function Change({ before, after }: Pick<OperationLogRow, 'before' | 'after'>) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  return (
    <>
      {names.map((name) => (
        <Typography key={name} variant="body2" sx={{ overflowWrap: 'anywhere' }}>
          <b>{name}</b>: {before !== null && name in before && <del>{show(before[name])}</del>}
          {before !== null && after !== null && ' → '}
          {after !== null && name in after && <ins style={{ textDecoration: 'none' }}>{show(after[name])}</ins>}
        </Typography>
      ))}
    </>
  )
}

const show = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? null))
