/** A button for the selected rows of a table: asks, then works on one row after the other and shows how far it is. */

import { Button } from '@mui/material'
import { type ReactNode, useState } from 'react'
import { type Identifier, useListContext, useRefresh } from 'react-admin'

import { BulkState } from './bulk/BulkState.tsx'
import { useBulk } from './bulk/use-bulk.ts'
import { ConfirmDialog } from './dialogs.tsx'

export interface BulkActionProps {
  label: string
  icon: ReactNode
  /** The question, for `n` rows. */
  title: (n: number) => string
  /** Says which consequences it has and whether it can be undone. */
  text: ReactNode
  run: (id: Identifier) => Promise<unknown>
  /** Shown when rows are done. */
  done: (n: number) => string
}

export function BulkAction({ label, icon, title, text, run, done }: BulkActionProps) {
  const refresh = useRefresh()
  const bulk = useBulk()
  const { selectedIds, onSelect } = useListContext()
  const [isOpen, setOpen] = useState(false)

  const confirm = async () => {
    const left = await bulk.run(selectedIds, run, done)
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
