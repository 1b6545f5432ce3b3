/** Scans codes and shows their contents. */

import { History, Image as ImageIcon, Keyboard } from '@mui/icons-material'
import {
  Box,
  Button,
  Card,
  CardContent,
  FormControlLabel,
  LinearProgress,
  Stack,
  Switch,
  TextField,
  Typography,
} from '@mui/material'
import { type DragEvent, useCallback, useEffect, useRef, useState } from 'react'
import { Link, useNavigate, useSearchParams } from 'react-router'

import { call } from '../../api/client.ts'
import { useRefresh } from '../../api/hooks.ts'
import { newId } from '../../api/new-id.ts'
import type { ResolvedScanRecord, ScanSource } from '../../api/types.ts'
import { notify } from '../../browser/notices.ts'
import { serverTime } from '../../browser/server-time.ts'
import { takeShared } from '../../browser/shared.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { ReaderMissing, readPicture } from '../../ui/code-reader.ts'
import { FormDialog } from '../../ui/dialogs.tsx'
import { FileButton } from '../../ui/FileButton.tsx'
import { Page } from '../../ui/Page.tsx'
import { readerWords } from '../../ui/reader-words.ts'
import { Scanner } from '../../ui/Scanner.tsx'
import { useForm } from '../../ui/use-form.tsx'
import { useHandheldScanner } from '../../ui/use-handheld-scanner.ts'
import { ScanResult, UnsavedScan } from './ScanResult.tsx'

const words = texts({
  en: {
    title: 'Scan',
    history: 'History',
    picture: 'Choose a picture',
    type: 'Type a code',
    several: 'Several in a row',
    severalHelp: 'The camera goes on after each code.',
    hint: 'You can also paste or drop a picture here, or use a handheld scanner.',
    noCode: 'No code was found in the picture. Crop it so that the code is large, and try again.',
    reading: 'Reading the picture',
    notShared: 'The picture or text did not arrive, or has more than 32 MB. Share it again.',
    typed: 'Content or number under the code',
    use: 'Use',
    nothing: 'The content of your scan is shown here.',
    results: 'Scanned',
  },
  zh: {
    title: '扫一扫',
    history: '历史',
    picture: '选择图片',
    type: '手动输入',
    several: '连续扫描',
    severalHelp: '扫到后摄像头继续工作。',
    hint: '也可以粘贴或拖入图片，或使用扫码枪。',
    noCode: '图片中没有找到二维码。请裁剪图片使二维码更大，再试一次。',
    reading: '正在识别图片',
    notShared: '分享的内容未能送达，或超过 32 MB。请重新分享。',
    typed: '内容或码下方的编号',
    use: '确定',
    nothing: '扫描结果会显示在这里。',
    results: '扫描结果',
  },
})

/** Results that stay on the page in a row of scans. */
const KEPT = 50

export default function ScanPage() {
  const t = useTexts(words)
  const may = useMay()
  const refresh = useRefresh()
  const [results, setResults] = useState<readonly Scan[]>([])
  const [isSeveral, setSeveral] = useState(false)
  const [isPaused, setPaused] = useState(false)
  const [isTyping, setTyping] = useState(false)
  const first = useRef<HTMLDivElement>(null)

  const scanned = useCallback(
    async (content: string, source: ScanSource) => {
      if (!isSeveral) setPaused(true)
      const scan: Scan = { key: newId(), content, source, scannedAt: serverTime(), ...(await save(content, source)) }
      setResults((before) => [scan, ...(isSeveral ? before : [])].slice(0, KEPT))
      void refresh('scanRecords', 'qrCodes')
    },
    // `refresh` is a new function at each drawing.
    // oxlint-disable-next-line react/exhaustive-deps
    [isSeveral],
  )
  const scannedPicture = useCallback((text: string) => scanned(text, 'IMAGE'), [scanned])
  const { read, isReading } = usePictures(scannedPicture)
  useHandheldScanner((text) => void scanned(text, 'MANUAL'), !isTyping)
  usePastedPictures(read)
  useShared(read)
  const saveAgain = async ({ key, content, source, scannedAt }: Scan) => {
    const saved = await save(content, source, scannedAt)
    setResults((now) => now.map((scan) => (scan.key === key ? { key, content, source, scannedAt, ...saved } : scan)))
    void refresh('scanRecords', 'qrCodes')
  }
  const newest = results[0]?.key
  useEffect(() => {
    // On phones the result is below the camera.
    if (newest !== undefined && !isSeveral) first.current?.focus({ preventScroll: false })
  }, [newest, isSeveral])

  const drop = (event: DragEvent) => {
    event.preventDefault()
    const files = picturesIn(event.dataTransfer)
    if (files.length > 0) void read(files)
  }
  const next = () => {
    setResults([])
    setPaused(false)
  }
  return (
    <Page
      title={t.title}
      actions={
        may('scanRecords.list') && (
          <Button startIcon={<History />} component={Link} to="/scan/history">
            {t.history}
          </Button>
        )
      }
    >
      <Box
        onDragOver={(event) => event.preventDefault()}
        onDrop={drop}
        sx={{
          display: 'grid',
          gap: { xs: 2, md: 3 },
          gridTemplateColumns: { md: 'minmax(0, 1fr) minmax(0, 1fr)' },
          alignItems: 'start',
        }}
      >
        <Stack spacing={1.5}>
          {/* After a scan, phones show the result instead of the camera. */}
          <Box sx={{ display: isPaused ? { xs: 'none', md: 'block' } : 'block' }}>
            <Scanner onCode={(text) => void scanned(text, 'CAMERA')} isPaused={isPaused} />
          </Box>
          <Ways
            onPictures={read}
            onType={() => setTyping(true)}
            isSeveral={isSeveral}
            onSeveral={(checked) => {
              setSeveral(checked)
              setPaused(false)
            }}
          />
          {isReading && <LinearProgress aria-label={t.reading} />}
          <Typography variant="body2" color="text.secondary">
            {isSeveral ? `${t.severalHelp} ` : ''}
            {t.hint}
          </Typography>
        </Stack>
        <Stack
          ref={first}
          tabIndex={-1}
          spacing={2}
          component="section"
          aria-label={t.results}
          aria-live="polite"
          sx={{ minWidth: 0, outline: 'none', order: { xs: isPaused ? -1 : 1, md: 1 } }}
        >
          {results.length === 0 ? (
            <NoResult />
          ) : (
            results.map((scan) => (
              <Result key={scan.key} scan={scan} onNext={isSeveral ? undefined : next} onSave={() => saveAgain(scan)} />
            ))
          )}
        </Stack>
      </Box>
      {isTyping && (
        <TypeDialog
          onClose={() => setTyping(false)}
          onText={(text) => {
            setTyping(false)
            void scanned(text, 'MANUAL')
          }}
        />
      )}
    </Page>
  )
}

/** A code that was read, with its record in the history or the reason why there is none. */
interface Scan {
  readonly key: string
  readonly content: string
  readonly source: ScanSource
  readonly scannedAt: number
  readonly record?: ResolvedScanRecord
  readonly error?: unknown
}

interface WaysProps {
  onPictures: (files: readonly File[]) => Promise<void>
  onType: () => void
  isSeveral: boolean
  onSeveral: (isSeveral: boolean) => void
}

/** The ways to scan other than the camera, and whether several codes are scanned in a row. */
function Ways({ onPictures, onType, isSeveral, onSeveral }: WaysProps) {
  const t = useTexts(words)
  return (
    <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap', alignItems: 'center' }}>
      <FileButton accept="image/*" multiple variant="outlined" startIcon={<ImageIcon />} onFiles={onPictures}>
        {t.picture}
      </FileButton>
      <Button variant="outlined" startIcon={<Keyboard />} onClick={onType}>
        {t.type}
      </Button>
      <FormControlLabel
        control={<Switch checked={isSeveral} onChange={({ target: { checked } }) => onSeveral(checked)} />}
        label={t.several}
        sx={{ ml: 0 }}
      />
    </Stack>
  )
}

function NoResult() {
  const t = useTexts(words)
  return (
    <Card sx={{ display: { xs: 'none', md: 'block' } }}>
      <CardContent>
        <Typography color="text.secondary">{t.nothing}</Typography>
      </CardContent>
    </Card>
  )
}

interface ResultProps {
  scan: Scan
  /** Undefined in a row of scans. */
  onNext: (() => void) | undefined
  onSave: () => Promise<void>
}

function Result({ scan: { record, content, error }, onNext, onSave }: ResultProps) {
  const next = onNext && { onNext }
  return record ? (
    <ScanResult record={record} {...next} />
  ) : (
    <UnsavedScan content={content} error={error} onSave={onSave} {...next} />
  )
}

async function save(content: string, source: ScanSource, scannedAt?: number): Promise<Pick<Scan, 'record' | 'error'>> {
  try {
    const body = { content, source, ...(scannedAt !== undefined && { scannedAt }) }
    return { record: await call('scanRecords.create', { body }) }
  } catch (error) {
    return { error }
  }
}

const picturesIn = (data: DataTransfer | null): File[] =>
  [...(data?.files ?? [])].filter(({ type }) => type.startsWith('image/'))

/** `read` calls `onText` with the content of each code in pictures. */
function usePictures(onText: (text: string) => Promise<void>) {
  const t = useTexts(words)
  const shared = useTexts(readerWords)
  const [isReading, setReading] = useState(false)
  const read = useCallback(
    async (files: readonly File[]) => {
      setReading(true)
      try {
        let count = 0
        for (const file of files)
          for (const text of await readPicture(file)) {
            await onText(text)
            count++
          }
        if (count === 0) notify(t.noCode, 'warning')
      } catch (error) {
        notify(error instanceof ReaderMissing ? shared.noReader : shared.noPicture, 'warning')
      } finally {
        setReading(false)
      }
    },
    [onText, t, shared],
  )
  return { read, isReading }
}

/** Calls `read` with pictures that are pasted anywhere on the page. */
function usePastedPictures(read: (files: readonly File[]) => Promise<void>): void {
  useEffect(() => {
    const onPaste = ({ clipboardData }: ClipboardEvent) => {
      const files = picturesIn(clipboardData)
      if (files.length > 0) void read(files)
    }
    document.addEventListener('paste', onPaste)
    return () => document.removeEventListener('paste', onPaste)
  }, [read])
}

/** Calls `read` with the pictures that another application has shared. A link or text becomes a new code. */
function useShared(read: (files: readonly File[]) => Promise<void>): void {
  const t = useTexts(words)
  const navigate = useNavigate()
  const [params] = useSearchParams()
  const key = params.get('shared')
  const taken = useRef<string>(null)
  useEffect(() => {
    if (key === null || taken.current === key) return
    taken.current = key
    const open = async () => {
      const { pictures = [], text = '', title = '' } = (await takeShared(key)) ?? {}
      if (pictures.length === 0 && text !== '')
        return void navigate('/codes/new', { replace: true, state: { shared: { text, title } } })
      void navigate('/scan', { replace: true })
      if (pictures.length > 0) await read(pictures)
      else notify(t.notShared, 'warning')
    }
    void open()
  }, [key, navigate, read, t])
}

interface TypeDialogProps {
  onText: (text: string) => void
  onClose: () => void
}

function TypeDialog({ onText, onClose }: TypeDialogProps) {
  const t = useTexts(words)
  const form = useForm('scanRecords.create', { content: '' })
  const text = form.values.content.trim()
  // The page records it, and shows it also if there is no connection.
  const submit = () => text !== '' && form.problem('content') === undefined && onText(text)
  return (
    <FormDialog form={{ ...form, submit }} title={t.type} action={t.use} maxWidth="xs" onClose={onClose}>
      <TextField
        {...form.text('content', { label: t.typed })}
        autoFocus
        slotProps={{ htmlInput: { autoCapitalize: 'none', spellCheck: false } }}
      />
    </FormDialog>
  )
}
