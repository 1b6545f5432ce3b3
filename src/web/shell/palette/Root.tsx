/** The command palette, and the dialogs that it opens. */

import { useEffect, useRef, useState } from 'react'

import type { QrCode } from '../../api/types.ts'
import TargetDialog from '../../areas/codes/TargetDialog.tsx'
import { closePalette, paletteOpener, usePaletteIsOpen } from '../palette-state.ts'
import { useSignOut } from '../use-sign-out.tsx'
import Palette from './Palette.tsx'

export default function Root() {
  const isOpen = usePaletteIsOpen()
  const signOut = useSignOut()
  const [changed, setChanged] = useState<QrCode>()
  const hasOpened = useRef(false)
  /** The code whose dialog is opened when the focus is back, to which it returns after the dialog. */
  const next = useRef<QrCode>(undefined)
  useEffect(() => {
    if (!isOpen) return
    hasOpened.current = false
    return () => {
      const opener = paletteOpener()
      if (!hasOpened.current && opener instanceof HTMLElement) opener.focus()
      if (next.current !== undefined) setChanged(next.current)
      next.current = undefined
    }
  }, [isOpen])
  const [changeTarget] = useState(() => (code: QrCode) => void (next.current = code))
  return (
    <>
      {isOpen && (
        <Palette
          onClose={(opened) => {
            hasOpened.current = opened
            closePalette()
          }}
          signOut={signOut.ask}
          changeTarget={changeTarget}
        />
      )}
      {signOut.dialog}
      {changed !== undefined && <TargetDialog code={changed} onClose={() => setChanged(undefined)} />}
    </>
  )
}
