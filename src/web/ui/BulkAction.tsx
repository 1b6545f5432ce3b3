/** A button for the selected rows of a table: asks, then works on one row after the other and shows how far it is. */

import { Button } from '@mui/material'
import { type ReactNode, useState } from 'react'
import { type Identifier, type RaRecord, useListContext, useRefresh } from 'react-admin'

import { BulkState } from './bulk/BulkState.tsx'
import { useBulk } from './bulk/use-bulk.ts'
import { ConfirmDialog } from './dialogs.tsx'

export interface BulkActionProps<Row extends RaRecord> {
  label: string
  icon: ReactNode
  /** The question, for `n` rows. */
  title: (n: number) => string
  /** The consequences of the action, and whether it can be undone. */
  text: ReactNode
  run: (id: Identifier) => Promise<unknown>
  /** Shown when rows are done. */
  done: (n: number) => string
  /** Names a row that was refused. */
  nameOf: (row: Row) => string
}

export function BulkAction<Row extends RaRecord>(props: BulkActionProps<Row>) {
  const { label, icon, title, text, run, done, nameOf } = props
  const refresh = useRefresh()
  const bulk = useBulk()
  const { data, selectedIds, onSelect } = useListContext<Row>()
  const [isOpen, setOpen] = useState(false)

  const confirm = async () => {
    // Rows that were selected on another page of the table are counted, but not named.
    const names = new Map(data?.map((row) => [row.id, nameOf(row)]))
    const left = await bulk.run(selectedIds, run, done, (id) => names.get(id))
    if (left.length === 0) setOpen(false)
    onSelect([...left])
    refresh()
  }

  return (
    <>
      <Button size="small" startIcon={icon} onClick={() => setOpen(true)}>
        {label}
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        title={title(selectedIds.length)}
        text={
          <>
            {text}
            <BulkState bulk={bulk} />
          </>
        }
        action={label}
        isBusy={bulk.progress !== undefined}
        onConfirm={() => void confirm()}
        onClose={() => {
          setOpen(false)
          bulk.forget()
        }}
      />
    </>
  )
}
