/**
 * A table of administrators whose rows have no page of their own: a click opens a drawer with the details of the row, its history from
 * the operation log, and what can be done with it. The address names the open row, so "back" closes the drawer. Deleting asks first, also
 * for several rows.
 */

import { Close, Delete } from '@mui/icons-material'
import { Box, Divider, Drawer, IconButton, Stack, Typography } from '@mui/material'
import type { ReactNode } from 'react'
import { useLocation, useNavigate } from 'react-router'

import { callWith } from '../api/client.ts'
import type { ItemOf, PagedId } from '../api/pages.ts'
import type { InputOf, OperationId, OperationLogRow } from '../api/types.ts'
import { texts, useTexts } from '../i18n/words.ts'
import { useMay } from '../session/session.ts'
import { ActionButton } from './ActionButton.tsx'
import { BulkAction } from './BulkAction.tsx'
import { History } from './History.tsx'
import { withParameters } from './table/address.ts'
import { type Key, useTable } from './table/context.ts'
import { Table, type TableProps } from './table/Table.tsx'

const words = texts({
  en: {
    close: 'Close',
    history: 'Changes by administrators',
    remove: 'Delete',
    ask: (name: string) => `Delete “${name}”?`,
    askMany: (n: number) => (n === 1 ? 'Delete the selected row?' : `Delete ${n} selected rows?`),
    done: (n: number) => (n === 1 ? 'Deleted' : `${n} rows deleted`),
  },
  zh: {
    close: '关闭',
    history: '管理员的更改',
    remove: '删除',
    ask: (name: string) => `删除“${name}”？`,
    askMany: (n: number) => `删除选中的 ${n} 项？`,
    done: (n: number) => (n === 1 ? '已删除' : `已删除 ${n} 项`),
  },
})

export interface Removal {
  readonly operation: OperationId
  /** The name of the id in the path of the operation. */
  readonly param: string
  /** The consequences of the deletion, which cannot be undone. */
  readonly text: string
  /** First words of the ids of operations, besides the list, whose answers it changes. */
  readonly refreshes?: readonly string[]
}

export interface DetailTableProps<Id extends PagedId> extends Omit<TableProps<Id>, 'opens'>, DrawerProps<ItemOf<Id>> {}

interface DrawerProps<Row> {
  /** Names a row in titles and questions. */
  nameOf: (row: Row) => string
  renderDetails: (row: Row) => ReactNode
  /** Buttons of the drawer, before the one that deletes. */
  renderButtons?: (row: Row, close: () => void) => ReactNode
  /** The kind of target under which the operation log has the rows. */
  target?: OperationLogRow['targetType']
  removal?: Removal
}

export function DetailTable<Id extends PagedId>(props: DetailTableProps<Id>) {
  const { nameOf, renderDetails, renderButtons, target, removal, actions, bulk, keyOf, ...table } = props
  const may = useMay()
  const { pathname, search } = useLocation()
  const remove = removal !== undefined && may(removal.operation) ? removal : undefined
  const bulkButton = bulk ?? (remove && <BulkDelete removal={remove} nameOf={nameOf} />)
  return (
    <Table<Id>
      {...(table as unknown as TableProps<Id>)}
      {...(keyOf && { keyOf })}
      bulk={bulkButton}
      opens={{ to: (row) => withRow(pathname, search, keyOf?.(row) ?? (row as { id: Key }).id) }}
      actions={
        <>
          {actions}
          <RowDrawer
            nameOf={nameOf}
            renderDetails={renderDetails}
            {...(renderButtons && { renderButtons })}
            {...(target && { target })}
            {...(remove && { removal: remove })}
          />
        </>
      }
    />
  )
}

/** Deletes the selected rows one after the other. */
export function BulkDelete<Row>({ removal, nameOf }: { removal: Removal; nameOf: (row: Row) => string }) {
  const t = useTexts(words)
  return (
    <BulkAction
      label={t.remove}
      icon={<Delete />}
      title={t.askMany}
      text={removal.text}
      run={(key) => removeRow(removal, key)}
      done={t.done}
      nameOf={nameOf}
    />
  )
}

const removeRow = ({ operation, param }: Removal, key: Key): Promise<unknown> =>
  callWith(operation, { params: { [param]: key } }, {})

/** The address of the list with an open row, or without one. */
const withRow = (pathname: string, search: string, row: Key | null): string =>
  pathname + withParameters(search, { row })

/** Lives inside the list, whose rows it shows. */
function RowDrawer<Row>({ nameOf, renderDetails, renderButtons, target, removal }: DrawerProps<Row>) {
  const t = useTexts(words)
  const may = useMay()
  const navigate = useNavigate()
  const { pathname, search } = useLocation()
  const { rows, keyOf } = useTable<Row>()
  const openId = new URLSearchParams(search).get('row')
  const row = rows?.find((one) => String(keyOf(one)) === openId)
  const close = () => void navigate(withRow(pathname, search, null), { replace: true })
  return (
    <Drawer
      anchor="right"
      open={row !== undefined}
      onClose={close}
      slotProps={{ paper: { sx: { width: { xs: '100%', sm: 540 } }, role: 'dialog', 'aria-labelledby': 'row-title' } }}
    >
      {row !== undefined && (
        <Stack spacing={2.5} sx={{ p: { xs: 2, sm: 3 } }}>
          <Stack direction="row" spacing={1} sx={{ alignItems: 'flex-start' }}>
            <Typography id="row-title" variant="h2" sx={{ flex: 1, overflowWrap: 'anywhere', pt: 1 }}>
              {nameOf(row)}
            </Typography>
            <IconButton onClick={close} aria-label={t.close} edge="end" size="large">
              <Close />
            </IconButton>
          </Stack>
          {renderDetails(row)}
          <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap', '&:empty': { display: 'none' } }}>
            {renderButtons?.(row, close)}
            {removal && <RemoveButton removal={removal} id={keyOf(row)} name={nameOf(row)} onDone={close} />}
          </Stack>
          {target !== undefined && may('operationLog.list') && (
            <>
              <Divider />
              <Typography variant="h3">{t.history}</Typography>
              <Box sx={{ overflowX: 'auto' }}>
                <History targetType={target} targetId={Number(keyOf(row))} />
              </Box>
            </>
          )}
        </Stack>
      )}
    </Drawer>
  )
}

interface RemoveButtonProps {
  removal: Removal
  id: Key
  name: string
  onDone: () => void
}

function RemoveButton({ removal, id, name, onDone }: RemoveButtonProps) {
  const t = useTexts(words)
  const { operation } = useTable()
  return (
    <ActionButton
      operation={removal.operation}
      input={{ params: { [removal.param]: id } } as InputOf<OperationId>}
      label={t.remove}
      icon={<Delete />}
      title={t.ask(name)}
      text={removal.text}
      done={t.done(1)}
      // Details of the row are not read again: it is gone.
      refreshes={[operation, 'operationLog', ...(removal.refreshes ?? [])]}
      onDone={onDone}
      variant="outlined"
    />
  )
}
