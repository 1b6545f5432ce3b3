/** The gate of an activity on the phone of a volunteer: scan, see green or red, let in. */

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
import { type FormEvent, useState } from 'react'
import { useParams } from 'react-router'

import { useCall } from '../../../api/hooks.ts'
import type { GateDirection } from '../../../api/types.ts'
import { notify } from '../../../browser/notices.ts'
import { askForPersistence } from '../../../browser/persistence.ts'
import { number } from '../../../i18n/format.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { ReaderMissing, readPicture } from '../../../ui/code-reader.ts'
import { DialogButton } from '../../../ui/DialogButton.tsx'
import { FileButton } from '../../../ui/FileButton.tsx'
import { Page } from '../../../ui/Page.tsx'
import { readerWords } from '../../../ui/reader-words.ts'
import { Scanner } from '../../../ui/Scanner.tsx'
import { useHandheldScanner } from '../../../ui/use-handheld-scanner.ts'
import { useWakeLock } from '../../../ui/use-wake-lock.ts'
import { FindPass } from './FindPass.tsx'
import { LastScans } from './LastScans.tsx'
import { Notices, Preparation } from './Notices.tsx'
import { allowSound } from './signals.ts'
import { type Gate as GateOf, useGate } from './use-gate.ts'
import { VerdictCard } from './VerdictCard.tsx'

const words = texts({
  en: {
    title: 'Gate',
    titleOf: (name: string) => `Gate: ${name}`,
    start: 'Start scanning',
    intro:
      'Scan the pass of each visitor. Green: let in. Red: the reason is shown. Keep this page open while the gate is open.',
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
    title: '检票',
    titleOf: (name: string) => `检票：${name}`,
    start: '开始扫码',
    intro: '扫描每位来宾的通行证：绿色放行，红色显示原因。检票期间请保持此页面打开。',
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

export default function Gate() {
  const t = useTexts(words)
  const id = Number(useParams().id)
  const [direction, setDirection] = useState<GateDirection>('ENTRY')
  const [isStarted, setStarted] = useState(false)
  const gate = useGate(id, direction)
  // Volunteers who may only verify passes do not see every activity: its name is not needed.
  const activity = useCall('activities.get', { params: { id } })
  useHandheldScanner((content) => gate.scan({ content }))
  useWakeLock(isStarted)
  const start = () => {
    allowSound()
    askForPersistence()
    setStarted(true)
  }
  return (
    <Page
      title={activity.data ? t.titleOf(activity.data.name) : t.title}
      back={`/activities/${id}`}
      width="form"
      actions={<Connection gate={gate} />}
    >
      {isStarted ? (
        <Stack spacing={1.5}>
          <Stack direction="row" spacing={1} sx={{ alignItems: 'center', justifyContent: 'space-between' }}>
            <ToggleButtonGroup
              exclusive
              color="primary"
              value={direction}
              aria-label={t.direction}
              onChange={(_, next: GateDirection | null) => next && setDirection(next)}
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
            <Typography sx={{ fontWeight: 600, fontVariantNumeric: 'tabular-nums' }}>
              {t.admitted(number(gate.state.admitted))}
            </Typography>
          </Stack>
          <VerdictCard verdict={gate.verdict} isBusy={gate.isBusy} waiting={t.waiting} />
          <Scanner onCode={(content) => gate.scan({ content })} isPaused={gate.isBusy} ignoresSame />
          <Manual gate={gate} activityId={id} direction={direction} canFind={activity.data?.canManage === true} />
          <Notices gate={gate} />
          <LastScans gate={gate} activityId={id} />
        </Stack>
      ) : (
        <Card variant="outlined">
          <CardContent>
            <Stack spacing={2}>
              <Typography>{t.intro}</Typography>
              <Preparation gate={gate} />
              <Button variant="contained" size="large" startIcon={<QrCodeScanner />} onClick={start}>
                {t.start}
              </Button>
            </Stack>
          </CardContent>
        </Card>
      )}
    </Page>
  )
}

function Connection({ gate }: { gate: GateOf }) {
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

interface ManualProps {
  gate: GateOf
  activityId: number
  direction: GateDirection
  canFind: boolean
}

/** For passes that the camera cannot read. */
function Manual({ gate, activityId, direction, canFind }: ManualProps) {
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
      {canFind && (
        <DialogButton label={t.find} icon={<PersonSearch />} variant="text">
          {(close) => (
            <FindPass
              activityId={activityId}
              direction={direction}
              onFound={(passUuid) => {
                close()
                gate.scan({ passUuid })
              }}
              onClose={close}
            />
          )}
        </DialogButton>
      )}
    </Box>
  )
}
