/** A button that asks before it calls an operation, for actions on one row. */

import { Button, type ButtonProps } from '@mui/material'
import { type ReactNode, useState } from 'react'

import type { OperationId, Organization } from '../api/types.ts'
import { useMay } from '../session/session.ts'
import { ActionDialog, type ActionDialogProps } from './ActionDialog.tsx'

export interface ActionButtonProps<Id extends OperationId> extends Omit<
  ActionDialogProps<Id>,
  'action' | 'color' | 'onClose'
> {
  /** In which the permission is needed; by default that of the workspace. */
  org?: Organization
  label: string
  /** Distinguishes buttons with the same label for screen readers: "Remove Anna Berg". */
  name?: string
  icon?: ReactNode
  /** The word on the button of the question; by default the label. */
  action?: string
  variant?: ButtonProps['variant']
  color?: ButtonProps['color']
  size?: ButtonProps['size']
}

/**
 * Not shown to users who may not call the operation. Two buttons that replace each other need different keys: otherwise the open dialog
 * of the first becomes that of the second, and a second click undoes the action.
 */
export function ActionButton<Id extends OperationId>(props: ActionButtonProps<Id>) {
  const { operation, org, label, name, icon, action: word = label, variant, color, size, ...question } = props
  const may = useMay()
  const [isOpen, setOpen] = useState(false)
  if (!may(operation, org)) return null
  return (
    <>
      <Button
        startIcon={icon}
        onClick={() => setOpen(true)}
        {...(name && { 'aria-label': name })}
        variant={variant ?? 'text'}
        color={color ?? 'error'}
        size={size ?? 'medium'}
      >
        {label}
      </Button>
      {isOpen && (
        <ActionDialog
          {...question}
          operation={operation}
          action={word}
          color={color === 'primary' ? 'primary' : 'error'}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  )
}
