/** Asks for one code: by camera, from a picture, or with a handheld scanner. */

import { Image } from '@mui/icons-material'
import { Alert, Button, Dialog, DialogActions, DialogContent, DialogTitle } from '@mui/material'
import { useState } from 'react'

import { texts, useTexts } from '../i18n/words.ts'
import { ReaderMissing, readPicture } from './code-reader.ts'
import { DialogButton, type DialogButtonProps } from './DialogButton.tsx'
import { FileButton } from './FileButton.tsx'
import { readerWords } from './reader-words.ts'
import { Scanner } from './Scanner.tsx'
import { useHandheldScanner } from './use-handheld-scanner.ts'
import { useIsPhone } from './use-is-phone.ts'

const words = texts({
  en: {
    picture: 'Choose a picture',
    cancel: 'Cancel',
    none: 'No code was found in this picture. Choose a sharper one.',
  },
  zh: { picture: '选择图片', cancel: '取消', none: '图片中没有找到二维码，请换一张更清晰的图片。' },
})

export interface ScanButtonProps extends Omit<DialogButtonProps, 'children'> {
  onCode: (text: string) => void
}

/** Opens the dialog, and closes it with the first code. */
export const ScanButton = ({ onCode, ...button }: ScanButtonProps) => (
  <DialogButton variant="text" {...button}>
    {(close) => (
      <ScanDialog
        title={button.label}
        onCode={(text) => {
          close()
          onCode(text)
        }}
        onClose={close}
      />
    )}
  </DialogButton>
)

export interface ScanDialogProps {
  title: string
  onCode: (text: string) => void
  onClose: () => void
}

export function ScanDialog({ title, onCode, onClose }: ScanDialogProps) {
  const t = useTexts(words)
  const isPhone = useIsPhone()
  const shared = useTexts(readerWords)
  const [problem, setProblem] = useState<string>()
  useHandheldScanner(onCode)
  const read = async (file: File) => {
    try {
      const [text] = await readPicture(file)
      if (text === undefined) setProblem(t.none)
      else onCode(text)
    } catch (error) {
      setProblem(error instanceof ReaderMissing ? shared.noReader : shared.noPicture)
    }
  }
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="sm" fullScreen={isPhone} aria-labelledby="scan-title">
      <DialogTitle id="scan-title">{title}</DialogTitle>
      <DialogContent>
        <Scanner onCode={onCode} />
        {problem !== undefined && (
          <Alert severity="warning" sx={{ mt: 2 }}>
            {problem}
          </Alert>
        )}
      </DialogContent>
      <DialogActions>
        <FileButton
          accept="image/*"
          startIcon={<Image />}
          onFiles={([file]) => {
            setProblem(undefined)
            if (file) void read(file)
          }}
        >
          {t.picture}
        </FileButton>
        <Button onClick={onClose}>{t.cancel}</Button>
      </DialogActions>
    </Dialog>
  )
}
