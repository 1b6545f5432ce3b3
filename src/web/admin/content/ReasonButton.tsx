/** A button that asks for a reason before it changes a row: scraps an asset, revokes a pass. */

import { Button, TextField } from '@mui/material'
import { type ReactNode, useState } from 'react'
import { useRefresh } from 'react-admin'

import { useAction } from '../../api/hooks.ts'
import type { InputOf } from '../../api/types.ts'
import { useMay } from '../../session/session.ts'
import { FormDialog } from '../../ui/dialogs.tsx'

type WithReason = 'assets.scrapAny' | 'admin.passes.revoke'

export interface ReasonButtonProps {
  operation: WithReason
  /** Of the path: the id of the row. */
  params: Readonly<Record<string, number>>
  label: string
  icon: ReactNode
  title: string
  /** The consequences of the action, and whether it can be undone. */
  text: string
  reasonLabel: string
  done: string
}

/** Not shown to users who may not call the operation. */
export function ReasonButton(props: ReasonButtonProps) {
  const { operation, params, label, icon, title, text, reasonLabel, done } = props
  const may = useMay()
  const refresh = useRefresh()
  const [isOpen, setOpen] = useState(false)
  const [reason, setReason] = useState('')
  const action = useAction(operation, {
    quiet: true,
    done,
    onDone: () => {
      setOpen(false)
      refresh()
    },
  })
  if (!may(operation)) return null
  const problem = action.error?.problem('reason')
  return (
    <>
      <Button variant="outlined" startIcon={icon} onClick={() => setOpen(true)}>
        {label}
      </Button>
      <FormDialog
        isOpen={isOpen}
        title={title}
        action={label}
        isBusy={action.isPending}
        error={action.error}
        onSubmit={() =>
          action.mutate({ params, body: { reason: reason.trim() || null } } as unknown as InputOf<WithReason>)
        }
        onClose={() => setOpen(false)}
        maxWidth="xs"
      >
        <span>{text}</span>
        <TextField
          label={reasonLabel}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
          autoFocus
          multiline
          error={problem !== undefined}
          helperText={problem}
        />
      </FormDialog>
    </>
  )
}
