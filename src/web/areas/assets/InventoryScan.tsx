/** Scans assets into a stock-taking: with the camera, a handheld scanner or by typing. */

import { CheckCircle, HelpOutlined, Keyboard, PhotoCamera, ReportProblem, WrongLocation } from '@mui/icons-material'
import {
  Alert,
  AlertTitle,
  Badge,
  Box,
  Button,
  Card,
  CardContent,
  Collapse,
  Stack,
  TextField,
  Typography,
} from '@mui/material'
import { type FormEvent, useRef, useState } from 'react'
import { Link } from 'react-router'

import { call } from '../../api/client.ts'
import { ApiError } from '../../api/errors.ts'
import { useRefresh } from '../../api/hooks.ts'
import { newId } from '../../api/new-id.ts'
import type { AssetCondition, Inventory, InventoryScan as Scan } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ownerQuery, useMay, useSession } from '../../session/session.ts'
import { ErrorNotice } from '../../ui/Answer.tsx'
import { ChoiceField } from '../../ui/fields.tsx'
import { Scanner } from '../../ui/Scanner.tsx'
import { useHandheldScanner } from '../../ui/use-handheld-scanner.ts'
import { FilesInput } from './fields/FilesInput.tsx'
import type { FileItem } from './fields/model.ts'
import { LocationPicker } from './inputs.tsx'
import { CONDITIONS, useCondition } from './words.ts'

const words = texts({
  en: {
    ...common.en,
    title: 'Scan',
    camera: 'Use the camera',
    stop: 'Stop the camera',
    location: 'Where you are',
    locationHelp: 'Kept for the next scans.',
    code: 'Asset number, serial number or address',
    enter: 'Enter',
    details: 'Condition, note, photo',
    condition: 'Condition',
    any: 'Not recorded',
    note: 'Note',
    photo: 'Photo',
    detailsHelp: 'Recorded with the next scan.',
    found: (name: string) => `${name}: found`,
    again: (name: string) => `${name} was already scanned`,
    misplaced: (name: string) => `${name} belongs to another place`,
    unexpected: (name: string) => `${name} was not expected here`,
    unknown: (code: string) => `“${code}” is no asset of this register`,
    unknownText: 'No asset has this number or serial number. Nothing was recorded.',
    unknownLink: 'This code is not the label of one of these assets. Nothing was recorded.',
    openLink: 'Open the link',
    find: 'Search the assets',
    register: 'Add asset',
  },
  zh: {
    ...common.zh,
    title: '扫描',
    camera: '使用摄像头',
    stop: '关闭摄像头',
    location: '所在位置',
    locationHelp: '后续扫描沿用此位置。',
    code: '资产编号、序列号或链接',
    enter: '录入',
    details: '状况、备注、照片',
    condition: '状况',
    any: '不记录',
    note: '备注',
    photo: '照片',
    detailsHelp: '随下一次扫描一起记录。',
    found: (name: string) => `${name}：已找到`,
    again: (name: string) => `${name} 已扫描过`,
    misplaced: (name: string) => `${name} 的登记位置不在此处`,
    unexpected: (name: string) => `${name} 不在盘点范围内`,
    unknown: (code: string) => `台账中没有“${code}”`,
    unknownText: '没有资产使用此编号或序列号，本次扫描未记录。',
    unknownLink: '这不是本台账中资产的标签，本次扫描未记录。',
    openLink: '打开链接',
    find: '搜索资产',
    register: '登记资产',
  },
})

/** The parts of the next scan. */
interface Next {
  readonly code: string
  readonly locationId: number | null
  readonly condition: AssetCondition | null
  readonly note: string
  readonly photos: readonly FileItem[]
}

const EMPTY: Next = { code: '', locationId: null, condition: null, note: '', photos: [] }

export function InventoryScan({ inventory }: { inventory: Inventory }) {
  const t = useTexts(words)
  const { workspace } = useSession()
  const [isOn, setOn] = useState(false)
  const [next, setNext] = useState(EMPTY)
  const set = (part: Partial<Next>) => setNext((now) => ({ ...now, ...part }))
  const [results, setResults] = useState<readonly Answered[]>([])
  const [waiting, setWaiting] = useState(0)
  const queue = useRef(Promise.resolve())
  const refresh = useRefresh()

  /** Sends scans one after the other: a handheld scanner is faster than the server's answers. */
  const send = (text: string, isTyped = false) => {
    const typed = text.trim()
    if (typed === '') return
    const { locationId, condition, note, photos } = next
    const [photo] = photos
    const body = {
      code: typed,
      note,
      ...(locationId !== null && { locationId }),
      ...(condition !== null && { condition }),
      ...(photo !== undefined && { photoFileId: photo.fileId }),
    }
    // They belong to this scan, not to one that follows before the answer.
    setNext({ ...EMPTY, locationId })
    setWaiting((n) => n + 1)
    const answerOf = async (): Promise<Pick<Answered, 'scan' | 'error'>> => {
      try {
        return { scan: await call('inventories.scan', { params: { id: inventory.id }, query: ownerQuery(), body }) }
      } catch (error) {
        setNext((now) => ({
          ...now,
          code: now.code || (isTyped ? typed : ''),
          note: now.note || note,
          condition: now.condition ?? condition,
          photos: now.photos.length === 0 ? photos : now.photos,
        }))
        return { error }
      }
    }
    const sendAfter = async (before: Promise<void>) => {
      await before
      const answer = await answerOf()
      setResults((now) => [{ id: newId(), code: typed, ...answer }, ...now].slice(0, SHOWN))
      setWaiting((n) => n - 1)
      void refresh('inventories')
    }
    queue.current = sendAfter(queue.current)
  }
  useHandheldScanner((text) => send(text))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    send(next.code, true)
  }
  return (
    <Card variant="outlined">
      <CardContent>
        <Stack spacing={2}>
          <Typography variant="h2">{t.title}</Typography>
          {workspace !== null && (
            <LocationPicker
              label={t.location}
              help={t.locationHelp}
              value={next.locationId}
              onChange={(locationId) => set({ locationId })}
            />
          )}
          {isOn && <Scanner onCode={(text) => send(text)} />}
          <Button
            variant={isOn ? 'outlined' : 'contained'}
            size="large"
            startIcon={<PhotoCamera />}
            onClick={() => setOn(!isOn)}
          >
            {isOn ? t.stop : t.camera}
          </Button>
          <Stack component="form" direction="row" spacing={1} onSubmit={submit}>
            <TextField
              label={t.code}
              value={next.code}
              onChange={(event) => set({ code: event.target.value })}
              sx={{ flex: 1 }}
              slotProps={{ htmlInput: { autoCapitalize: 'off', autoComplete: 'off' } }}
            />
            {/* It stays enabled: Enter in the field would do nothing otherwise. */}
            <Badge badgeContent={waiting} color="primary">
              <Button type="submit" variant="outlined">
                {t.enter}
              </Button>
            </Badge>
          </Stack>
          <Stack spacing={1} aria-live="assertive">
            {results.map(({ id, code: scanned, scan, error }) => (
              <Box key={id}>
                {scan === undefined ? <Refused code={scanned} error={error} /> : <Result scan={scan} />}
              </Box>
            ))}
          </Stack>
          <Details next={next} onChange={setNext} />
        </Stack>
      </CardContent>
    </Card>
  )
}

interface DetailsProps {
  next: Next
  onChange: (change: (now: Next) => Next) => void
}

function Details({ next: { condition, note, photos }, onChange }: DetailsProps) {
  const t = useTexts(words)
  const word = useCondition()
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button
        size="small"
        startIcon={<Keyboard />}
        sx={{ alignSelf: 'flex-start' }}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {t.details}
      </Button>
      <Collapse in={isOpen} unmountOnExit>
        <Stack spacing={2}>
          <Typography variant="body2" color="text.secondary">
            {t.detailsHelp}
          </Typography>
          <ChoiceField
            label={t.condition}
            value={condition}
            none={t.any}
            choices={CONDITIONS.map((id) => ({ id, name: word(id) }))}
            onChange={(chosen) => onChange((now) => ({ ...now, condition: chosen }))}
          />
          <TextField
            label={t.note}
            multiline
            value={note}
            onChange={({ target }) => onChange((now) => ({ ...now, note: target.value }))}
          />
          <FilesInput
            label={t.photo}
            isPhotos
            max={1}
            value={photos}
            onChange={(change) => onChange((now) => ({ ...now, photos: change(now.photos) }))}
          />
        </Stack>
      </Collapse>
    </>
  )
}

/** Answers that stay on the screen, newest first. */
const SHOWN = 3

interface Answered {
  readonly id: string
  readonly code: string
  readonly scan?: Scan
  readonly error?: unknown
}

/** A scan that was not recorded. */
function Refused({ code, error }: { code: string; error: unknown }) {
  const t = useTexts(words)
  const may = useMay()
  if (!(error instanceof ApiError && error.status === 404))
    return (
      <>
        <Typography variant="body2" sx={{ overflowWrap: 'anywhere' }}>
          {code}
        </Typography>
        <ErrorNotice error={error} />
      </>
    )
  const isLink = /^https?:\/\/\S+$/i.test(code)
  return (
    <Alert severity="warning" icon={<HelpOutlined />} sx={{ '& .MuiAlert-message': { minWidth: 0, flex: 1 } }}>
      <AlertTitle sx={{ overflowWrap: 'anywhere' }}>{t.unknown(code)}</AlertTitle>
      {isLink ? t.unknownLink : t.unknownText}
      <Stack direction="row" useFlexGap sx={{ flexWrap: 'wrap', mx: -1 }}>
        {isLink ? (
          <Button color="inherit" href={code} target="_blank" rel="noopener noreferrer">
            {t.openLink}
          </Button>
        ) : (
          <>
            <Button color="inherit" component={Link} to={`/assets?keyword=${encodeURIComponent(code)}`}>
              {t.find}
            </Button>
            {may('assets.create') && (
              <Button color="inherit" component={Link} to={`/assets/new?assetNo=${encodeURIComponent(code)}`}>
                {t.register}
              </Button>
            )}
          </>
        )}
      </Stack>
    </Alert>
  )
}

function Result({ scan: { result, repeated, asset } }: { scan: Scan }) {
  const t = useTexts(words)
  const name = `${asset.name} (${asset.assetNo})`
  const open = (
    <Button color="inherit" component={Link} to={`/assets/${asset.id}`} aria-label={`${t.open} ${name}`}>
      {t.open}
    </Button>
  )
  if (result === 'MISPLACED')
    return (
      <Alert severity="warning" icon={<WrongLocation />} action={open}>
        {t.misplaced(name)}
      </Alert>
    )
  if (result === 'UNEXPECTED')
    return (
      <Alert severity="warning" icon={<ReportProblem />} action={open}>
        {t.unexpected(name)}
      </Alert>
    )
  return (
    <Alert severity="success" icon={<CheckCircle />}>
      {repeated ? t.again(name) : t.found(name)}
    </Alert>
  )
}
