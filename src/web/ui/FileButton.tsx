/** A button that chooses files. */

import { Button, type ButtonProps } from '@mui/material'
import { useRef } from 'react'

export interface FileButtonProps extends Omit<ButtonProps, 'onClick'> {
  /** Like the attribute of an input: `image/*`, `.csv,.xlsx`. */
  accept?: string
  multiple?: boolean
  /** `environment` opens the camera of a phone. */
  capture?: 'environment' | 'user'
  onFiles: (files: readonly File[]) => void
}

export function FileButton({ accept, multiple = false, capture, onFiles, children, ...button }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button {...button} onClick={() => input.current?.click()}>
        {children}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        accept={accept}
        multiple={multiple}
        capture={capture}
        onChange={({ target }) => {
          if (target.files?.length) onFiles([...target.files])
          // The same file can be chosen again.
          target.value = ''
        }}
      />
    </>
  )
}
