/** The cover photo in the form of an activity. It is uploaded as soon as it is chosen. */

import { AddPhotoAlternate } from '@mui/icons-material'
import { Box, Button, LinearProgress, Stack } from '@mui/material'
import { useEffect, useState } from 'react'

import { upload } from '../../api/client.ts'
import type { UploadedFile } from '../../api/types.ts'
import { useTexts } from '../../i18n/words.ts'
import { ErrorNotice } from '../../ui/Answer.tsx'
import { FileButton } from '../../ui/FileButton.tsx'
import { formWords } from './form-words.ts'

export interface CoverFieldProps {
  /** The cover that the activity has. */
  url: string | null
  orgId: number | undefined
  /** The id of the upload; null to remove the cover. */
  onChange: (fileId: number | null) => void
}

export function CoverField({ url, orgId, onChange }: CoverFieldProps) {
  const t = useTexts(formWords)
  const [shown, setShown] = useState(url)
  const [sent, setSent] = useState<number>()
  const [error, setError] = useState<unknown>()
  useEffect(
    () => () => {
      if (shown?.startsWith('blob:')) URL.revokeObjectURL(shown)
    },
    [shown],
  )
  const choose = async ([file]: readonly File[]) => {
    const form = new FormData()
    form.set('type', 'activity')
    form.set('requestId', crypto.getRandomValues(new Uint32Array(4)).join('-'))
    if (orgId !== undefined) form.set('orgId', String(orgId))
    form.set('file', file!)
    setError(undefined)
    setSent(0)
    try {
      const { id, url: uploaded } = (await upload('files.upload', { form, onProgress: setSent })) as UploadedFile
      setShown(uploaded)
      onChange(id)
    } catch (problem) {
      setError(problem)
    } finally {
      setSent(undefined)
    }
  }
  return (
    <Stack spacing={1}>
      {shown !== null && (
        <Box
          component="img"
          src={shown}
          alt={t.cover}
          sx={{ width: '100%', maxHeight: 220, objectFit: 'cover', borderRadius: 1 }}
        />
      )}
      {sent !== undefined && <LinearProgress variant="determinate" value={sent * 100} aria-label={t.uploading} />}
      {error !== undefined && <ErrorNotice error={error} />}
      <Stack direction="row" spacing={1}>
        <FileButton
          variant="outlined"
          accept="image/*,.heic,.heif"
          startIcon={<AddPhotoAlternate />}
          disabled={sent !== undefined}
          onFiles={(files) => void choose(files)}
        >
          {shown === null ? t.chooseCover : t.changeCover}
        </FileButton>
        {shown !== null && (
          <Button
            color="inherit"
            onClick={() => {
              setShown(null)
              onChange(null)
            }}
          >
            {t.removeCover}
          </Button>
        )}
      </Stack>
    </Stack>
  )
}
