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
import { Box, Button, Card, LinearProgress, Stack, Typography } from '@mui/material'
import type { ReactElement, ReactNode } from 'react'
import {
  FilterButton,
  FilterForm,
  ListBase,
  Pagination,
  type RaRecord,
  type SortPayload,
  Title,
  useCanAccess,
  useCreatePath,
  useListContext,
  useResourceContext,
  useResourceDefinition,
  useTranslate,
} from 'react-admin'
import { Link } from 'react-router'

import { texts, useTexts } from '../i18n/words.ts'
import { Cards, type Column, Grid, isTime, type Labelled, type RowsProps } from './AdminRows.tsx'
import { EmptyState, ErrorNotice } from './Answer.tsx'
import { CsvButton, csvTime, type CsvValue } from './csv.tsx'
import { useIsPhone } from './use-is-phone.ts'

const words = texts({
  en: { create: 'Create', none: 'Nothing here yet', loading: 'Loading' },
  zh: { create: '新建', none: '这里还没有内容', loading: '加载中' },
})

export interface AdminTableProps<Row extends RaRecord> {
  title: string
  /** The first column is linked to the page of the row, unless `opens` is false. */
  columns: readonly Column<Row>[]
  /** Inputs of react-admin; those with `alwaysOn` are shown from the beginning. */
  filters?: ReactElement[]
  sort?: SortPayload
  /** Buttons for the selected rows. */
  bulk?: ReactElement
  opens?: RowsProps<Row>['opens']
  /** False: the table cannot be exported as CSV here. */
  exports?: false
  /** Further buttons above the table. */
  actions?: ReactNode
  /** The word on the button that opens the form for a new row. */
  createLabel?: string
  /** Between the title and the table, for example statistics. */
  aside?: ReactNode
  /** Instead of the table, if there is no row at all. */
  empty?: ReactNode
}

export function AdminTable<Row extends RaRecord>({ sort, ...props }: AdminTableProps<Row>) {
  return (
    <ListBase<Row> perPage={25} exporter={false} queryOptions={QUIET} {...(sort && { sort })}>
      <Title title={props.title} />
      <Frame {...props} />
    </ListBase>
  )
}

/** The page shows the error itself. */
const QUIET = { onError: () => undefined }

function Frame<Row extends RaRecord>(props: Omit<AdminTableProps<Row>, 'sort'>) {
  const { title, columns, filters = [], bulk, opens, exports, actions, createLabel, aside, empty } = props
  const isPhone = useIsPhone()
  const t = useTexts(words)
  const labelled = useLabelled(columns)
  const { error, refetch, isPending, isPlaceholderData, total, filterValues } = useListContext<Row>()
  const Rows = isPhone ? Cards : Grid
  const isBlank = error === null && !isPending && total === 0 && Object.keys(filterValues).length === 0
  return (
    <Box sx={{ minWidth: 0 }}>
      <Stack direction="row" sx={{ alignItems: 'center', flexWrap: 'wrap', columnGap: 1, minHeight: 44, mb: 1.5 }}>
        <Typography
          variant="h1"
          sx={{
            flex: 1,
            minWidth: 'min-content',
            overflowWrap: 'break-word',
            fontSize: { xs: '1.25rem', sm: '1.5rem' },
          }}
        >
          {title}
        </Typography>
        {!isBlank && (
          <Actions
            columns={exports === false ? [] : labelled}
            name={title}
            filters={filters}
            extra={actions}
            createLabel={createLabel}
            isPhone={isPhone}
          />
        )}
      </Stack>
      {aside}
      {isBlank ? (
        (empty ?? <Nothing createLabel={createLabel} />)
      ) : (
        <>
          {filters.length > 0 && (
            <Box sx={FILTERS}>
              <FilterForm filters={filters} />
            </Box>
          )}
          {error ? (
            <ErrorNotice error={error} onRetry={() => void refetch()} />
          ) : (
            <Card variant="outlined" sx={TABLE}>
              {isPlaceholderData && (
                <LinearProgress
                  aria-label={t.loading}
                  sx={{ position: 'absolute', top: 0, left: 0, right: 0, zIndex: 1 }}
                />
              )}
              <Box sx={{ overflowX: 'auto' }}>
                <Rows columns={labelled.filter(({ exportOnly }) => !exportOnly)} bulk={bulk} opens={opens} />
              </Box>
            </Card>
          )}
          <Pagination rowsPerPageOptions={[25, 50, 100]} />
        </>
      )}
    </Box>
  )
}

/** Two filters share a row on phones. */
const FILTERS = {
  mb: 1.5,
  '& form': { display: 'flex', alignItems: 'center', gap: 1, p: 0, minHeight: 0 },
  '& .RaFilterForm-filterFormInput': { flex: { xs: '1 1 45%', sm: 'none' }, alignItems: 'center', minWidth: 0 },
  '& .RaFilterForm-filterFormInput .MuiFormControl-root.MuiFormControl-root': {
    m: 0,
    width: { xs: '100%', sm: 'auto' },
    minWidth: { xs: 0, sm: 160 },
  },
  '& .RaFilterFormInput-spacer, & .RaFilterForm-clearFix': { display: 'none' },
}

const TABLE = {
  position: 'relative',
  '& th': { whiteSpace: 'nowrap' },
  '& th, & td': { px: { sm: 1, lg: 2 } },
  // It is above its box by default, where the box cuts it off.
  '&& .RaBulkActionsToolbar-toolbar': { position: 'static', transform: 'none' },
}

function useLabelled<Row>(columns: readonly Column<Row>[]): readonly Labelled<Row>[] {
  const translate = useTranslate()
  const resource = useResourceContext()
  return columns.map((column) => ({
    ...column,
    label: column.label ?? translate(`resources.${resource}.fields.${column.source}`),
  }))
}

/** Opens the form for a new row; undefined if there is none or the user may not use it. */
function useCreatePathOf(): string | undefined {
  const resource = useResourceContext() ?? ''
  const createPath = useCreatePath()
  const { hasCreate } = useResourceDefinition()
  const { canAccess } = useCanAccess({ resource, action: 'create' })
  return hasCreate && canAccess ? createPath({ resource, type: 'create' }) : undefined
}

interface ActionsProps<Row> {
  columns: readonly Labelled<Row>[]
  name: string
  filters: ReactElement[]
  extra: ReactNode
  createLabel: string | undefined
  isPhone: boolean
}

function Actions<Row extends RaRecord>({ columns, name, filters, extra, createLabel, isPhone }: ActionsProps<Row>) {
  const t = useTexts(words)
  const create = useCreatePathOf()
  const exported = columns.flatMap(({ label, source, text }) =>
    text === null ? [] : [{ label, value: text ?? ((row: Row) => valueOf(row, source)) }],
  )
  return (
    <Stack
      direction="row"
      sx={{
        alignItems: 'center',
        gap: 0.5,
        '& .MuiButton-root': { whiteSpace: 'nowrap', minHeight: { xs: 44, sm: 40 } },
      }}
    >
      {filters.length > 0 && <FilterButton filters={filters} />}
      {exported.length > 0 && <CsvButton columns={exported} name={name} isIcon={isPhone} />}
      {extra}
      {create !== undefined && (
        <Button
          component={Link}
          to={create}
          variant="contained"
          size="small"
          data-create
          {...(isPhone
            ? { 'aria-label': createLabel ?? t.create, sx: { minWidth: 44, px: 1 } }
            : { startIcon: <Add /> })}
        >
          {isPhone ? <Add /> : (createLabel ?? t.create)}
        </Button>
      )}
    </Stack>
  )
}

/** The value of a row in the file. Times are numbers in properties whose names end with `At` or `Time`. */
function valueOf(row: RaRecord, source: string): CsvValue {
  const value: unknown = row[source]
  if (isTime(source) && typeof value === 'number') return csvTime(value)
  if (typeof value === 'object' && value !== null) return JSON.stringify(value)
  return value as CsvValue
}

function Nothing({ createLabel }: { createLabel: string | undefined }) {
  const t = useTexts(words)
  const create = useCreatePathOf()
  const action = create !== undefined && (
    <Button component={Link} to={create} variant="contained" startIcon={<Add />} data-create>
      {createLabel ?? t.create}
    </Button>
  )
  return <EmptyState icon={Inbox} title={t.none} {...(action && { action })} />
}
