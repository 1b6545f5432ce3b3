/** The rows of a table: cells on desktops, cards on phones. */

import {
  Box,
  Checkbox,
  Link as MuiLink,
  Stack,
  Table,
  TableBody,
  TableCell,
  TableHead,
  TableRow,
  TableSortLabel,
  Tooltip,
  Typography,
} from '@mui/material'
import type { ReactNode, SyntheticEvent } from 'react'
import { Link, useNavigate } from 'react-router'

import { texts, useTexts } from '../../i18n/words.ts'
import { alignOf, cellOf, csvOf, type Labelled, sortOf } from './columns.tsx'
import { useTable } from './context.ts'

const words = texts({
  en: {
    select: (row: string) => `Select ${row}`,
    all: 'Select all',
    actions: 'Actions',
    ascending: (column: string) => `Sort by ${lowerFirst(column)} ascending`,
    descending: (column: string) => `Sort by ${lowerFirst(column)} descending`,
  },
  zh: {
    select: (row: string) => `选择${row}`,
    all: '全选',
    actions: '操作',
    ascending: (column: string) => `按${column}升序排列`,
    descending: (column: string) => `按${column}降序排列`,
  },
})

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

export interface RowsProps<Row> {
  rows: readonly Row[]
  columns: readonly Labelled<Row>[]
  /** The path of a row's page; undefined if rows have none. */
  pathOf: ((row: Row) => string) | undefined
  /** Rows can be selected. */
  hasBulk: boolean
  /** The last cell of a row: its menu. */
  actions?: ((row: Row) => ReactNode) | undefined
  /** `createdAt` or `-createdAt` */
  sort: string | undefined
  onSort: (sort: string) => void
}

/** A click on a link or a checkbox in a row must not also open the row. */
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
const hasContent = <Row,>(rows: readonly Row[], column: Labelled<Row>): boolean =>
  rows.length === 0 || rows.some((row) => !isEmpty(cellOf(row, column)))

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

/** The checkbox of a row, with its name. */
function Select<Row>({ row, title }: { row: Row; title: Labelled<Row> }) {
  const t = useTexts(words)
  const { keyOf, selection } = useTable<Row>()
  const key = keyOf(row)
  return (
    <Checkbox
      checked={selection.rows.has(key)}
      onChange={(_, isChecked) => selection.toggle(row, isChecked)}
      onClick={stop}
      slotProps={{ input: { 'aria-label': t.select(String(csvOf(row, title) || key)) } }}
      sx={{ alignSelf: 'flex-start' }}
    />
  )
}

/** Seen without scrolling a wide table. */
const AT_THE_END = { position: 'sticky', right: 0, bgcolor: 'background.paper' }

export function Grid<Row>({ rows, columns, pathOf, hasBulk, actions, sort, onSort }: RowsProps<Row>) {
  const t = useTexts(words)
  const navigate = useNavigate()
  const { keyOf } = useTable<Row>()
  const shown = columns.filter((column, i) => i === 0 || column.sortable || hasContent(rows, column))
  return (
    <Table size="small">
      <TableHead>
        <TableRow>
          {hasBulk && (
            <TableCell padding="checkbox">
              <SelectAll rows={rows} />
            </TableCell>
          )}
          {shown.map((column) => (
            <Heading key={column.source} column={column} sort={sort} onSort={onSort} />
          ))}
          {actions && <TableCell padding="checkbox" aria-label={t.actions} sx={AT_THE_END} />}
        </TableRow>
      </TableHead>
      <TableBody>
        {rows.map((row) => {
          const path = pathOf?.(row)
          return (
            <TableRow
              key={keyOf(row)}
              hover
              {...(path !== undefined && { onClick: () => void navigate(path), sx: { cursor: 'pointer' } })}
            >
              {hasBulk && (
                <TableCell padding="checkbox">
                  <Select row={row} title={shown[0]!} />
                </TableCell>
              )}
              {shown.map((column, i) => {
                const content = <Cell isFirst={i === 0}>{cellOf(row, column)}</Cell>
                return (
                  <TableCell key={column.source} align={alignOf(column)}>
                    {i === 0 ? <RowLink to={path}>{content}</RowLink> : content}
                  </TableCell>
                )
              })}
              {actions && (
                <TableCell padding="checkbox" onClick={stop} sx={AT_THE_END}>
                  {actions(row)}
                </TableCell>
              )}
            </TableRow>
          )
        })}
      </TableBody>
    </Table>
  )
}

function SelectAll<Row>({ rows }: { rows: readonly Row[] }) {
  const t = useTexts(words)
  const { keyOf, selection } = useTable<Row>()
  const { isAllShown, toggleShown } = selection
  return (
    <Checkbox
      checked={isAllShown}
      indeterminate={!isAllShown && rows.some((row) => selection.rows.has(keyOf(row)))}
      onChange={(_, isChecked) => toggleShown(isChecked)}
      slotProps={{ input: { 'aria-label': t.all } }}
    />
  )
}

type HeadingProps<Row> = Pick<RowsProps<Row>, 'sort' | 'onSort'> & { column: Labelled<Row> }

function Heading<Row>({ column, sort, onSort }: HeadingProps<Row>) {
  const t = useTexts(words)
  const { label } = column
  const name = sortOf(column)
  if (name === undefined) return <TableCell align={alignOf(column)}>{label}</TableCell>
  const isActive = sort?.replace(/^-/, '') === name
  const direction = isActive && sort !== name ? 'desc' : 'asc'
  const next = isActive && direction === 'asc' ? `-${name}` : name
  return (
    <TableCell align={alignOf(column)} sortDirection={isActive ? direction : false}>
      <Tooltip title={next === name ? t.ascending(label) : t.descending(label)} describeChild>
        <TableSortLabel active={isActive} direction={direction} onClick={() => onSort(next)}>
          {label}
        </TableSortLabel>
      </Tooltip>
    </TableCell>
  )
}

export function Cards<Row>({ rows, columns, pathOf, hasBulk }: RowsProps<Row>) {
  const { keyOf } = useTable<Row>()
  const [title, ...rest] = columns
  return (
    <Box component="ul" sx={{ listStyle: 'none', m: 0, p: 0 }}>
      {rows.map((row) => (
        <Stack
          key={keyOf(row)}
          component="li"
          direction="row"
          sx={{ py: 1.5, px: hasBulk ? 0.5 : 2, '& + &': { borderTop: 1, borderColor: 'divider' } }}
        >
          {hasBulk && <Select row={row} title={title!} />}
          <Box sx={{ minWidth: 0, flex: 1, py: hasBulk ? 1 : 0 }}>
            <Box sx={{ fontWeight: 600, mb: 0.5 }}>
              <RowLink to={pathOf?.(row)}>{cellOf(row, title!)}</RowLink>
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
  )
}

function Pair<Row>({ row, column }: { row: Row; column: Labelled<Row> }) {
  const content = cellOf(row, column)
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
