/** A button with its dialog. The dialog is mounted only while it is open, so it opens with empty fields each time. */

import { Button, type ButtonProps } from '@mui/material'
import { type ReactNode, useState } from 'react'

export interface DialogButtonProps extends Omit<ButtonProps, 'children' | 'onClick'> {
  label: string
  icon?: ReactNode
  /** Creates a row: the button that a keyboard shortcut presses. */
  isNew?: boolean
  children: (close: () => void) => ReactNode
}

export function DialogButton({
  label,
  icon,
  isNew = false,
  variant = 'contained',
  children,
  ...button
}: DialogButtonProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button
        {...button}
        variant={variant}
        startIcon={icon}
        onClick={() => setOpen(true)}
        {...(isNew && { size: 'small', 'data-create': true })}
      >
        {label}
      </Button>
      {isOpen && children(() => setOpen(false))}
    </>
  )
}
