/** Notifications on this device while the web application is closed, with hours in which there are none. */

import { PhonelinkRingOutlined } from '@mui/icons-material'
import { Alert, Box, Card, CardContent, FormControlLabel, Stack, Switch, TextField, Typography } from '@mui/material'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'

import { call } from '../../api/client.ts'
import { ApiError } from '../../api/errors.ts'
import { useCall, useRefresh } from '../../api/hooks.ts'
import { notify } from '../../browser/notices.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { type Obstacle, obstacle, type QuietHours, turnOffPush, turnOnPush } from '../../session/push.ts'
import { useMay, useSession } from '../../session/session.ts'
import { NeedsHttps } from '../../ui/NeedsHttps.tsx'

const words = texts({
  en: {
    title: 'Notifications on this device',
    text: 'New messages and notifications are shown when the application is closed.',
    quiet: 'Quiet hours',
    quietText: 'Nothing is shown in these hours, and nothing follows afterwards.',
    from: 'From',
    to: 'To',
    same: 'Choose two different times.',
    on: 'This device shows notifications.',
    off: 'This device shows no more notifications.',
    changed: 'Quiet hours saved.',
    notAsked: 'You did not allow notifications, so they stay off.',
    service: 'Your browser cannot reach its notification service. Check your connection, or try another browser.',
    obstacles: {
      notInstalled:
        'On iPhone and iPad, first add the application to the home screen with the Share button, and open it there.',
      noPush: 'This browser does not support notifications. Use a current version of Chrome, Edge, Firefox or Safari.',
      refused:
        'You have blocked notifications of this page. Allow them in the settings of your browser, then reload the page.',
    },
  },
  zh: {
    title: '在此设备上通知',
    text: '关闭应用时也会显示新消息和通知。',
    quiet: '免打扰时段',
    quietText: '此时段内不显示通知，之后也不会补发。',
    from: '开始',
    to: '结束',
    same: '请选择两个不同的时间。',
    on: '此设备已开启通知。',
    off: '此设备已关闭通知。',
    changed: '免打扰时段已保存。',
    notAsked: '你未允许通知，通知保持关闭。',
    service: '浏览器无法连接其推送服务，请检查网络或换用其他浏览器。',
    obstacles: {
      notInstalled: '在 iPhone 和 iPad 上，请先用“分享”按钮将应用添加到主屏幕，再从主屏幕打开。',
      noPush: '此浏览器不支持通知，请使用新版 Chrome、Edge、Firefox 或 Safari。',
      refused: '你已屏蔽此页面的通知，请在浏览器设置中允许后刷新页面。',
    },
  },
})

const NONE: QuietHours = { quietFrom: null, quietTo: null }
/** From 22:00 to 07:00. */
const NIGHT: QuietHours = { quietFrom: 1320, quietTo: 420 }

export function DevicePush() {
  const t = useTexts(words)
  const may = useMay()
  const refresh = useRefresh()
  const { user } = useSession()
  // The question to the browser can fail, too. The text names the change.
  const change = useMutation<string, Error, () => Promise<string>>({
    mutationFn: (work) => work(),
    async onSuccess(done) {
      await refresh('push')
      notify(done, 'success')
    },
  })
  const { data } = useCall('push.list', {}, { enabled: may('push.list') })
  const current = data?.items.find((each) => each.current)
  if (!may('push.subscribe') || data === undefined) return null

  const blocked = obstacle()
  const isBusy = change.isPending
  const turnOn = (quiet: QuietHours, done: string) =>
    change.mutate(async () => {
      if (await turnOnPush(user.id, quiet)) return done
      throw new ApiError(403, 403, t.notAsked)
    })
  const turnOff = () =>
    change.mutate(async () => {
      await turnOffPush()
      if (current !== undefined) await call('push.unsubscribe', { params: { id: current.id } })
      return t.off
    })
  const textOf = (why: Obstacle) => (why === 'http' ? <NeedsHttps what="notifications" /> : t.obstacles[why])
  const problem = change.error && (change.error instanceof ApiError ? change.error.message : t.service)
  const shown = current === undefined && blocked !== undefined ? textOf(blocked) : problem
  return (
    <Card variant="outlined" sx={{ mb: 2 }}>
      <CardContent sx={{ py: 1.5, '&:last-child': { pb: 1.5 } }}>
        <Stack direction="row" spacing={1.5} sx={{ alignItems: 'center' }}>
          <PhonelinkRingOutlined color="action" />
          <Box sx={{ flex: 1, minWidth: 0 }}>
            <Typography id="push-title" sx={{ fontWeight: 600 }}>
              {t.title}
            </Typography>
            <Typography id="push-text" variant="body2" color="text.secondary">
              {t.text}
            </Typography>
          </Box>
          <Switch
            checked={current !== undefined}
            disabled={isBusy || (current === undefined && blocked !== undefined)}
            onChange={({ target }) => (target.checked ? turnOn(NONE, t.on) : turnOff())}
            slotProps={{ input: { 'aria-labelledby': 'push-title', 'aria-describedby': 'push-text' } }}
          />
        </Stack>
        {shown !== null && (
          <Alert severity={current === undefined && blocked !== undefined ? 'info' : 'warning'} sx={{ mt: 1.5 }}>
            {shown}
          </Alert>
        )}
        {current !== undefined && (
          <Hours
            key={`${current.quietFrom} ${current.quietTo}`}
            hours={current}
            isBusy={isBusy}
            onChange={(quiet) => turnOn(quiet, t.changed)}
          />
        )}
      </CardContent>
    </Card>
  )
}

const pad = (number: number): string => String(number).padStart(2, '0')
const clockOf = (minutes: number): string => `${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`
const minutesOf = (clock: string): number => {
  const [hours, minutes] = clock.split(':').map(Number)
  return hours! * 60 + minutes!
}

function Hours({
  hours: { quietFrom, quietTo },
  isBusy,
  onChange,
}: {
  hours: QuietHours
  isBusy: boolean
  onChange: (hours: QuietHours) => void
}) {
  const t = useTexts(words)
  const [typed, setTyped] = useState({
    from: clockOf(quietFrom ?? NIGHT.quietFrom!),
    to: clockOf(quietTo ?? NIGHT.quietTo!),
  })
  const { from, to } = typed
  const isOn = quietFrom !== null
  const isSame = from === to
  /** The hours are saved when the user leaves a field, not after each digit. */
  const save = () => {
    if (from === '' || to === '' || isSame) return
    const next = { quietFrom: minutesOf(from), quietTo: minutesOf(to) }
    if (next.quietFrom !== quietFrom || next.quietTo !== quietTo) onChange(next)
  }
  return (
    <Box sx={{ mt: 1 }}>
      <FormControlLabel
        control={
          <Switch checked={isOn} disabled={isBusy} onChange={({ target }) => onChange(target.checked ? NIGHT : NONE)} />
        }
        label={t.quiet}
      />
      {isOn && (
        <>
          <Stack direction="row" spacing={1.5} sx={{ mt: 1, maxWidth: 320 }}>
            {(['from', 'to'] as const).map((name) => (
              <TextField
                key={name}
                type="time"
                label={t[name]}
                value={typed[name]}
                error={isSame}
                onChange={({ target }) => setTyped({ ...typed, [name]: target.value })}
                onBlur={save}
                slotProps={{ inputLabel: { shrink: true } }}
                fullWidth
              />
            ))}
          </Stack>
          <Typography variant="body2" color={isSame ? 'error' : 'text.secondary'} sx={{ mt: 0.5 }}>
            {isSame ? t.same : t.quietText}
          </Typography>
        </>
      )}
    </Box>
  )
}
