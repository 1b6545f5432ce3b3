/** A button that asks before it calls an operation, for actions on one row. */

import { Button, type ButtonProps } from '@mui/material'
import { type ReactNode, useState } from 'react'

import { useAction } from '../api/hooks.ts'
import type { DataOf, InputOf, OperationId, Organization } from '../api/types.ts'
import { useMay } from '../session/session.ts'
import { ConfirmDialog } from './dialogs.tsx'

export interface ActionButtonProps<Id extends OperationId> {
  operation: Id
  /** In which the permission is needed; by default that of the workspace. */
  org?: Organization
  input: InputOf<Id>
  label: string
  /** Distinguishes buttons with the same label for screen readers: "Remove Anna Berg". */
  name?: string
  icon?: ReactNode
  title: string
  /** The consequences of the action, and whether it can be undone. */
  text: ReactNode
  /** The word on the button of the question; by default the label. */
  action?: string
  /** Must be typed before. */
  typed?: string
  done: string
  refreshes?: readonly string[]
  onDone?: (data: DataOf<Id>) => void
  variant?: ButtonProps['variant']
  color?: ButtonProps['color']
  size?: ButtonProps['size']
}

/**
 * Not shown to users who may not call the operation. Two buttons that replace each other need different keys: otherwise the open dialog
 * of the first becomes that of the second, and a second click undoes the action.
 */
export function ActionButton<Id extends OperationId>(props: ActionButtonProps<Id>) {
  const {
    operation,
    org,
    input,
    label,
    name,
    icon,
    title,
    text,
    action: word = label,
    typed,
    done,
    refreshes,
    onDone,
    variant,
    color,
    size,
  } = props
  const may = useMay()
  const [isOpen, setOpen] = useState(false)
  const action = useAction(operation, {
    done,
    quiet: true,
    ...(refreshes && { refreshes }),
    onDone: (data) => {
      setOpen(false)
      onDone?.(data)
    },
  })
  if (!may(operation, org)) return null
  return (
    <>
      <Button
        startIcon={icon}
        onClick={() => {
          action.reset()
          setOpen(true)
        }}
        {...(name && { 'aria-label': name })}
        variant={variant ?? 'text'}
        color={color ?? 'error'}
        size={size ?? 'medium'}
      >
        {label}
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        title={title}
        text={text}
        action={word}
        {...(typed !== undefined && { typed })}
        color={color === 'primary' ? 'primary' : 'error'}
        isBusy={action.isPending}
        error={action.error}
        onConfirm={() => action.mutate(input)}
        onClose={() => setOpen(false)}
      />
    </>
  )
}
