/** The times of an activity in its form, and the zone on whose clocks they are. */

import { Button, Dialog, DialogActions, DialogContent, DialogTitle, Stack, TextField, Typography } from '@mui/material'
import { useId, useState } from 'react'

import { serverTime } from '../../browser/server-time.ts'
import { cityOf, isSameClock } from '../../i18n/clocks.ts'
import { common } from '../../i18n/common.ts'
import { useLabels } from '../../i18n/fields.ts'
import { dateFormat } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { zoneName } from '../../i18n/zones.ts'
import type { Form } from '../../ui/use-form.tsx'
import { ZonePicker } from '../../ui/ZonePicker.tsx'
import { clocksKept, timesIn, type Values } from './form-values.ts'
import { formWords } from './form-words.ts'

const words = texts({
  en: {
    title: 'What stays the same?',
    clock: (time: string, city: string) => `The clock: ${time}, now in ${city}`,
    moment: (time: string, city: string) => `The moment: then it is ${time} in ${city}`,
    text: 'This holds for all times of the activity.',
    note: (zone: string) => `Times are in ${zone}.`,
  },
  zh: {
    title: '保留什么？',
    clock: (time: string, city: string) => `钟点不变：${city}时间 ${time}`,
    moment: (time: string, city: string) => `时刻不变：即${city}时间 ${time}`,
    text: '对该活动的所有时间都有效。',
    note: (zone: string) => `以上为${zone}。`,
  },
})

const clockIn = (time: number, zone: string): string =>
  dateFormat({ weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: zone }).format(time)

export function StartAndEnd({ form }: { form: Form<Values> }) {
  const t = useTexts(formWords)
  const f = useLabels()
  const { values, set } = form
  const { timeZone: zone } = values
  const [asked, setAsked] = useState<string>()
  const choose = (next: string) => {
    if (timesIn(values).every((time) => isSameClock(time, zone, next))) set({ timeZone: next })
    else setAsked(next)
  }
  const [first] = timesIn(values)
  const [now] = useState(serverTime)
  return (
    <>
      <Stack direction={{ xs: 'column', sm: 'row' }} spacing={2} sx={{ '& > *': { flex: 1 } }}>
        <TextField {...form.time('startTime', { label: t.start, zone })} required />
        <TextField {...form.time('endTime', { label: t.end, zone })} required />
      </Stack>
      <ZonePicker
        label={f('timeZone')}
        value={zone}
        onChange={choose}
        at={first ?? now}
        error={form.problem('timeZone')}
      />
      {asked !== undefined && first !== undefined && (
        <Question
          time={first}
          from={zone}
          to={asked}
          onKeepClock={() => set(clocksKept(values, asked))}
          onKeepMoment={() => set({ timeZone: asked })}
          onClose={() => setAsked(undefined)}
        />
      )}
    </>
  )
}

interface QuestionProps {
  /** The first time of the activity, as an example. */
  time: number
  from: string
  to: string
  onKeepClock: () => void
  onKeepMoment: () => void
  onClose: () => void
}

function Question({ time, from, to, onKeepClock, onKeepMoment, onClose }: QuestionProps) {
  const t = useTexts(words)
  const { cancel } = useTexts(common)
  const id = useId()
  const city = cityOf(to)
  const choose = (change: () => void) => () => {
    change()
    onClose()
  }
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="xs" aria-labelledby={`${id}-title`}>
      <DialogTitle id={`${id}-title`}>{t.title}</DialogTitle>
      <DialogContent>
        <Stack spacing={1.5}>
          <Button variant="contained" autoFocus onClick={choose(onKeepClock)}>
            {t.clock(clockIn(time, from), city)}
          </Button>
          <Button variant="outlined" onClick={choose(onKeepMoment)}>
            {t.moment(clockIn(time, to), city)}
          </Button>
          <Typography variant="body2" color="text.secondary">
            {t.text}
          </Typography>
        </Stack>
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>{cancel}</Button>
      </DialogActions>
    </Dialog>
  )
}

/** Below times that are far from the picker. */
export function ZoneNote({ values }: { values: Values }) {
  const t = useTexts(words)
  const [now] = useState(serverTime)
  return (
    <Typography variant="body2" color="text.secondary">
      {t.note(zoneName(timesIn(values)[0] ?? now, values.timeZone))}
    </Typography>
  )
}
