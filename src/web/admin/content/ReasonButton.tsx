/** A button that asks for a reason before it changes a row: scraps an asset, revokes a pass, blocks a code. */

import { TextField } from '@mui/material'
import type { ReactNode } from 'react'

import type { InputOf } from '../../api/types.ts'
import { useMay } from '../../session/session.ts'
import { DialogButton } from '../../ui/DialogButton.tsx'
import { FormDialog } from '../../ui/dialogs.tsx'
import { useForm } from '../../ui/use-form.tsx'

type WithReason = 'assets.scrapAny' | 'admin.passes.revoke' | 'admin.qrCodes.block'

export interface ReasonButtonProps {
  operation: WithReason
  /** Of the path: the id of the row. */
  params: Readonly<Record<string, number>>
  /** Fields of the body beside the reason. */
  body?: Readonly<Record<string, boolean>>
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
  const { operation, label, icon } = props
  const may = useMay()
  if (!may(operation)) return null
  return (
    <DialogButton label={label} icon={icon} variant="outlined">
      {(close) => <ReasonDialog {...props} onClose={close} />}
    </DialogButton>
  )
}

function ReasonDialog(props: ReasonButtonProps & { onClose: () => void }) {
  const { operation, params, body, label, title, text, reasonLabel, done, onClose } = props
  const form = useForm(
    operation,
    { reason: '' },
    {
      done,
      refreshes: [operation.split('.')[0]!, 'operationLog'],
      input: ({ reason }) =>
        ({ params, body: { ...body, reason: reason.trim() || null } }) as unknown as InputOf<WithReason>,
      onDone: onClose,
    },
  )
  return (
    <FormDialog form={form} title={title} action={label} onClose={onClose} maxWidth="xs">
      <span>{text}</span>
      <TextField {...form.text('reason', { label: reasonLabel })} autoFocus multiline />
    </FormDialog>
  )
}
