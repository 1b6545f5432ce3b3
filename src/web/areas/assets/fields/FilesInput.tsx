/** Photos and files of an asset: added from the camera or the disk, put in order, removed. Uploads begin when they are chosen. */

import { AddAPhoto, ArrowBack, ArrowForward, AttachFile, Delete, InsertDriveFile } from '@mui/icons-material'
import { Box, Card, Chip, IconButton, LinearProgress, Stack, Tooltip, Typography } from '@mui/material'
import { useState } from 'react'

import { bytes } from '../../../i18n/format.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { useOwnerQuery } from '../../../session/session.ts'
import { ErrorNotice } from '../../../ui/Answer.tsx'
import { FileButton } from '../../../ui/FileButton.tsx'
import { uploadFile } from '../uploads.ts'
import type { FileItem } from './model.ts'

const words = texts({
  en: {
    photo: 'Add photo',
    file: 'Add file',
    uploading: (name: string) => `Uploading ${name}`,
    cover: 'Cover',
    remove: (name: string) => `Remove ${name}`,
    earlier: (name: string) => `Move ${name} forward`,
    later: (name: string) => `Move ${name} back`,
    nth: (n: number) => `photo ${n}`,
    most: (n: number) => `At most ${n}. The first one is shown in lists.`,
    mostFiles: (n: number) => `At most ${n}.`,
  },
  zh: {
    photo: '添加照片',
    file: '添加文件',
    uploading: (name: string) => `正在上传 ${name}`,
    cover: '封面',
    remove: (name: string) => `移除${name}`,
    earlier: (name: string) => `将${name}前移`,
    later: (name: string) => `将${name}后移`,
    nth: (n: number) => `第 ${n} 张照片`,
    most: (n: number) => `最多 ${n} 张，第一张用作封面。`,
    mostFiles: (n: number) => `最多 ${n} 个。`,
  },
})

export interface FilesInputProps {
  label: string
  value: readonly FileItem[]
  onChange: (files: (files: readonly FileItem[]) => readonly FileItem[]) => void
  /** Pictures, shown as such. Otherwise any files, shown by their names. */
  isPhotos: boolean
  max: number
  accept?: string | undefined
  /** Marks the first photo as the one that lists show. */
  hasCover?: boolean
  /** Files can neither be added nor removed. */
  disabled?: boolean
  error?: string | undefined
  help?: string | undefined
}

export function FilesInput(props: FilesInputProps) {
  const { label, value, onChange, isPhotos, max, accept, hasCover = false, disabled = false, error, help } = props
  const t = useTexts(words)
  const owned = useOwnerQuery()
  const [sending, setSending] = useState<readonly { readonly name: string; readonly part: number }[]>([])
  const [problem, setProblem] = useState<unknown>(null)

  const add = async (files: readonly File[]) => {
    setProblem(null)
    for (const file of files.slice(0, max - value.length)) {
      const report = (part: number) =>
        setSending((all) => [...all.filter(({ name }) => name !== file.name), { name: file.name, part }])
      report(0)
      try {
        const stored = await uploadFile(file, owned, report)
        onChange((all) => [...all, stored])
      } catch (refusal) {
        setProblem(refusal)
      }
      setSending((all) => all.filter(({ name }) => name !== file.name))
    }
  }
  const remove = (fileId: number) => onChange((all) => all.filter((file) => file.fileId !== fileId))
  const swap = (i: number, j: number) => onChange((all) => all.with(i, all[j]!).with(j, all[i]!))

  return (
    <Box component="fieldset" sx={{ border: 0, p: 0, m: 0, minWidth: 0 }}>
      <Typography
        component="legend"
        variant="body2"
        color={error === undefined ? 'text.secondary' : 'error'}
        sx={{ mb: 1, p: 0 }}
      >
        {label}
      </Typography>
      {isPhotos ? (
        <Box sx={{ display: 'grid', gap: 1, gridTemplateColumns: 'repeat(auto-fill, minmax(130px, 1fr))' }}>
          {value.map((file, i) => (
            <PhotoCard
              key={file.fileId}
              file={file}
              nth={i + 1}
              isCover={hasCover && i === 0}
              onEarlier={i === 0 ? undefined : () => swap(i, i - 1)}
              onLater={i === value.length - 1 ? undefined : () => swap(i, i + 1)}
              onRemove={() => remove(file.fileId)}
              disabled={disabled}
            />
          ))}
        </Box>
      ) : (
        <Stack spacing={0.5}>
          {value.map((file) => (
            <FileRow key={file.fileId} file={file} onRemove={() => remove(file.fileId)} disabled={disabled} />
          ))}
        </Stack>
      )}
      {sending.map(({ name, part }) => (
        <Box key={name} sx={{ my: 1 }}>
          <Typography variant="body2">{t.uploading(name)}</Typography>
          <LinearProgress
            variant={part < 1 ? 'determinate' : 'indeterminate'}
            value={part * 100}
            aria-label={t.uploading(name)}
          />
        </Box>
      ))}
      {problem !== null && <ErrorNotice error={problem} />}
      <Stack direction="row" spacing={1} useFlexGap sx={{ alignItems: 'center', flexWrap: 'wrap', mt: 1 }}>
        {value.length < max && (
          <FileButton
            variant="outlined"
            startIcon={isPhotos ? <AddAPhoto /> : <AttachFile />}
            accept={accept ?? (isPhotos ? 'image/*' : undefined)}
            multiple
            disabled={disabled || sending.length > 0}
            onFiles={(files) => void add(files)}
          >
            {isPhotos ? t.photo : t.file}
          </FileButton>
        )}
        <Typography variant="caption" color={error === undefined ? 'text.secondary' : 'error'}>
          {error ?? help ?? (hasCover ? t.most(max) : t.mostFiles(max))}
        </Typography>
      </Stack>
    </Box>
  )
}

interface FileProps {
  file: FileItem
  onRemove: () => void
  disabled: boolean
}

interface PhotoProps extends FileProps {
  /** From 1. */
  nth: number
  isCover: boolean
  /** Undefined for the first photo. */
  onEarlier: (() => void) | undefined
  /** Undefined for the last photo. */
  onLater: (() => void) | undefined
}

function PhotoCard({ file, nth, isCover, onEarlier, onLater, onRemove, disabled }: PhotoProps) {
  const t = useTexts(words)
  const name = t.nth(nth)
  return (
    <Card sx={{ position: 'relative' }}>
      <Box
        component="img"
        src={file.thumbnailUrl ?? file.url}
        alt={name}
        sx={{ width: '100%', aspectRatio: '4 / 3', objectFit: 'cover', display: 'block' }}
      />
      {isCover && (
        <Chip
          size="small"
          color="primary"
          label={t.cover}
          sx={{ position: 'absolute', top: 6, left: 6, pointerEvents: 'none' }}
        />
      )}
      <Stack direction="row" sx={{ justifyContent: 'space-between' }}>
        <IconButton aria-label={t.earlier(name)} disabled={disabled || onEarlier === undefined} onClick={onEarlier}>
          <ArrowBack fontSize="small" />
        </IconButton>
        <IconButton aria-label={t.remove(name)} disabled={disabled} onClick={onRemove}>
          <Delete fontSize="small" />
        </IconButton>
        <IconButton aria-label={t.later(name)} disabled={disabled || onLater === undefined} onClick={onLater}>
          <ArrowForward fontSize="small" />
        </IconButton>
      </Stack>
    </Card>
  )
}

function FileRow({ file, onRemove, disabled }: FileProps) {
  const t = useTexts(words)
  const name = file.name ?? ''
  return (
    <Stack direction="row" spacing={1} sx={{ alignItems: 'center' }}>
      <InsertDriveFile fontSize="small" color="action" />
      <Typography sx={{ flex: 1, minWidth: 0, overflowWrap: 'anywhere' }}>{file.name}</Typography>
      <Typography variant="body2" color="text.secondary">
        {file.size === undefined ? '' : bytes(file.size)}
      </Typography>
      <Tooltip title={disabled ? '' : t.remove(name)}>
        <IconButton aria-label={t.remove(name)} disabled={disabled} onClick={onRemove}>
          <Delete fontSize="small" />
        </IconButton>
      </Tooltip>
    </Stack>
  )
}
