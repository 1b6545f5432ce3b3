/** Uploads a backup in parts. If the connection breaks, the same file goes on where it stopped. */

import { UploadFile } from '@mui/icons-material'
import { useState } from 'react'

import { callWith, upload } from '../../api/client.ts'
import { ApiError } from '../../api/errors.ts'
import { useRefresh } from '../../api/hooks.ts'
import type { Backup } from '../../api/types.ts'
import { notify } from '../../browser/notices.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { FileButton } from '../../ui/FileButton.tsx'

const words = texts({
  en: {
    upload: 'Upload a backup',
    uploading: (percent: number) => `Uploading: ${percent} %`,
    done: 'The backup is uploaded and being verified.',
    again: (reason: string) => `${reason} Choose the same file again: the upload goes on where it stopped.`,
  },
  zh: {
    upload: '上传备份',
    uploading: (percent: number) => `正在上传：${percent}%`,
    done: '备份已上传，正在校验。',
    again: (reason: string) => `${reason} 再次选择同一文件即可从中断处继续上传。`,
  },
})

/** Bytes of a part. A broken connection loses at most one part. */
const PART = 16 * 1024 * 1024

/** A name that the server accepts, for copies that a browser has called `backup.tar (1).zst`. */
const nameOf = (file: File): string => {
  const ending = file.name.endsWith('.gz') ? '.tar.gz' : '.tar.zst'
  const start = file.name.replace(/(?:\.tar)?[^.]*\.(?:zst|gz)$/, '').replaceAll(/[^\w.-]+/g, '-')
  return `${/^[A-Za-z0-9]/.test(start) ? start : `backup${start}`}`.slice(0, 110) + ending
}

/** The number of bytes that the server has. */
async function received(name: string): Promise<number> {
  try {
    const { state, bytes } = (await callWith('backups.get', { params: { name } }, { isFresh: true })) as Backup
    return state === 'UPLOADING' ? (bytes ?? 0) : 0
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return 0
    throw error
  }
}

async function send(file: File, onProgress: (fraction: number) => void): Promise<void> {
  const name = nameOf(file)
  let start = await received(name)
  do {
    const part = file.slice(start, start + PART)
    const from = start
    const headers = {
      'content-type': 'application/octet-stream',
      ...(file.size > 0 && { 'content-range': `bytes ${from}-${from + part.size - 1}/${file.size}` }),
    }
    await upload('backups.upload', {
      params: { name },
      form: part,
      headers,
      onProgress: (fraction) => onProgress((from + fraction * part.size) / file.size),
    })
    start += part.size
  } while (start < file.size)
}

export function UploadButton() {
  const t = useTexts(words)
  const may = useMay()
  const refresh = useRefresh()
  const [fraction, setFraction] = useState<number>()
  if (!may('backups.upload')) return null
  const start = async (file: File) => {
    setFraction(0)
    try {
      await send(file, setFraction)
      notify(t.done, 'success')
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      notify(error.status === 0 || error.status >= 500 ? t.again(error.text) : error.text, 'error')
    } finally {
      setFraction(undefined)
      await refresh('backups')
    }
  }
  const percent = Math.round((fraction ?? 0) * 100)
  return (
    <FileButton
      startIcon={<UploadFile />}
      accept=".zst,.gz"
      loading={fraction !== undefined}
      onFiles={([file]) => file && void start(file)}
    >
      {fraction === undefined ? t.upload : t.uploading(percent)}
    </FileButton>
  )
}
