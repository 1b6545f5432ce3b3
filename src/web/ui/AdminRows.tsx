/** The rows of a table of administrators: cells on desktops, cards on phones. */

import { Box, Button, Checkbox, Link as MuiLink, Stack, Typography } from '@mui/material'
import type { ReactElement, ReactNode, SyntheticEvent } from 'react'
import {
  BulkActionsToolbar,
  DataTable,
  type RaRecord,
  useCanAccess,
  useCreatePath,
  useListContext,
  useResourceContext,
  useResourceDefinition,
} from 'react-admin'
import { Link } from 'react-router'

import { dateTime } from '../i18n/format.ts'
import { texts, useTexts } from '../i18n/words.ts'
import { Loading } from './Answer.tsx'
import type { CsvValue } from './csv.tsx'

const words = texts({
  en: {
    select: (row: string) => `Select ${row}`,
    nothing: 'Nothing matches these filters.',
    clear: 'Clear filters',
  },
  zh: {
    select: (row: string) => `选择${row}`,
    nothing: '没有符合筛选条件的内容。',
    clear: '清除筛选',
  },
})

export interface Column<Row> {
  /** Property of the row; the list is sorted by it. */
  readonly source: string
  /** By default the label of `source` in i18n/fields.ts. */
  readonly label?: string
  /** The operation can sort by `source`. */
  readonly sortable?: true
  /** The content of the cell. By default the value; times in the zone of the user. */
  readonly render?: (row: Row) => ReactNode
  /** The value in the exported file, if it is not that of the row. `null`: the column is not exported. */
  readonly text?: ((row: Row) => CsvValue) | null
  /** On phones the first column is the heading of the card; this column is left out. */
  readonly phone?: 'hidden'
  /** Is in the exported file only. */
  readonly exportOnly?: true
}

export interface Labelled<Row> extends Column<Row> {
  readonly label: string
}

export const isTime = (source: string): boolean => /(At|Time)$/.test(source)

function shown<Row extends RaRecord>(row: Row, { source, render }: Column<Row>): ReactNode {
  if (render !== undefined) return render(row)
  const value: unknown = row[source]
  return isTime(source) ? dateTime(value as number | null) : String(value ?? '')
}

export interface RowsProps<Row extends RaRecord> {
  columns: readonly Labelled<Row>[]
  bulk: ReactElement | undefined
  /** False: rows have no page. A function: the path of a row's page. */
  opens: false | ((row: Row) => string) | undefined
}

/** The path of a row's page; undefined if it has none. */
function usePathOf<Row extends RaRecord>(opens: RowsProps<Row>['opens']): (row: Row) => string | undefined {
  const resource = useResourceContext() ?? ''
  const createPath = useCreatePath()
  const { hasShow, hasEdit } = useResourceDefinition()
  const type = hasShow ? 'show' : 'edit'
  const { canAccess } = useCanAccess({ resource, action: type })
  if (opens === false) return () => undefined
  if (opens !== undefined) return opens
  if ((!hasShow && !hasEdit) || !canAccess) return () => undefined
  return ({ id }) => createPath({ resource, id, type })
}

const stop = (event: SyntheticEvent) => event.stopPropagation()

function RowLink({ to, children }: { to: string | undefined; children: ReactNode }) {
  if (to === undefined) return <>{children}</>
  return (
    <MuiLink component={Link} to={to} onClick={stop} sx={{ overflowWrap: 'anywhere' }}>
      {children}
    </MuiLink>
  )
}

const isEmpty = (content: ReactNode): boolean =>
  content === '' || content === null || content === undefined || content === false

/** False for a column that is empty in all rows of the page: it would take space from the others. */
const hasContent = <Row extends RaRecord>(data: readonly Row[] | undefined, column: Column<Row>): boolean =>
  data === undefined || data.length === 0 || data.some((row) => !isEmpty(shown(row, column)))

/** Chinese may break after each character: a narrow cell would have one character a line. Short texts do not break at all. */
function Cell({ isFirst, children }: { isFirst: boolean; children: ReactNode }) {
  if (typeof children === 'string' && children.length <= 18)
    return (
      <Box component="span" sx={{ whiteSpace: 'nowrap' }}>
        {children}
      </Box>
    )
  if (typeof children !== 'string' && !isFirst) return children
  return (
    <Box component="span" sx={{ display: 'inline-block', minWidth: isFirst ? 160 : 130, overflowWrap: 'anywhere' }}>
      {children}
    </Box>
  )
}

export function Grid<Row extends RaRecord>({ columns, bulk, opens }: RowsProps<Row>) {
  const pathOf = usePathOf(opens)
  const { data } = useListContext<Row>()
  return (
    <DataTable
      bulkActionButtons={false}
      {...(bulk && {
        bulkActionButtons: bulk,
        bulkActionsToolbar: <BulkActionsToolbar selectAllButton={false}>{bulk}</BulkActionsToolbar>,
      })}
      rowClick={opens === false ? false : (_, __, record) => pathOf(record as Row) ?? false}
      empty={<NoMatch />}
    >
      {columns
        .filter((column, i) => i === 0 || column.sortable || hasContent(data, column))
        .map((column, i) => (
          <DataTable.Col
            key={column.source}
            source={column.source}
            label={column.label}
            disableSort={!column.sortable}
            render={(record) => {
              const content = <Cell isFirst={i === 0}>{shown(record as Row, column)}</Cell>
              return i === 0 ? <RowLink to={pathOf(record as Row)}>{content}</RowLink> : content
            }}
          />
        ))}
    </DataTable>
  )
}

export function Cards<Row extends RaRecord>({ columns, bulk, opens }: RowsProps<Row>) {
  const t = useTexts(words)
  const pathOf = usePathOf(opens)
  const { data, isPending, selectedIds, onToggleItem } = useListContext<Row>()
  const [title, ...rest] = columns
  if (isPending || data === undefined) return <Loading />
  if (data.length === 0) return <NoMatch />
  return (
    <>
      {bulk && <BulkActionsToolbar selectAllButton={false}>{bulk}</BulkActionsToolbar>}
      <Box component="ul" sx={{ listStyle: 'none', m: 0, p: 0 }}>
        {data.map((row) => (
          <Stack
            key={row.id}
            component="li"
            direction="row"
            sx={{ py: 1.5, px: bulk ? 0.5 : 2, '& + &': { borderTop: 1, borderColor: 'divider' } }}
          >
            {bulk && (
              <Checkbox
                checked={selectedIds.includes(row.id)}
                onChange={() => onToggleItem(row.id)}
                slotProps={{ input: { 'aria-label': t.select(String(row[title!.source] ?? row.id)) } }}
                sx={{ alignSelf: 'flex-start' }}
              />
            )}
            <Box sx={{ minWidth: 0, flex: 1, py: bulk ? 1 : 0 }}>
              <Box sx={{ fontWeight: 600, mb: 0.5 }}>
                <RowLink to={pathOf(row)}>{shown(row, title!)}</RowLink>
              </Box>
              <Box
                component="dl"
                sx={{ m: 0, display: 'grid', gridTemplateColumns: 'auto 1fr', columnGap: 1.5, rowGap: 0.25 }}
              >
                {rest.map(
                  (column) => column.phone === undefined && <Pair key={column.source} row={row} column={column} />,
                )}
              </Box>
            </Box>
          </Stack>
        ))}
      </Box>
    </>
  )
}

function Pair<Row extends RaRecord>({ row, column }: { row: Row; column: Labelled<Row> }) {
  const content = shown(row, column)
  if (isEmpty(content)) return null
  return (
    <>
      <Typography component="dt" variant="body2" color="text.secondary">
        {column.label}
      </Typography>
      <Typography component="dd" variant="body2" sx={{ m: 0, minWidth: 0, overflowWrap: 'anywhere' }}>
        {content}
      </Typography>
    </>
  )
}

/** Filters that find nothing. A list without any row shows `empty` of react-admin. */
function NoMatch() {
  const t = useTexts(words)
  const { filterValues, setFilters } = useListContext()
  return (
    <Stack spacing={1} sx={{ alignItems: 'center', py: 5, px: 2 }}>
      <Typography color="text.secondary">{t.nothing}</Typography>
      {Object.keys(filterValues).length > 0 && <Button onClick={() => setFilters({}, [])}>{t.clear}</Button>}
    </Stack>
  )
}
