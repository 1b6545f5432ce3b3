/** An open gate, with or without an account: scan, see green or red, let in. */

import { CloudDone, CloudOff, Login, Logout, PersonSearch, PhotoCamera, QrCodeScanner } from '@mui/icons-material'
import {
  Box,
  Button,
  Card,
  CardContent,
  Chip,
  Stack,
  TextField,
  ToggleButton,
  ToggleButtonGroup,
  Typography,
} from '@mui/material'
import { type FormEvent, type ReactNode, useState } from 'react'

import type { GateDirection } from '../../../api/types.ts'
import { notify } from '../../../browser/notices.ts'
import { askForPersistence } from '../../../browser/persistence.ts'
import { labelled, number } from '../../../i18n/format.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { ReaderMissing, readPicture } from '../../../ui/code-reader.ts'
import { DialogButton } from '../../../ui/DialogButton.tsx'
import { ChoiceField } from '../../../ui/fields.tsx'
import { FileButton } from '../../../ui/FileButton.tsx'
import { readerWords } from '../../../ui/reader-words.ts'
import { Scanner } from '../../../ui/Scanner.tsx'
import { allowSound } from '../../../ui/signals.ts'
import { useHandheldScanner } from '../../../ui/use-handheld-scanner.ts'
import { useWakeLock } from '../../../ui/use-wake-lock.ts'
import { FindAtGate, FindPass } from './FindPass.tsx'
import type { KeptGate } from './gate-sessions.ts'
import type { ListChoice } from './gate-store.ts'
import { LastScans } from './LastScans.tsx'
import { Notices, Preparation } from './Notices.tsx'
import type { Gate } from './use-gate.ts'
import type { ListOption } from './use-list-choice.ts'
import { VerdictCard } from './VerdictCard.tsx'

const words = texts({
  en: {
    start: 'Start scanning',
    intro:
      'Scan the pass of each visitor. Green: let in. Red: the reason is shown. Keep this page open while the gate is open.',
    list: 'Check-in list',
    entrance: 'Entrance',
    direction: 'Direction',
    entry: 'Entry',
    exit: 'Exit',
    admitted: (n: string) => `Admitted: ${n}`,
    online: 'Connected',
    offline: 'No connection',
    typed: 'Link or text of the pass',
    check: 'Check',
    find: 'Find by name',
    picture: 'Take or choose a picture',
    none: 'No code was found in this picture. Take a sharper one.',
    waiting: 'Point the camera at a pass.',
  },
  zh: {
    start: '开始扫码',
    intro: '扫描每位来宾的通行证：绿色放行，红色显示原因。检票期间请保持此页面打开。',
    list: '签到名单',
    entrance: '入口',
    direction: '方向',
    entry: '入场',
    exit: '离场',
    admitted: (n: string) => `本机已放行：${n}`,
    online: '已连接',
    offline: '无网络',
    typed: '通行证链接或内容',
    check: '核验',
    find: '按姓名查找',
    picture: '拍照或选择图片',
    none: '图片中没有找到二维码，请重新拍摄清晰的图片。',
    waiting: '请将摄像头对准通行证。',
  },
})

export interface GateDeskProps {
  gate: Gate
  direction: GateDirection
  /** Undefined: the gate is for one direction. */
  onDirection: ((direction: GateDirection) => void) | undefined
  lists: readonly ListOption[]
  list: ListChoice | undefined
  onList: (id: number | null) => void
  /** Where passes are looked up by name; undefined if the gate may not. */
  find: { readonly activityId: number } | { readonly gate: KeptGate } | undefined
  /** How the last scans are undone; undefined if the gate may not. */
  undo: Parameters<typeof LastScans>[0]['undo']
  /** Called by the button that starts the gate. */
  onStart?: () => void
  /** The result of the last scan over the whole screen. */
  result?: ReactNode
}

/** Choices come first: volunteers set them once, and the verdict is then next to the camera. */
export function GateDesk(props: GateDeskProps) {
  const { gate, undo, result, onStart } = props
  const t = useTexts(words)
  const [isStarted, setStarted] = useState(false)
  useHandheldScanner((content) => gate.scan({ content }))
  useWakeLock(isStarted)
  const start = () => {
    allowSound()
    askForPersistence()
    onStart?.()
    setStarted(true)
  }
  if (!isStarted)
    return (
      <Card variant="outlined">
        <CardContent>
          <Stack spacing={2}>
            <Typography>{t.intro}</Typography>
            <ListField {...props} />
            <Preparation gate={gate} />
            <Button variant="contained" size="large" startIcon={<QrCodeScanner />} onClick={start}>
              {t.start}
            </Button>
          </Stack>
        </CardContent>
      </Card>
    )
  return (
    <Stack spacing={1.5}>
      <ListField {...props} />
      <Stack direction="row" spacing={1} sx={{ alignItems: 'center', justifyContent: 'space-between' }}>
        <Directions {...props} />
        <Typography sx={{ fontWeight: 600, fontVariantNumeric: 'tabular-nums' }}>
          {t.admitted(number(gate.state.admitted))}
        </Typography>
      </Stack>
      <VerdictCard verdict={gate.verdict} isBusy={gate.isBusy} waiting={t.waiting} isSilent={result !== undefined} />
      {result}
      <Scanner onCode={(content) => gate.scan({ content })} isPaused={gate.isBusy} ignoresSame />
      <Manual {...props} />
      <Notices gate={gate} />
      <LastScans gate={gate} undo={undo} />
    </Stack>
  )
}

/** The choice of the check-in list, or its name if there is no choice. */
function ListField({ lists, list, onList }: GateDeskProps) {
  const t = useTexts(words)
  if (lists.length < 2) return list && <Typography>{labelled(t.list, list.name)}</Typography>
  return (
    <ChoiceField
      label={t.list}
      value={list?.id ?? 0}
      onChange={(id) => onList(id === 0 ? null : id)}
      choices={lists.map(({ id, name }) => ({ id: id ?? 0, name: id === null ? t.entrance : name }))}
    />
  )
}

function Directions({ direction, onDirection }: GateDeskProps) {
  const t = useTexts(words)
  if (onDirection === undefined) return <Typography>{direction === 'ENTRY' ? t.entry : t.exit}</Typography>
  return (
    <ToggleButtonGroup
      exclusive
      color="primary"
      value={direction}
      aria-label={t.direction}
      onChange={(_, next: GateDirection | null) => next && onDirection(next)}
    >
      <ToggleButton value="ENTRY" sx={{ '&:not(.Mui-selected)': { color: 'text.primary' } }}>
        <Login fontSize="small" sx={{ mr: 1 }} />
        {t.entry}
      </ToggleButton>
      <ToggleButton value="EXIT" sx={{ '&:not(.Mui-selected)': { color: 'text.primary' } }}>
        <Logout fontSize="small" sx={{ mr: 1 }} />
        {t.exit}
      </ToggleButton>
    </ToggleButtonGroup>
  )
}

export function Connection({ gate }: { gate: Gate }) {
  const t = useTexts(words)
  return (
    <Chip
      component="output"
      variant="outlined"
      color={gate.isOnline ? 'success' : 'warning'}
      icon={gate.isOnline ? <CloudDone /> : <CloudOff />}
      label={gate.isOnline ? t.online : t.offline}
    />
  )
}

/** For passes that the camera cannot read. */
function Manual({ gate, direction, find }: GateDeskProps) {
  const t = useTexts(words)
  const shared = useTexts(readerWords)
  const [text, setText] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() === '') return
    gate.scan({ content: text.trim() })
    setText('')
  }
  // Without https, browsers give no camera to the page, but phones take a picture.
  const read = async ([file]: readonly File[]) => {
    try {
      const [content] = await readPicture(file!)
      if (content === undefined) notify(t.none, 'warning')
      else gate.scan({ content })
    } catch (error) {
      notify(error instanceof ReaderMissing ? shared.noReader : shared.noPicture, 'warning')
    }
  }
  return (
    <Box component="form" onSubmit={submit} sx={{ display: 'flex', gap: 1, flexWrap: 'wrap' }}>
      <TextField
        label={t.typed}
        value={text}
        autoComplete="off"
        onChange={({ target }) => setText(target.value)}
        sx={{ flex: '1 1 200px' }}
      />
      <Button type="submit" variant="outlined">
        {t.check}
      </Button>
      <FileButton accept="image/*" startIcon={<PhotoCamera />} onFiles={(files) => void read(files)}>
        {t.picture}
      </FileButton>
      {find && (
        <DialogButton label={t.find} icon={<PersonSearch />} variant="text">
          {(close) => {
            const onFound = (passUuid: string) => {
              close()
              gate.scan({ passUuid })
            }
            const props = { direction, onFound, onClose: close }
            return 'gate' in find ? <FindAtGate {...find} {...props} /> : <FindPass {...find} {...props} />
          }}
        </DialogButton>
      )}
    </Box>
  )
}
