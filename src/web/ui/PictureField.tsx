/** The picture of a user, group or organization, or the cover of something: shown, chosen, uploaded at once, and removed. */

import { AddPhotoAlternate, DeleteOutlined } from '@mui/icons-material'
import { Box, Button, LinearProgress, Stack } from '@mui/material'
import { useState } from 'react'

import { type FileType, uploadFile } from '../api/upload-file.ts'
import { texts, useTexts } from '../i18n/words.ts'
import { useMay } from '../session/session.ts'
import { ErrorNotice } from './Answer.tsx'
import { FileButton } from './FileButton.tsx'
import { Portrait } from './Portrait.tsx'

const words = texts({
  en: { choose: 'Choose picture', change: 'Change picture', remove: 'Remove picture', uploading: 'Uploading picture' },
  zh: { choose: '选择图片', change: '更换图片', remove: '移除图片', uploading: '正在上传图片' },
})

export interface PictureFieldProps {
  /** The picture that is shown now. */
  url: string | null
  /** Whose picture it is. Its first letter is shown while there is none. */
  name: string
  look: 'person' | 'organization' | 'cover'
  type: FileType
  /** The organization that owns the file; by default the user. */
  orgId?: number | undefined
  /** False: the picture can only be removed. */
  canChoose?: boolean
  /** Takes the id and address of the upload; null when the picture was removed. */
  onChange: (fileId: number | null, url: string | null) => void
  /** The choice is being saved. */
  isBusy?: boolean
  /** A refusal of the request that saves the choice. */
  error?: unknown
}

export function PictureField(props: PictureFieldProps) {
  const { url, name, look, type, orgId, canChoose = true, onChange, isBusy = false, error } = props
  const t = useTexts(words)
  const may = useMay()
  const [sent, setSent] = useState<number>()
  const [failure, setFailure] = useState<unknown>()
  const problem = failure ?? error ?? undefined
  const choose = async (file: File) => {
    setFailure(undefined)
    setSent(0)
    try {
      const { id, url: stored } = await uploadFile(file, { type, orgId, onProgress: setSent })
      onChange(id, stored)
    } catch (refusal) {
      setFailure(refusal)
    } finally {
      setSent(undefined)
    }
  }
  const isCover = look === 'cover'
  return (
    <Stack spacing={1}>
      {isCover && url !== null && (
        <Box
          component="img"
          src={url}
          alt={name}
          sx={{ width: '100%', maxHeight: 220, objectFit: 'cover', borderRadius: 1 }}
        />
      )}
      <Stack direction="row" spacing={isCover ? 1 : 2} useFlexGap sx={{ alignItems: 'center', flexWrap: 'wrap' }}>
        {!isCover && <Portrait name={name || '?'} url={url} size={72} isOrganization={look === 'organization'} />}
        {canChoose && may('files.upload') && (
          <FileButton
            variant="outlined"
            accept="image/*,.heic,.heif"
            startIcon={<AddPhotoAlternate />}
            loading={sent !== undefined || isBusy}
            onFiles={([file]) => file && void choose(file)}
          >
            {url === null ? t.choose : t.change}
          </FileButton>
        )}
        {url !== null && (
          <Button
            color="inherit"
            startIcon={<DeleteOutlined />}
            disabled={sent !== undefined || isBusy}
            onClick={() => onChange(null, null)}
          >
            {t.remove}
          </Button>
        )}
      </Stack>
      {sent !== undefined && <LinearProgress variant="determinate" value={sent * 100} aria-label={t.uploading} />}
      {problem !== undefined && <ErrorNotice error={problem} />}
    </Stack>
  )
}
