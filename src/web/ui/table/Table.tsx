/**
 * A table over one list operation: cells on desktops, cards on phones, with filters, order, pages and an export as CSV. The address
 * says which page, order and filters.
 *
 *     <Table
 *       operation="admin.users.list"
 *       title={t.title}
 *       filters={[searchFilter, { source: 'status', kind: 'enum', of: 'userStatus', always: true }, ...timeFilters]}
 *       columns={[{ source: 'username' }, { source: 'createdAt', kind: 'time', sortable: true }]}
 *     />
 */

import type { SvgIconComponent } from '@mui/icons-material'
import { Add, Close, Inbox } from '@mui/icons-material'
import { Box, Button, Card, IconButton, LinearProgress, Stack, Typography } from '@mui/material'
import { type ReactNode, useEffect, useState } from 'react'
import { Link } from 'react-router'

import { useCall } from '../../api/hooks.ts'
import type { ItemOf, PagedId } from '../../api/pages.ts'
import type { DataOf, InputOf, OperationId, QueryOf } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { EmptyState, ErrorNotice, Loading } from '../Answer.tsx'
import { AllRows } from '../bulk/AllRows.tsx'
import { CsvButton } from '../csv.tsx'
import { Page } from '../Page.tsx'
import { useIsPhone } from '../use-is-phone.ts'
import { type TableAddress, useTableAddress } from './address.ts'
import { type Column, csvOf, type Labelled, sortOf } from './columns.tsx'
import { type Key, TableContext, type TableState, useTable } from './context.ts'
import { type Filter, FilterBar, FilterButton, type LabelledFilter, queryOf, useMayFilter } from './filters.tsx'
import { useLabelled } from './labels.ts'
import { Pager } from './Pager.tsx'
import { Cards, Grid } from './Rows.tsx'
import { useSelection } from './selection.ts'

const words = texts({
  en: {
    none: 'Nothing here yet',
    loading: 'Loading',
    nothing: 'Nothing matches these filters.',
    clear: 'Clear filters',
    selected: (n: number) => (n === 1 ? '1 item selected' : `${n} items selected`),
    unselect: 'Unselect',
  },
  zh: {
    none: '这里还没有内容',
    loading: '加载中',
    nothing: '没有符合筛选条件的内容。',
    clear: '清除筛选',
    selected: (n: number) => `已选 ${n} 项`,
    unselect: '取消选择',
  },
})

type SortOf<Id extends PagedId> = QueryOf<Id> extends { sort?: infer Sort } ? Sort : never

export interface TableProps<Id extends PagedId> {
  operation: Id
  title: string
  /** The first column is linked to the page of the row. */
  columns: readonly Column<ItemOf<Id>>[]
  filters?: readonly Filter<Id>[]
  /** The first order; by default that of the server. */
  sort?: SortOf<Id>
  /** The key of a row; its `id` by default. */
  keyOf?: (row: ItemOf<Id>) => Key
  /** The path of the page of a row, and the operation without which the user cannot open it. */
  opens?: { readonly to: (row: ItemOf<Id>) => string; readonly needs?: OperationId }
  /** The page that creates a row. */
  create?: { readonly to: string; readonly needs: OperationId; readonly label: string }
  /** Buttons for the selected rows. */
  bulk?: ReactNode
  /** False: the table cannot be exported as CSV here. */
  exports?: false
  /** Further buttons above the table. */
  actions?: ReactNode
  /** Between the title and the table, for example statistics. */
  aside?: ReactNode
  /** Texts of the list without any row: its future content and the first step, by default the button of `create`. */
  empty?: { icon: SvgIconComponent; title: string; text: string; action?: ReactNode }
  /** The list is read again every two seconds as long as this holds for one of its rows. */
  isChanging?: (row: ItemOf<Id>) => boolean
}

const idOf = (row: unknown): Key => (row as { id: Key }).id

/** Reads the page of the list that the address names. */
function useRows<Id extends PagedId>({ operation, isChanging }: TableProps<Id>, address: TableAddress, query: object) {
  type Answer = { items: readonly ItemOf<Id>[]; total: number }
  const { page, size, change } = address
  const answer = useCall(operation, { query: { ...query, page, size } } as unknown as InputOf<Id>, {
    keepPrevious: true,
    ...(isChanging && {
      every: 2_000,
      isLast: (data: DataOf<Id>) => !(data as unknown as Answer).items.some((row) => isChanging(row)),
    }),
  })
  const data = answer.data as Answer | undefined
  // The rows of the last page were deleted, or the address is an old one.
  const last = data === undefined || answer.isPlaceholderData ? page : Math.max(1, Math.ceil(data.total / size))
  useEffect(() => {
    if (page > last) change({ page: last === 1 ? null : last }, true)
  })
  return { ...answer, rows: data?.items, total: data?.total ?? 0 }
}

/** The filters that the user may use: which of them are shown, and what changes them. */
function useFilters<Id extends PagedId>({ filters: all = [], columns, sort }: TableProps<Id>) {
  const mayFilter = useMayFilter()
  const filters = useLabelled<LabelledFilter>(all as readonly LabelledFilter[]).filter(mayFilter)
  const names = filters.map(({ source }) => source)
  const sorts = columns.flatMap((column) => sortOf(column) ?? [])
  const address = useTableAddress(names, sorts, sort as string | undefined)
  const [added, setAdded] = useState<readonly string[]>([])
  const { filters: values, change } = address
  return {
    address,
    filters,
    values,
    hasValues: Object.keys(values).length > 0,
    shown: filters.filter(({ source, always }) => always || added.includes(source) || values[source] !== undefined),
    query: { ...queryOf(filters, values), ...(address.sort !== undefined && { sort: address.sort }) },
    onChange: (source: string, value: string) => change({ [source]: value }, true),
    onAdd: (source: string) => setAdded([...added, source]),
    onRemove(source: string) {
      setAdded(added.filter((one) => one !== source))
      change({ [source]: null }, true)
    },
    onClear() {
      setAdded([])
      change(Object.fromEntries(names.map((name) => [name, null])), true)
    },
  }
}

export function Table<Id extends PagedId>(props: TableProps<Id>) {
  type Row = ItemOf<Id>
  const { operation, title, columns, bulk, opens, exports, create, actions, aside, empty, keyOf = idOf } = props
  const t = useTexts(words)
  const may = useMay()
  const isPhone = useIsPhone()
  const labelled = useLabelled(columns) as readonly Labelled<Row>[]
  const { address, query, ...filters } = useFilters(props)
  const { rows, total, error, refetch, isPlaceholderData } = useRows(props, address, query)
  const selection = useSelection<Row>({ operation, query, shown: rows, total, keyOf })
  const context: TableState<Row> = { operation, rows, total, keyOf, query, selection }

  const exported = labelled.filter(({ text }) => text !== null && exports !== false)
  const isBlank = rows !== undefined && total === 0 && !filters.hasValues && !isPlaceholderData
  const createButton = create && may(create.needs) && <CreateButton {...create} isPhone={isPhone && !isBlank} />
  const buttons = (
    <Stack direction="row" sx={{ alignItems: 'center', gap: 0.5, '& .MuiButton-root': BUTTON }}>
      <FilterButton {...filters} isPhone={isPhone} />
      {exported.length > 0 && (
        <CsvButton
          columns={exported.map((column) => ({ label: column.label, value: (row: Row) => csvOf(row, column) }))}
          name={title}
          isIcon={isPhone}
        />
      )}
      {actions}
      {createButton}
    </Stack>
  )
  const Rows = isPhone ? Cards : Grid
  const list = rows !== undefined && (
    <>
      <Card variant="outlined" sx={TABLE}>
        {isPlaceholderData && <LinearProgress aria-label={t.loading} sx={PROGRESS} />}
        {bulk && selection.rows.size > 0 && <Selection>{bulk}</Selection>}
        <Box sx={{ overflowX: 'auto' }}>
          {rows.length === 0 ? (
            <NoMatch {...filters} />
          ) : (
            <Rows
              rows={rows}
              columns={labelled.filter(({ exportOnly }) => !exportOnly)}
              pathOf={opens && (opens.needs === undefined || may(opens.needs)) ? opens.to : undefined}
              hasBulk={Boolean(bulk)}
              sort={address.sort}
              onSort={(sort) => address.change({ sort: sort === props.sort ? null : sort })}
            />
          )}
        </Box>
      </Card>
      {total > 0 && (
        <Pager
          page={address.page}
          size={address.size}
          total={total}
          onPage={(page) => address.change({ page: page === 1 ? null : page })}
          onSize={(size) => address.change({ size })}
          isPhone={isPhone}
        />
      )}
    </>
  )
  return (
    <TableContext value={context}>
      <Page title={title} width="full" actions={!isBlank && buttons}>
        {aside}
        {isBlank ? (
          <EmptyState icon={Inbox} title={t.none} {...(createButton && { action: createButton })} {...empty} />
        ) : (
          <>
            {filters.shown.length > 0 && <FilterBar {...filters} />}
            {list || (error === null ? <Loading /> : <ErrorNotice error={error} onRetry={() => void refetch()} />)}
          </>
        )}
      </Page>
    </TableContext>
  )
}

function NoMatch({ hasValues, onClear }: { hasValues: boolean; onClear: () => void }) {
  const t = useTexts(words)
  return (
    <Stack spacing={1} sx={{ alignItems: 'center', py: 5, px: 2 }}>
      <Typography color="text.secondary">{t.nothing}</Typography>
      {hasValues && <Button onClick={onClear}>{t.clear}</Button>}
    </Stack>
  )
}

const BUTTON = { whiteSpace: 'nowrap', minHeight: { xs: 44, sm: 40 } }

const PROGRESS = { position: 'absolute', top: 0, left: 0, right: 0, zIndex: 1 }

const TABLE = {
  position: 'relative',
  '& th': { whiteSpace: 'nowrap' },
  '& th, & td': { px: { sm: 1, lg: 2 } },
}

/** The number of selected rows, and what can be done with them. */
function Selection({ children }: { children: ReactNode }) {
  const t = useTexts(words)
  const { selection } = useTable()
  return (
    <Stack
      direction="row"
      useFlexGap
      spacing={1}
      sx={{ alignItems: 'center', flexWrap: 'wrap', minHeight: 48, px: 1, bgcolor: 'action.selected' }}
    >
      <IconButton
        size="small"
        color="primary"
        aria-label={t.unselect}
        title={t.unselect}
        onClick={() => selection.set([])}
      >
        <Close fontSize="small" />
      </IconButton>
      <Typography component="output" sx={{ flex: 1 }}>
        {t.selected(selection.rows.size)}
      </Typography>
      <AllRows selection={selection} />
      {selection.reading === undefined && children}
    </Stack>
  )
}

function CreateButton({ to, label, isPhone }: { to: string; label: string; isPhone: boolean }) {
  return (
    <Button
      component={Link}
      to={to}
      variant="contained"
      size="small"
      data-create
      {...(isPhone ? { 'aria-label': label, sx: { minWidth: 44, px: 1 } } : { startIcon: <Add /> })}
    >
      {isPhone ? <Add /> : label}
    </Button>
  )
}
