/**
 * The gate for helpers without an account: `/console/gate#<secret>`. The secret is taken out of the address at once. Later visits open the gate
 * that this browser has opened last.
 */

import { Box, Button, Card, CardContent, Stack, TextField, Typography } from '@mui/material'
import { useEffect, useMemo, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'

import { ApiError } from '../../../api/errors.ts'
import type { GateDirection, GateSession } from '../../../api/types.ts'
import { keepForGate } from '../../../browser/database.ts'
import { dateTime } from '../../../i18n/format.ts'
import { switchLocale } from '../../../i18n/locale.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { registerWorkerLater } from '../../../session/service-worker.ts'
import { ErrorNotice } from '../../../ui/Answer.tsx'
import { Page } from '../../../ui/Page.tsx'
import { useForm } from '../../../ui/use-form.tsx'
import { EndedGate } from './EndedGate.tsx'
import { gateOfLink, undoAtGate } from './gate-server.ts'
import { deviceName, forgetGate, keepState, type KeptGate, keptGates, openGate } from './gate-sessions.ts'
import { GateStore } from './gate-store.ts'
import { Connection, GateDesk } from './GateDesk.tsx'
import { Result } from './Result.tsx'
import { useGate } from './use-gate.ts'
import { ENTRANCE, type ListOption, useListChoice, usePreparedLists } from './use-list-choice.ts'
// Registers what sends the scans.
import './outbox.ts'

const words = texts({
  en: {
    language: '中文',
    title: 'Gate',
    text: 'With this device you can scan passes of an activity. You need no account.',
    name: 'Name of this device',
    nameHelp: 'The organizer sees it, for example: Lin, back door',
    open: 'Open the gate',
    wrong: 'This link is wrong or has ended. Ask the organizer for a new one.',
    none: 'No gate is open on this device',
    noneText: 'Scan the QR code that the organizer shows you, or open the link that you were sent.',
    until: (time: string) => `Open until ${time}`,
  },
  zh: {
    language: 'English',
    title: '检票',
    text: '可以用本设备为一个活动检票，无需账号。',
    name: '本设备名称',
    nameHelp: '主办方可以看到，例如：小林，后门',
    open: '打开检票口',
    wrong: '链接有误或已失效，请向主办方索取新链接。',
    none: '本设备没有打开的检票口',
    noneText: '请扫描主办方出示的二维码，或打开收到的链接。',
    until: (time: string) => `开放至 ${time}`,
  },
})

// Its rows belong to no user.
keepForGate()

export default function LinkGate() {
  const t = useTexts(words)
  const { hash } = useLocation()
  const navigate = useNavigate()
  const [secret, setSecret] = useState(hash.slice(1))
  const [kept, setKept] = useState(() => (secret === '' ? keptGates()[0] : undefined))
  useEffect(registerWorkerLater, [])
  const given = hash.slice(1)
  // The link of another gate was opened in this tab.
  if (given !== '' && given !== secret) {
    setSecret(given)
    setKept(undefined)
  }
  useEffect(() => {
    if (hash !== '') void navigate('/gate', { replace: true })
  }, [hash, navigate])
  const leave = () => {
    if (kept) forgetGate(kept.gate.id)
    setSecret('')
    setKept(undefined)
  }
  return (
    <Box component="main" sx={{ minHeight: '100dvh', p: 2, display: 'flex', justifyContent: 'center' }}>
      <Stack spacing={1} sx={{ width: '100%', maxWidth: 720 }}>
        <Button color="inherit" size="small" onClick={switchLocale} sx={{ alignSelf: 'flex-end' }}>
          {t.language}
        </Button>
        {kept ? (
          <OpenGate key={kept.gate.id} kept={kept} onLeave={leave} />
        ) : (
          <Page title={secret === '' ? t.none : t.title} isShared width="form">
            {secret === '' ? <Typography>{t.noneText}</Typography> : <Opening secret={secret} onOpened={setKept} />}
          </Page>
        )}
      </Stack>
    </Box>
  )
}

function Opening({ secret, onOpened }: { secret: string; onOpened: (kept: KeptGate) => void }) {
  const t = useTexts(words)
  const form = useForm(
    'gate.open',
    { deviceName: deviceName() },
    {
      // The answer has keys of passes, which the gate reads again.
      send: async (_input, _id, _headers, values) => {
        const kept = await openGate(secret, values.deviceName)
        onOpened(kept)
        return kept as GateSession
      },
      input: (body) => ({ body: { ...body, secret, deviceId: '' } }),
      refreshes: [],
    },
  )
  const { error } = form
  return (
    <Card variant="outlined">
      <CardContent component="form" onSubmit={form.submit}>
        <Stack spacing={2}>
          <Typography>{t.text}</Typography>
          <TextField {...form.text('deviceName', { label: t.name, help: t.nameHelp })} autoFocus />
          {error !== null && <ErrorNotice error={error.status === 404 ? new ApiError(404, 404, t.wrong) : error} />}
          <Button type="submit" variant="contained" size="large" loading={form.isBusy}>
            {t.open}
          </Button>
        </Stack>
      </CardContent>
    </Card>
  )
}

function OpenGate({ kept: first, onLeave }: { kept: KeptGate; onLeave: () => void }) {
  const t = useTexts(words)
  const [kept, setKept] = useState(first)
  const { gate: opened, activity } = kept
  const server = useMemo(
    () =>
      gateOfLink(first, (state) => {
        keepState(first.gate.id, state)
        setKept((before) => ({ ...before, ...state }))
      }),
    [first],
  )
  const [chosen, setDirection] = useState<GateDirection>('ENTRY')
  const direction = opened.direction === 'BOTH' ? chosen : opened.direction
  const lists = listsOf(kept)
  const [list, chooseList] = useListChoice(`-${opened.id}`, lists)
  usePreparedLists(server, lists)
  const gate = useGate(server, direction, list)
  useOldGates(opened.id)
  const { waiting } = gate.state
  useWarning(waiting > 0)
  const undo = opened.canUndo
    ? {
        activityId: activity.id,
        send: (use: Parameters<typeof undoAtGate>[1], reason: string | null) => undoAtGate(kept, use, reason),
      }
    : undefined
  const hasEnded = gate.problem instanceof ApiError && gate.problem.status === 401
  return (
    <Page title={activity.name} isShared width="form" actions={<Connection gate={gate} />}>
      <Typography color="text.secondary" sx={{ mb: 2 }}>
        {[opened.name, opened.device.name, t.until(dateTime(opened.expiresAt))].filter(Boolean).join(' · ')}
      </Typography>
      {hasEnded ? (
        <EndedGate gate={gate} reason={(gate.problem as ApiError).text} onLeave={onLeave} />
      ) : (
        <GateDesk
          gate={gate}
          direction={direction}
          onDirection={opened.direction === 'BOTH' ? setDirection : undefined}
          lists={lists}
          list={list}
          onList={chooseList}
          find={opened.canSearch ? { gate: kept } : undefined}
          undo={undo}
          // Browsers refuse it on some phones.
          onStart={() => void document.documentElement.requestFullscreen?.().catch(() => undefined)}
          result={<Result gate={gate} undo={undo?.send} />}
        />
      )}
    </Page>
  )
}

/** The lists that the gate is for. */
const listsOf = ({ gate: { listIds }, lists }: KeptGate): readonly ListOption[] =>
  listIds === null || listIds.includes(null) ? [ENTRANCE, ...lists] : lists

/** Sends what waits of gates that were open on this device before. */
function useOldGates(id: number): void {
  useEffect(() => {
    for (const kept of keptGates())
      if (kept.gate.id !== id) void new GateStore(gateOfLink(kept)).send().catch(() => undefined)
  }, [id])
}

/** Asks before the page is closed, because only this browser has the scans. */
function useWarning(isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return
    const warn = (event: Event) => event.preventDefault()
    globalThis.addEventListener('beforeunload', warn)
    return () => globalThis.removeEventListener('beforeunload', warn)
  }, [isOn])
}
