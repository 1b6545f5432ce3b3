/** The gate of an activity on the phone of a volunteer: scan, see green or red, let in. */

import { CloudDone, CloudOff, Login, Logout, PersonSearch, QrCodeScanner } from '@mui/icons-material'
import {
  Alert,
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
import { clockTime, number } from '../../../i18n/format.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { ErrorNotice } from '../../../ui/Answer.tsx'
import { Page } from '../../../ui/Page.tsx'
import { Scanner } from '../../../ui/Scanner.tsx'
import { useHandheldScanner } from '../../../ui/use-handheld-scanner.ts'
import { useWakeLock } from '../../../ui/use-wake-lock.ts'
import { FindPass } from './FindPass.tsx'
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
    admitted: (n: string) => `Let in here: ${n}`,
    online: 'Connected',
    offline: 'No connection',
    ready: (time: string, n: number) =>
      `If the connection is lost, this gate goes on by itself. It has the keys and the list of revoked passes (${n}) of ${time}.`,
    notReady: 'Preparing for a lost connection…',
    cannot:
      'This browser cannot check passes without a connection. Use a current browser and the https:// address of this server.',
    working:
      'Passes are checked by their signature. Names are not shown. Scans are sent as soon as there is a connection.',
    stopped: 'Passes cannot be checked now. Wait for the connection.',
    queue: (n: number) => (n === 1 ? '1 scan waits to be sent' : `${n} scans wait to be sent`),
    doubles: (n: number) =>
      n === 1
        ? '1 pass was also used at another gate while there was no connection. See “Scans at the gate”.'
        : `${n} passes were also used at another gate while there was no connection. See “Scans at the gate”.`,
    typed: 'Link or text of the pass',
    check: 'Check',
    find: 'Find by name',
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
    ready: (time: string, n: number) => `断网后可继续检票：已保存密钥和 ${n} 张作废通行证（${time}）。`,
    notReady: '正在为断网做准备…',
    cannot: '此浏览器无法离线检票，请使用新版浏览器并通过 https:// 地址打开。',
    working: '正在通过签名核验通行证，不显示姓名；恢复网络后自动上传记录。',
    stopped: '现在无法核验通行证，请等待网络恢复。',
    queue: (n: number) => `${n} 条记录待上传`,
    doubles: (n: number) => `断网期间有 ${n} 张通行证也在其他入口使用过，请查看“检票记录”。`,
    typed: '通行证链接或内容',
    check: '核验',
    find: '按姓名查找',
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
    setStarted(true)
  }
  return (
    <Page
      title={activity.data ? t.titleOf(activity.data.name) : t.title}
      back={`/activities/${id}`}
      width={640}
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
          <Manual gate={gate} activityId={id} canFind={activity.data?.canManage === true} />
          <Notices gate={gate} />
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

function Preparation({ gate: { canWorkOffline, state } }: { gate: GateOf }) {
  const t = useTexts(words)
  if (canWorkOffline)
    return <Alert severity="success">{t.ready(clockTime(state.preparedAt), state.revoked.length)}</Alert>
  return state.preparedAt === 0 ? (
    <Alert severity="info">{t.notReady}</Alert>
  ) : (
    <Alert severity="warning">{t.cannot}</Alert>
  )
}

function Notices({ gate }: { gate: GateOf }) {
  const t = useTexts(words)
  const { queue, doubleUses } = gate.state
  return (
    <>
      {gate.problem !== undefined && <ErrorNotice error={gate.problem} />}
      {!gate.isOnline && (
        <Alert severity={gate.canWorkOffline ? 'warning' : 'error'}>
          {gate.canWorkOffline ? t.working : t.stopped}
        </Alert>
      )}
      {queue.length > 0 && <Alert severity="info">{t.queue(queue.length)}</Alert>}
      {doubleUses > 0 && <Alert severity="error">{t.doubles(doubleUses)}</Alert>}
    </>
  )
}

/** For passes that the camera cannot read. */
function Manual({ gate, activityId, canFind }: { gate: GateOf; activityId: number; canFind: boolean }) {
  const t = useTexts(words)
  const [text, setText] = useState('')
  const [isFinding, setFinding] = useState(false)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() === '') return
    gate.scan({ content: text.trim() })
    setText('')
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
      {canFind && (
        <Button startIcon={<PersonSearch />} onClick={() => setFinding(true)}>
          {t.find}
        </Button>
      )}
      {isFinding && (
        <FindPass
          activityId={activityId}
          onFound={(passUuid) => {
            setFinding(false)
            gate.scan({ passUuid })
          }}
          onClose={() => setFinding(false)}
        />
      )}
    </Box>
  )
}
