/** A button with its dialog, which exists only while it is open and therefore forgets what was typed. */

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
