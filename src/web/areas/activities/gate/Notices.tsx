/** The state of a gate in words: whether it can go on without a connection, and which scans the server has not got. */

import { Alert, Button, Stack, Typography } from '@mui/material'
import { useState } from 'react'

import { ApiError } from '../../../api/errors.ts'
import { usePersistence } from '../../../browser/persistence.ts'
import { serverTime } from '../../../browser/server-time.ts'
import { dateTime } from '../../../i18n/format.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { ErrorNotice } from '../../../ui/Answer.tsx'
import { ConfirmDialog } from '../../../ui/dialogs.tsx'
import { waitingWords } from '../../../ui/waiting-words.ts'
import type { Gate } from './use-gate.ts'

const words = texts({
  en: {
    ready: (time: string, n: number) =>
      `If the connection is lost, this gate goes on by itself. It has the keys and the list of revoked passes (${n}) as of ${time}.`,
    old: (time: string) =>
      `This gate has the keys and the list of revoked passes of ${time}. Passes that were issued or revoked since then are judged wrongly without a connection. Connect it before you begin.`,
    notReady: 'Preparing for a lost connection…',
    cannot:
      'This browser cannot check passes without a connection. Use a current browser and the https:// address of this server.',
    noReader:
      'The code reader could not be loaded yet, so the camera would not read codes without a connection. Handheld scanners work. It is loaded again every 20 seconds.',
    working:
      'Passes are checked by their signature. Names are not shown. Scans are sent as soon as there is a connection.',
    stopped: 'Passes cannot be checked now. Wait for the connection.',
    refused: (n: number) =>
      n === 1
        ? 'The server did not take 1 scan, so it is not counted:'
        : `The server did not take ${n} scans, so they are not counted:`,
    again: 'Send again',
    discard: 'Discard',
    discardTitle: (n: number) => (n === 1 ? 'Discard 1 scan?' : `Discard ${n} scans?`),
    discardText:
      'They are deleted from this device and do not appear in “Scans at the gate”. The visitors stay let in. This cannot be undone.',
    noStorage:
      'This browser cannot keep scans: its storage is full or closed, as in a private window. Passes can be checked with a connection only.',
    doubles: (n: number) =>
      n === 1
        ? '1 pass was also used at another gate while there was no connection. See “Scans at the gate”.'
        : `${n} passes were also used at another gate while there was no connection. See “Scans at the gate”.`,
  },
  zh: {
    ready: (time: string, n: number) => `断网后可继续检票：已保存密钥和 ${n} 张作废通行证（${time}）。`,
    old: (time: string) =>
      `本机保存的密钥和作废名单是 ${time} 的，此后发放或作废的通行证在断网时会判断错误。请先联网更新再开始检票。`,
    notReady: '正在为断网做准备…',
    cannot: '此浏览器无法离线检票，请使用新版浏览器并通过 https:// 地址打开。',
    noReader: '识别组件尚未加载，断网时摄像头无法识别二维码，扫码枪可以使用。每 20 秒重试一次。',
    working: '正在通过签名核验通行证，不显示姓名；恢复网络后自动上传记录。',
    stopped: '现在无法核验通行证，请等待网络恢复。',
    refused: (n: number) => `服务器未接受 ${n} 条记录，未计入：`,
    again: '重新上传',
    discard: '丢弃',
    discardTitle: (n: number) => `丢弃 ${n} 条记录？`,
    discardText: '这些记录将从本机删除，不会出现在“检票记录”中；已放行的来宾不受影响。此操作无法撤销。',
    noStorage: '此浏览器无法保存记录：存储空间已满或不可用（例如无痕窗口）。只能联网核验通行证。',
    doubles: (n: number) => `断网期间有 ${n} 张通行证也在其他入口使用过，请查看“检票记录”。`,
  },
})

/** Milliseconds after which a preparation is called old: passes are often issued on the day itself. */
const OLD = 12 * 60 * 60_000

export function Preparation({ gate: { canWorkOffline, hasReader, state, isOnline, problem } }: { gate: Gate }) {
  const t = useTexts(words)
  const [now] = useState(serverTime)
  if (isOfStorage(problem)) return <Alert severity="error">{t.noStorage}</Alert>
  if (canWorkOffline && hasReader === false) return <Alert severity="warning">{t.noReader}</Alert>
  if (canWorkOffline && hasReader)
    return !isOnline && now - state.preparedAt > OLD ? (
      <Alert severity="warning">{t.old(dateTime(state.preparedAt))}</Alert>
    ) : (
      <Alert severity="success">{t.ready(dateTime(state.preparedAt), state.revoked)}</Alert>
    )
  return state.preparedAt === 0 || canWorkOffline ? (
    <Alert severity="info">{t.notReady}</Alert>
  ) : (
    <Alert severity="warning">{t.cannot}</Alert>
  )
}

/** The browser refuses its database, or does not answer. */
const isOfStorage = (problem: unknown): boolean => problem !== undefined && !(problem instanceof ApiError)

export function Notices({ gate }: { gate: Gate }) {
  const t = useTexts(words)
  const { waiting, refused, doubleUses } = gate.state
  const { problem } = gate
  const shared = useTexts(waitingWords)
  const isPersistent = usePersistence()
  return (
    <>
      {problem instanceof ApiError && <ErrorNotice error={problem} />}
      {isOfStorage(problem) && <Alert severity="error">{t.noStorage}</Alert>}
      {!gate.isOnline &&
        (gate.canWorkOffline ? (
          <>
            <Alert severity="warning">{t.working}</Alert>
            {!isOfStorage(problem) && <Preparation gate={gate} />}
          </>
        ) : (
          <Alert severity="error">{t.stopped}</Alert>
        ))}
      {waiting > 0 && (
        <Alert severity="info">
          {shared.waiting(waiting)}
          {isPersistent === false && <Typography variant="body2">{shared.mayGo}</Typography>}
        </Alert>
      )}
      {refused.length > 0 && <Refused gate={gate} />}
      {doubleUses > 0 && <Alert severity="error">{t.doubles(doubleUses)}</Alert>}
    </>
  )
}

/** Scans that the server did not take, each reason once. */
export function Refused({ gate }: { gate: Gate }) {
  const t = useTexts(words)
  const [isAsking, setAsking] = useState(false)
  const [isSending, setSending] = useState(false)
  const send = async () => {
    setSending(true)
    await gate.sendRefused()
    setSending(false)
  }
  const { refused } = gate.state
  return (
    <Alert severity="warning">
      {t.refused(refused.length)}
      {[...new Set(refused.map(({ refusal }) => refusal))].map((reason) => (
        <Typography key={reason} variant="body2">
          {reason}
        </Typography>
      ))}
      <Stack direction="row" spacing={1} sx={{ mt: 1 }}>
        <Button variant="outlined" color="inherit" loading={isSending} onClick={() => void send()}>
          {t.again}
        </Button>
        <Button color="error" onClick={() => setAsking(true)}>
          {t.discard}
        </Button>
      </Stack>
      <ConfirmDialog
        isOpen={isAsking}
        title={t.discardTitle(refused.length)}
        text={t.discardText}
        action={t.discard}
        onConfirm={() => {
          setAsking(false)
          void gate.discardRefused()
        }}
        onClose={() => setAsking(false)}
      />
    </Alert>
  )
}
