/** A question that calls an operation when it is answered with yes, and then closes. Errors are shown in it. */

import { type ActionSettings, useAction } from '../api/hooks.ts'
import type { InputOf, OperationId } from '../api/types.ts'
import { ConfirmDialog, type ConfirmProps } from './dialogs.tsx'

export interface ActionDialogProps<Id extends OperationId>
  extends
    Pick<ConfirmProps, 'title' | 'text' | 'action' | 'isCancelling' | 'typed' | 'color' | 'onClose'>,
    Pick<ActionSettings<Id>, 'done' | 'refreshes' | 'onDone'> {
  operation: Id
  input: InputOf<Id>
}

/** Mounted only while it is open, so that a second question shows nothing of the first. */
export function ActionDialog<Id extends OperationId>(props: ActionDialogProps<Id>) {
  const { operation, input, done, refreshes, onDone, ...question } = props
  const { mutate, isPending, error } = useAction(operation, {
    ...(done !== undefined && { done }),
    ...(refreshes && { refreshes }),
    quiet: true,
    onDone: (data) => {
      question.onClose()
      onDone?.(data)
    },
  })
  return <ConfirmDialog {...question} isOpen isBusy={isPending} error={error} onConfirm={() => mutate(input)} />
}
