/** A button for the selected rows of a table: asks, then works on one row after the other and shows how far it is. */

import { Button } from '@mui/material'
import { type ReactNode, useState } from 'react'

import { BulkState } from './bulk/BulkState.tsx'
import { useBulk } from './bulk/use-bulk.ts'
import { ConfirmDialog } from './dialogs.tsx'
import { type Key, useTable } from './table/context.ts'

export interface BulkActionProps<Row> {
  label: string
  icon: ReactNode
  /** The question, for `n` rows. */
  title: (n: number) => string
  /** The consequences of the action, and whether it can be undone. */
  text: ReactNode
  run: (key: Key) => Promise<unknown>
  /** Shown when rows are done. */
  done: (n: number) => string
  /** Names a row that was refused. */
  nameOf: (row: Row) => string
}

export function BulkAction<Row>(props: BulkActionProps<Row>) {
  const { label, icon, title, text, run, done, nameOf } = props
  const { operation, keyOf, selection } = useTable<Row>()
  // `admin.users` for `admin.users.list`
  const bulk = useBulk(operation.slice(0, operation.lastIndexOf('.')), 'operationLog')
  const [isOpen, setOpen] = useState(false)

  const confirm = async () => {
    const left = await bulk.run([...selection.rows.values()], (row) => run(keyOf(row)), done, nameOf)
    if (left.length === 0) setOpen(false)
    selection.set(left)
  }

  return (
    <>
      <Button size="small" startIcon={icon} onClick={() => setOpen(true)}>
        {label}
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        title={title(selection.rows.size)}
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
