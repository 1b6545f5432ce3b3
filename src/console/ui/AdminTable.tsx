/**
 * A table of administrators from one list of columns: a table on desktops, cards on phones, and an export as CSV.
 *
 *     <AdminTable<UserAdmin>
 *       title={t.title}
 *       filters={[<SearchInput key="keyword" source="keyword" alwaysOn />]}
 *       columns={[{ source: 'username' }, { source: 'createdAt', sortable: true }]}
 *     />
 */

import { Add, Inbox } from '@mui/icons-material'
import { Box, Button, Checkbox, Link as MuiLink, Stack, type Theme, Typography, useMediaQuery } from '@mui/material'
import type { ReactElement, ReactNode, SyntheticEvent } from 'react'
import {
  BulkActionsToolbar,
  DataTable,
  FilterButton,
  List,
  type ListProps,
  Pagination,
  type RaRecord,
  TopToolbar,
  useCanAccess,
  useCreatePath,
  useListContext,
  useResourceContext,
  useResourceDefinition,
  useTranslate,
} from 'react-admin'
import { Link } from 'react-router'

import { dateTime } from '../i18n/format.ts'
import { texts, useTexts } from '../i18n/words.ts'
import { EmptyState, Loading } from './Answer.tsx'
import { CsvButton, csvTime, type CsvValue } from './csv.tsx'

const words = texts({
  en: {
    create: 'Create',
    select: (row: string) => `Select ${row}`,
    none: 'Nothing here yet',
    nothing: 'Nothing matches these filters.',
    clear: 'Clear filters',
  },
  zh: {
    create: '新建',
    select: (row: string) => `选择${row}`,
    none: '这里还没有内容',
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

export interface AdminTableProps<Row extends RaRecord> extends Omit<ListProps, 'children' | 'actions' | 'title'> {
  title: string
  /** The first column is linked to the page of the row, unless `opens` is false. */
  columns: readonly Column<Row>[]
  /** Buttons for the selected rows. */
  bulk?: ReactElement
  /** False: rows have no page. A function: the path of a row's page. */
  opens?: false | ((row: Row) => string)
  /** False: the table cannot be exported as CSV here. */
  exports?: false
  /** Further buttons above the table. */
  actions?: ReactNode
  /** The word on the button that opens the form for a new row. */
  createLabel?: string
  /** Between the title and the table, for example statistics. */
  aside?: ReactNode
}

export function AdminTable<Row extends RaRecord>(props: AdminTableProps<Row>) {
  const { title, columns, bulk, opens, exports, actions, createLabel, aside, ...list } = props
  const isPhone = useMediaQuery<Theme>((theme) => theme.breakpoints.down('sm'))
  const labelled = useLabelled(columns)
  const visible = labelled.filter(({ exportOnly }) => !exportOnly)
  const Rows = isPhone ? Cards : Grid
  return (
    <Box sx={{ minWidth: 0 }}>
      <Typography variant="h1" sx={{ mb: { xs: 1, sm: 0 } }}>
        {title}
      </Typography>
      {aside}
      <List
        perPage={25}
        pagination={<Pagination rowsPerPageOptions={[25, 50, 100]} />}
        exporter={false}
        empty={<Nothing createLabel={createLabel} />}
        title={title}
        sx={{
          '& .RaList-actions': { alignItems: 'center', bgcolor: 'transparent', minHeight: 0, pb: 1 },
          '& .RaList-main': { minWidth: 0 },
          '& .RaList-content': { overflowX: 'auto' },
          // It is above its box by default, where the box cuts it off.
          '&& .RaBulkActionsToolbar-toolbar': { position: 'static', transform: 'none' },
          '& .RaList-noResults': { width: '100%' },
        }}
        {...list}
        actions={
          <Actions columns={exports === false ? [] : labelled} name={title} extra={actions} createLabel={createLabel} />
        }
      >
        <Rows columns={visible} bulk={bulk} opens={opens} />
      </List>
    </Box>
  )
}

interface Labelled<Row> extends Column<Row> {
  readonly label: string
}

function useLabelled<Row>(columns: readonly Column<Row>[]): readonly Labelled<Row>[] {
  const translate = useTranslate()
  const resource = useResourceContext()
  return columns.map((column) => ({
    ...column,
    label: column.label ?? translate(`resources.${resource}.fields.${column.source}`),
  }))
}

interface ActionsProps<Row> {
  columns: readonly Labelled<Row>[]
  name: string
  extra: ReactNode
  createLabel: string | undefined
}

function Actions<Row extends RaRecord>({ columns, name, extra, createLabel }: ActionsProps<Row>) {
  const t = useTexts(words)
  const resource = useResourceContext() ?? ''
  const createPath = useCreatePath()
  const { hasCreate } = useResourceDefinition()
  const { canAccess } = useCanAccess({ resource, action: 'create' })
  const exported = columns.flatMap(({ label, source, text }) =>
    text === null ? [] : [{ label, value: text ?? ((row: Row) => valueOf(row, source)) }],
  )
  return (
    <TopToolbar
      sx={{
        bgcolor: 'transparent',
        flexWrap: { xs: 'wrap', sm: 'nowrap' },
        gap: 0.5,
        p: 0,
        minHeight: 0,
        width: { xs: '100%', sm: 'auto' },
        '& .MuiButton-root': { whiteSpace: 'nowrap', minHeight: 40 },
      }}
    >
      <FilterButton />
      {exported.length > 0 && <CsvButton columns={exported} name={name} />}
      {extra}
      {hasCreate && canAccess && (
        <Button
          component={Link}
          to={createPath({ resource, type: 'create' })}
          variant="contained"
          size="small"
          startIcon={<Add />}
          data-create
        >
          {createLabel ?? t.create}
        </Button>
      )}
    </TopToolbar>
  )
}

/** The value of a row in the file. Times are numbers in properties whose names end with `At` or `Time`. */
function valueOf(row: RaRecord, source: string): CsvValue {
  const value: unknown = row[source]
  if (isTime(source) && typeof value === 'number') return csvTime(value)
  if (typeof value === 'object' && value !== null) return JSON.stringify(value)
  return value as CsvValue
}

const isTime = (source: string): boolean => /(At|Time)$/.test(source)

function shown<Row extends RaRecord>(row: Row, { source, render }: Column<Row>): ReactNode {
  if (render !== undefined) return render(row)
  const value: unknown = row[source]
  if (isTime(source)) return <span style={{ whiteSpace: 'nowrap' }}>{dateTime(value as number | null)}</span>
  return String(value ?? '')
}

interface RowsProps<Row extends RaRecord> {
  columns: readonly Labelled<Row>[]
  bulk: ReactElement | undefined
  opens: AdminTableProps<Row>['opens']
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

function Grid<Row extends RaRecord>({ columns, bulk, opens }: RowsProps<Row>) {
  const pathOf = usePathOf(opens)
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
      {columns.map((column, i) => (
        <DataTable.Col
          key={column.source}
          source={column.source}
          label={column.label}
          disableSort={!column.sortable}
          render={(record) => {
            const content = shown(record as Row, column)
            return i === 0 ? <RowLink to={pathOf(record as Row)}>{content}</RowLink> : content
          }}
        />
      ))}
    </DataTable>
  )
}

function Cards<Row extends RaRecord>({ columns, bulk, opens }: RowsProps<Row>) {
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
  if (content === '' || content === null || content === undefined) return null
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

/** A list without any row. react-admin's own text is too pale to read. */
function Nothing({ createLabel }: { createLabel: string | undefined }) {
  const t = useTexts(words)
  const resource = useResourceContext() ?? ''
  const createPath = useCreatePath()
  const { hasCreate } = useResourceDefinition()
  const { canAccess } = useCanAccess({ resource, action: 'create' })
  const action = hasCreate && canAccess && (
    <Button
      component={Link}
      to={createPath({ resource, type: 'create' })}
      variant="contained"
      startIcon={<Add />}
      data-create
    >
      {createLabel ?? t.create}
    </Button>
  )
  return <EmptyState icon={Inbox} title={t.none} {...(action && { action })} />
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
