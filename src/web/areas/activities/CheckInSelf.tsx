/** Checking in oneself: by position, by short code, by scanning the code of the venue, or by one button if there is no rule. */

import { CheckCircle, HowToReg } from '@mui/icons-material'
import { Alert, Button, Card, CardContent, Stack, TextField, Typography } from '@mui/material'
import { type FormEvent, useState } from 'react'

import { publicAddress } from '../../api/local-addresses.ts'
import { usePages } from '../../api/pages.ts'
import { serverTime } from '../../browser/server-time.ts'
import { clockTime, date, timeIn } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { may, useSession } from '../../session/session.ts'
import { ErrorNotice } from '../../ui/Answer.tsx'
import { NeedsHttps } from '../../ui/NeedsHttps.tsx'
import { hasPosition, type Position, usePosition } from '../../ui/position.ts'
import { ScanButton } from '../../ui/ScanDialog.tsx'
import { useForm } from '../../ui/use-form.tsx'
import type { OwnProps } from './RegisterSelf.tsx'

const words = texts({
  en: {
    title: 'Check-in',
    checkIn: 'Check in',
    scan: 'Scan the check-in code',
    scanned: 'You have scanned the check-in code. One tap is left.',
    screen: 'Scan the code on the screen at the entrance. It changes all the time.',
    registered: 'Only people with a confirmed registration can check in.',
    codeHelp: 'Only if the organizer has given you one',
    near: (metres: number) => `You have to be within ${metres} m of the place. Your browser asks for your position.`,
    opens: (time: string) => `Check-in opens ${time}.`,
    closed: 'Check-in is closed.',
    done: (day: string, time: string) => `You checked in on ${day} at ${time}.`,
    again: 'Check in again',
    success: 'You are checked in.',
  },
  zh: {
    title: '签到',
    checkIn: '签到',
    scan: '扫描签到二维码',
    scanned: '已扫描签到二维码，点击下方按钮完成签到。',
    screen: '请扫描入口屏幕上的签到码，它会定时更换。',
    registered: '仅报名成功者可以签到。',
    codeHelp: '主办方提供了签到口令时填写',
    near: (metres: number) => `需在地点 ${metres} 米范围内签到，浏览器会请求你的位置。`,
    opens: (time: string) => `${time} 开始签到。`,
    closed: '签到已结束。',
    done: (day: string, time: string) => `你已于 ${day} ${time} 签到。`,
    again: '再次签到',
    success: '签到成功。',
  },
})

const EMPTY = { shortCode: '', code: '', position: null as Position | null }

export interface CheckInProps extends OwnProps {
  /** The end of the link that the user has scanned (`scannedIn`): one button is left. */
  scanned: string | undefined
}

export function CheckInSelf({ activity, code, scanned }: CheckInProps) {
  const t = useTexts(words)
  const { user } = useSession()
  const [now] = useState(serverTime)
  const { find, isBusy: isLocating } = usePosition()
  const { radiusMeters, opensAt, closesAt, maxPerUser, registeredOnly, rotatingSeconds } = activity.checkInConfig
  const rotates = rotatingSeconds !== null
  // The link of a poster has no code of the screen.
  const isScanned = scanned !== undefined && (!rotates || scanned.includes('?'))
  const isAllowed = may('activities.checkIn', null)
  const own = usePages(
    'activities.checkInRecords',
    { params: { id: activity.id }, query: { userId: user.id, ...(code && { code }) } },
    { size: 1, enabled: isAllowed },
  )
  const form = useForm('activities.checkIn', EMPTY, {
    paths: { code: [], position: [], ...((isScanned || rotates) && { shortCode: [] }) },
    done: t.success,
    onDone: () => form.reset(EMPTY),
    input: ({ shortCode, code: content, position }) => ({
      params: { id: activity.id },
      body: {
        ...position,
        ...(shortCode.trim() && { shortCode }),
        ...(content && { code: content }),
        ...(code && { inviteCode: code }),
      },
    }),
  })
  const last = own.items?.[0]
  const isDone = last !== undefined && maxPerUser !== 0 && own.total >= maxPerUser
  const hasOpened = opensAt === null || now >= opensAt
  const isOpen = hasOpened && now <= (closesAt ?? activity.endTime)

  const send = async (content = scanned === undefined ? '' : publicAddress(`/s/check-in/${scanned}`)) => {
    const position = radiusMeters === null ? null : await find()
    if (position !== undefined) form.submit(undefined, { code: content, position })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void send()
  }
  if (!isAllowed) return null
  return (
    <Card variant="outlined">
      <CardContent>
        <Stack component="form" spacing={1.5} onSubmit={submit}>
          <Stack direction="row" spacing={1} sx={{ alignItems: 'center' }}>
            <HowToReg color="primary" />
            <Typography variant="h2">{t.title}</Typography>
          </Stack>
          {last !== undefined && (
            <Alert severity="success" icon={<CheckCircle />}>
              {t.done(date(last.checkedInAt), clockTime(last.checkedInAt))}
            </Alert>
          )}
          {!isDone && !hasOpened && (
            <Typography color="text.secondary">{t.opens(timeIn(opensAt, activity.timeZone))}</Typography>
          )}
          {!isDone && hasOpened && !isOpen && <Typography color="text.secondary">{t.closed}</Typography>}
          {!isDone && isOpen && (
            <>
              {radiusMeters !== null && <Typography color="text.secondary">{t.near(radiusMeters)}</Typography>}
              {radiusMeters !== null && !hasPosition() && <NeedsHttps what="position" />}
              {registeredOnly && <Typography color="text.secondary">{t.registered}</Typography>}
              {isScanned || rotates ? (
                <Typography>{isScanned ? t.scanned : t.screen}</Typography>
              ) : (
                <TextField {...form.text('shortCode', { help: t.codeHelp })} autoComplete="off" />
              )}
              {form.error !== null && <ErrorNotice error={form.error} />}
              {(isScanned || !rotates) && (
                <Button type="submit" variant="contained" size="large" loading={isLocating || form.isBusy}>
                  {last === undefined ? t.checkIn : t.again}
                </Button>
              )}
              {/* A code of the screen may have expired meanwhile. */}
              {(!isScanned || (rotates && form.error !== null)) && (
                <ScanButton label={t.scan} onCode={(text) => void send(text)} />
              )}
            </>
          )}
        </Stack>
      </CardContent>
    </Card>
  )
}
