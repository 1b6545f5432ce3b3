/**
 * A list of users as rows with pictures or as a compact table, whose columns they choose. The browser keeps the choice. Phones always
 * have the rows.
 */

import { TableRows, ViewColumn, ViewList } from '@mui/icons-material'
import { Box, Card, Checkbox, ListItemText, MenuItem, Stack, ToggleButton, ToggleButtonGroup } from '@mui/material'
import type { ReactNode } from 'react'

import type { PagedId } from '../../api/pages.ts'
import { type Stored, stored } from '../../browser/stored.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { IconMenu } from '../MenuButton.tsx'
import { useIsPhone } from '../use-is-phone.ts'
import type { Column, Labelled } from './columns.tsx'
import { TableContext } from './context.ts'
import { useLabelled } from './labels.ts'
import { Grid } from './Rows.tsx'
import type { Selection } from './selection.ts'

const words = texts({
  en: { view: 'View', rows: 'Rows with pictures', table: 'Table', columns: 'Columns' },
  zh: { view: '视图', rows: '带图片的列表', table: '表格', columns: '显示的列' },
})

interface View {
  readonly isTable: boolean
  /** Columns that the user has taken away or added, by their `source`. */
  readonly columns: Readonly<Record<string, boolean>>
}

const FIRST: View = { isTable: false, columns: {} }
const views = {
  codes: stored('tessera.view.codes', FIRST),
  assets: stored('tessera.view.assets', FIRST),
  supplies: stored('tessera.view.supplies', FIRST),
} satisfies Record<string, Stored<View>>

export type ListName = keyof typeof views

/** Whether the list is a table now. */
export function useIsTable(list: ListName): boolean {
  const isPhone = useIsPhone()
  return views[list].use().isTable && !isPhone
}

const isShown = ({ columns }: View, { source, isOptional }: { source: string; isOptional?: true }): boolean =>
  columns[source] ?? isOptional !== true

export type ListColumn<Row> = Column<Row> & {
  /** Not shown until the user chooses it. */
  readonly isOptional?: true
}

/** The buttons that choose view and columns. The first column is always shown. */
export function ViewButtons<Row>({ list, columns }: { list: ListName; columns: readonly ListColumn<Row>[] }) {
  const t = useTexts(words)
  const view = views[list].use()
  const isTable = useIsTable(list)
  const labelled = useLabelled(columns)
  if (useIsPhone()) return null
  return (
    <Stack direction="row" sx={{ alignItems: 'center', justifyContent: 'flex-end', gap: 0.5, mb: 1 }}>
      {isTable && (
        <IconMenu label={t.columns} icon={<ViewColumn />} hasTooltip>
          {labelled.slice(1).map((column) => (
            <MenuItem
              key={column.source}
              role="menuitemcheckbox"
              aria-checked={isShown(view, column)}
              onClick={() =>
                views[list].set({
                  ...view,
                  columns: { ...view.columns, [column.source]: !isShown(view, column) },
                })
              }
            >
              <Checkbox checked={isShown(view, column)} tabIndex={-1} sx={{ p: 0, mr: 1 }} aria-hidden />
              <ListItemText primary={column.label} />
            </MenuItem>
          ))}
        </IconMenu>
      )}
      <ToggleButtonGroup
        exclusive
        size="small"
        aria-label={t.view}
        value={isTable ? 'table' : 'rows'}
        onChange={(_, next: string | null) => next !== null && views[list].set({ ...view, isTable: next === 'table' })}
      >
        <ToggleButton value="rows" aria-label={t.rows}>
          <ViewList />
        </ToggleButton>
        <ToggleButton value="table" aria-label={t.table}>
          <TableRows />
        </ToggleButton>
      </ToggleButtonGroup>
    </Stack>
  )
}

export interface ListViewProps<Row extends { readonly id: number }> {
  list: ListName
  operation: PagedId
  rows: readonly Row[]
  total: number
  columns: readonly ListColumn<Row>[]
  pathOf: (row: Row) => string
  selection: Selection<Row>
  /** `createdAt` or `-createdAt` */
  sort: string | undefined
  onSort: (sort: string) => void
  /** The menu of a row in the table. */
  renderMenu?: (row: Row) => ReactNode
  /** The rows with pictures. */
  children: ReactNode
}

export function ListView<Row extends { readonly id: number }>({ children, ...props }: ListViewProps<Row>) {
  const { list, operation, rows, total, columns, pathOf, selection, renderMenu, sort, onSort } = props
  const view = views[list].use()
  const isTable = useIsTable(list)
  const labelled = useLabelled(columns) as readonly (Labelled<Row> & ListColumn<Row>)[]
  if (!isTable) return children
  const context = {
    operation,
    rows,
    total,
    keyOf: (row: Row) => row.id,
    query: {},
    selection,
  }
  return (
    <TableContext value={context}>
      <Card>
        <Box sx={{ overflowX: 'auto' }}>
          <Grid
            rows={rows}
            columns={labelled.filter((column, i) => i === 0 || isShown(view, column))}
            pathOf={pathOf}
            hasBulk
            actions={renderMenu}
            sort={sort}
            onSort={onSort}
          />
        </Box>
      </Card>
    </TableContext>
  )
}
