/** The desk of a keeper: each scan hands a thing out or takes it back, and its result fills the screen. */

import { Cancel, CheckCircle, Close, CloudOff, PhotoCamera } from '@mui/icons-material'
import { Alert, AlertTitle, Badge, Button, Card, CardContent, Chip, Stack, TextField, Typography } from '@mui/material'
import { type FormEvent, useEffect, useState } from 'react'

import { newId } from '../../../api/new-id.ts'
import type { AssetReservation } from '../../../api/types.ts'
import { askForPersistence, usePersistence } from '../../../browser/persistence.ts'
import { timeIn } from '../../../i18n/format.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { ErrorNotice } from '../../../ui/Answer.tsx'
import { FullResult, type ResultTone, ResultWords } from '../../../ui/FullResult.tsx'
import { Scanner } from '../../../ui/Scanner.tsx'
import { allowSound, signal } from '../../../ui/signals.ts'
import { useHandheldScanner } from '../../../ui/use-handheld-scanner.ts'
import { useWakeLock } from '../../../ui/use-wake-lock.ts'
import { waitingWords } from '../../../ui/waiting-words.ts'
import { refusalOf } from '../scan-outbox.ts'
import { type HandoverOutbox, type Judged, useHandoverOutbox } from './handover-outbox.ts'
import { isGoodResult, resultWords } from './results.ts'
import { assetWith, taskOf, type TodayLists, useAssetsOf } from './use-desk.ts'
import { useBorrower, useZone } from './words.ts'

const words = texts({
  en: {
    intro:
      'Scan a thing. It is taken back if it is out. Otherwise it is handed out to the person who reserved it for today.',
    camera: 'Start scanning',
    stop: 'Stop the camera',
    code: 'Asset number, serial number or address',
    enter: 'Enter',
    forPerson: (person: string) => `Scanning for ${person}`,
    stopFor: 'Stop scanning for this person',
    next: 'Next',
    last: 'Last scans',
    to: (person: string) => `To ${person}`,
    from: (person: string) => `From ${person}`,
    due: (time: string) => `Due back: ${time}`,
    left: (n: number) => (n === 1 ? '1 thing is still to be handed out' : `${n} things are still to be handed out`),
    allOut: 'Everything was handed out',
    stillOut: (n: number) => (n === 1 ? '1 thing is still out' : `${n} things are still out`),
    allBack: 'Everything is back',
    instead: 'The other one is free again.',
    nobody: 'It is in no reservation of today',
    nobodyText: 'Choose “Scan for this” at a reservation, then scan it again.',
    loansText: 'Things that were lent without a reservation are taken back under Assets → Loans.',
    unavailableText: 'Somebody else has it or has reserved it.',
    refused: 'Not done',
    waits: 'Waiting for a connection',
    waitsText: 'The server decides about it when it is sent.',
    waitingText: 'Kept on this device, and sent as soon as there is a connection. The server decides about them then.',
    notTaken: (n: number) => (n === 1 ? '1 earlier scan was not accepted:' : `${n} earlier scans were not accepted:`),
    again: 'Send again',
    discard: 'Discard',
  },
  zh: {
    intro: '扫描物品：如有人借用则归还，否则借给今天预约了它的人。',
    camera: '开始扫码',
    stop: '关闭摄像头',
    code: '资产编号、序列号或链接',
    enter: '录入',
    forPerson: (person: string) => `正在为 ${person} 扫码`,
    stopFor: '不再为此人扫码',
    next: '下一个',
    last: '最近扫描',
    to: (person: string) => `借给 ${person}`,
    from: (person: string) => `${person} 归还`,
    due: (time: string) => `应还：${time}`,
    left: (n: number) => `还有 ${n} 件待借出`,
    allOut: '已全部借出',
    stillOut: (n: number) => `还有 ${n} 件未归还`,
    allBack: '已全部归还',
    instead: '原来的那件已重新空出。',
    nobody: '它不在今天的任何预约中',
    nobodyText: '请先在某个预约上选择“为此扫码”，再重新扫描。',
    loansText: '未经预约直接借出的物品，请在“资产 → 借还”中归还。',
    unavailableText: '它已被他人借用或预约。',
    refused: '未完成',
    waits: '等待联网',
    waitsText: '上传后由服务器判定。',
    waitingText: '已保存在本机，恢复网络后自动上传，届时由服务器判定。',
    notTaken: (n: number) => `之前有 ${n} 次扫描未被接受：`,
    again: '重新上传',
    discard: '丢弃',
  },
})

/** Milliseconds for which a good result is shown: the next thing is already there. A bad one stays until it is touched. */
const SHORT = 2_500
/** Results that stay in the list below the camera. */
const LAST = 5

interface Verdict {
  /** Distinguishes the same result for two things. */
  readonly key: string
  readonly tone: ResultTone
  readonly title: string
  readonly details: readonly string[]
}

interface DeskProps {
  orgId: number
  lists: TodayLists
  chosenId: number | undefined
  onChoose: (id: number | undefined) => void
}

export function Desk({ orgId, lists, chosenId, onChoose }: DeskProps) {
  const t = useTexts(words)
  const borrower = useBorrower()
  const verdictOf = useVerdictOf()
  const [isOn, setOn] = useState(false)
  const [typed, setTyped] = useState('')
  const [verdict, setVerdict] = useState<Verdict>()
  const [last, setLast] = useState<readonly Verdict[]>([])
  const { handOut, takeBack, later } = lists
  const assets = useAssetsOf([...handOut, ...takeBack, ...later])
  const chosen = handOut.find(({ id }) => id === chosenId)
  useWakeLock(isOn)

  const show = (next: Omit<Verdict, 'key'>) => {
    const shown = { key: newId(), ...next }
    setVerdict(shown)
    setLast((before) => [shown, ...before].slice(0, LAST))
    signal(next.tone !== 'bad')
  }
  const outbox = useHandoverOutbox(orgId, (judged) => {
    show(verdictOf(judged))
    // The next scans are for the same person, until nothing is left.
    const { handed, scan } = judged
    if (handed !== undefined && scan.action === 'pickUp')
      onChoose(countOf(handed, 'WAITING') > 0 ? handed.id : undefined)
  })
  const scan = (text: string) => {
    const code = text.trim()
    if (code === '') return
    askForPersistence()
    const asset = assetWith(code, assets ?? [])
    const task = taskOf(asset, lists, chosen)
    if (task === undefined)
      return show({ tone: 'bad', title: asset?.name ?? code, details: [t.nobody, t.nobodyText, t.loansText] })
    const { action, reservation } = task
    const label = [asset?.name ?? code, borrower(reservation)].join(' · ')
    outbox.add({ action, reservationId: reservation.id, orgId, code, label })
  }
  useHandheldScanner(scan)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    scan(typed)
    setTyped('')
  }
  return (
    <Card variant="outlined" sx={{ mb: 2 }}>
      <CardContent>
        <Stack spacing={2}>
          <Typography color="text.secondary">{t.intro}</Typography>
          {chosen && (
            <Chip
              color="primary"
              label={t.forPerson(borrower(chosen))}
              onDelete={() => onChoose(undefined)}
              deleteIcon={<Close aria-label={t.stopFor} />}
              sx={{ alignSelf: 'flex-start', maxWidth: '100%' }}
            />
          )}
          {isOn && <Scanner onCode={scan} isPaused={verdict?.tone === 'bad'} ignoresSame />}
          <Button
            variant={isOn ? 'outlined' : 'contained'}
            size="large"
            startIcon={<PhotoCamera />}
            onClick={() => {
              allowSound()
              setOn(!isOn)
            }}
          >
            {isOn ? t.stop : t.camera}
          </Button>
          <Stack component="form" direction="row" spacing={1} onSubmit={submit}>
            <TextField
              label={t.code}
              value={typed}
              onChange={({ target }) => setTyped(target.value)}
              sx={{ flex: 1 }}
              slotProps={{ htmlInput: { autoCapitalize: 'off', autoComplete: 'off' } }}
            />
            {/* It stays enabled: Enter in the field would do nothing otherwise. */}
            <Badge badgeContent={outbox.waiting.length} color="primary">
              <Button type="submit" variant="outlined">
                {t.enter}
              </Button>
            </Badge>
          </Stack>
          <Waiting outbox={outbox} />
          {last.length > 0 && <Last verdicts={last} />}
        </Stack>
      </CardContent>
      {verdict && <Shown key={verdict.key} verdict={verdict} onClose={() => setVerdict(undefined)} />}
    </Card>
  )
}

const countOf = ({ items }: AssetReservation, state: 'WAITING' | 'OUT'): number =>
  items.filter((item) => item.state === state).length

/** The result of a scan in words. */
function useVerdictOf(): (judged: Judged) => Omit<Verdict, 'key'> {
  const t = useTexts(words)
  const results = useTexts(resultWords)
  const borrower = useBorrower()
  const zone = useZone()
  return ({ scan, handed, error }) => {
    const result = handed?.results[0]
    if (error !== undefined) return { tone: 'bad', title: t.refused, details: [scan.label, (error as Error).message] }
    if (handed === undefined || result === undefined)
      return { tone: 'waits', title: t.waits, details: [scan.label, t.waitsText] }
    const item = handed.items.find(({ assetId }) => assetId === result.assetId)
    const name = item?.name ?? scan.label
    const person = borrower(handed)
    if (!isGoodResult(result.result)) {
      const why = result.result === 'UNAVAILABLE' ? t.unavailableText : ''
      return { tone: 'bad', title: results[result.result], details: [name, person, why] }
    }
    if (result.result === 'RETURNED') {
      const out = countOf(handed, 'OUT')
      return { tone: 'good', title: name, details: [t.from(person), out === 0 ? t.allBack : t.stillOut(out)] }
    }
    const left = countOf(handed, 'WAITING')
    const details = [
      t.to(person),
      ...(result.result === 'EXCHANGED' ? [results.EXCHANGED, t.instead] : []),
      t.due(timeIn(handed.to, zone)),
      left === 0 ? t.allOut : t.left(left),
    ]
    return { tone: 'good', title: name, details }
  }
}

function Shown({ verdict, onClose }: { verdict: Verdict; onClose: () => void }) {
  const t = useTexts(words)
  const { tone, title, details } = verdict
  useEffect(() => {
    if (tone === 'bad') return
    const timer = setTimeout(onClose, SHORT)
    return () => clearTimeout(timer)
    // oxlint-disable-next-line react/exhaustive-deps -- once for each verdict
  }, [tone])
  return (
    <FullResult tone={tone} next={t.next} onClose={onClose}>
      <ResultWords title={title} details={details.filter(Boolean)} />
    </FullResult>
  )
}

const ICONS = { good: CheckCircle, bad: Cancel, waits: CloudOff } as const
const COLORS = { good: 'success', bad: 'error', waits: 'info' } as const

/** The results of before, so that a keeper who looked away finds them again. */
function Last({ verdicts }: { verdicts: readonly Verdict[] }) {
  const t = useTexts(words)
  return (
    <div>
      <Typography variant="h3">{t.last}</Typography>
      <Stack component="ul" aria-label={t.last} sx={{ p: 0, m: 0, listStyle: 'none' }}>
        {verdicts.map(({ key, tone, title, details }) => {
          const Icon = ICONS[tone]
          return (
            <Stack component="li" key={key} direction="row" spacing={1} sx={{ py: 0.5, overflowWrap: 'anywhere' }}>
              <Icon fontSize="small" color={COLORS[tone]} />
              <Typography variant="body2">{[title, ...details].filter(Boolean).join(' · ')}</Typography>
            </Stack>
          )
        })}
      </Stack>
    </div>
  )
}

/** Waiting scans that are named, the newest ones. */
const NAMED = 10

function Waiting({ outbox: { waiting, refused, isLost, sendRefused, discard } }: { outbox: HandoverOutbox }) {
  const t = useTexts(words)
  const shared = useTexts(waitingWords)
  const isPersistent = usePersistence()
  return (
    <Stack spacing={1} aria-live="polite" sx={{ '&&:empty': { mt: 0 } }}>
      {isLost && waiting.length > 0 && (
        <Alert severity="info" icon={<CloudOff />} sx={{ overflowWrap: 'anywhere' }}>
          <AlertTitle>{shared.waiting(waiting.length)}</AlertTitle>
          {t.waitingText} {isPersistent === false && shared.mayGo}
          <Typography variant="body2">
            {waiting
              .slice(-NAMED)
              .toReversed()
              .map(({ body }) => body.label)
              .join(', ')}
            {waiting.length > NAMED && ' …'}
          </Typography>
        </Alert>
      )}
      {refused.length > 0 && (
        <Stack direction="row" spacing={1} sx={{ alignItems: 'center', justifyContent: 'space-between' }}>
          <Typography>{t.notTaken(refused.length)}</Typography>
          <Button onClick={sendRefused}>{t.again}</Button>
        </Stack>
      )}
      {refused.toReversed().map((entry) => (
        <div key={entry.id}>
          <Typography variant="body2" sx={{ overflowWrap: 'anywhere' }}>
            {entry.body.label}
          </Typography>
          <ErrorNotice error={refusalOf(entry)} />
          <Button color="inherit" onClick={() => discard(entry.id!)} aria-label={`${t.discard} ${entry.body.label}`}>
            {t.discard}
          </Button>
        </div>
      ))}
    </Stack>
  )
}
