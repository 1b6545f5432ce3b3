/** Copying an activity, and repeating it as a series, with a preview of the dates. */

import { Alert, Box, Checkbox, FormControlLabel, MenuItem, Stack, TextField, Typography } from '@mui/material'
import { useNavigate } from 'react-router'

import { useCall } from '../../api/hooks.ts'
import type { Activity, ActivitySeries, BodyOf } from '../../api/types.ts'
import { dateFormat, list } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { Answer } from '../../ui/Answer.tsx'
import { FormDialog } from '../../ui/dialogs.tsx'
import { NumberField } from '../../ui/fields.tsx'
import { type Form, useForm } from '../../ui/use-form.tsx'
import { useSettled } from '../../ui/use-settled.ts'

const words = texts({
  en: {
    copyTitle: 'Copy this activity',
    copyText: 'The copy is a draft. All other times keep their distance from the start. Nobody is registered for it.',
    start: 'Start',
    copy: 'Copy',
    copied: 'The copy is saved as a draft.',
    parts: 'Copied as well',
    part: {
      COVER: 'Cover photo',
      TEXT: 'Description',
      QUESTIONS: 'Questions of the registration',
      LISTS: 'Check-in lists',
      CHECK_IN: 'Check-in and its rules',
      PASS_CONFIG: 'Passes and their rules',
    },
    title: 'Repeat this activity',
    text: 'Each copy is a draft at the same time of day, and independent afterwards.',
    every: 'Repeat',
    units: { DAY: 'By day', WEEK: 'By week', MONTH: 'By month' },
    interval: { DAY: 'Every … days', WEEK: 'Every … weeks', MONTH: 'Every … months' },
    weekdays: 'Weekdays',
    weekdaysHelp: 'None chosen: the weekday of this activity',
    ends: 'Ends',
    end: { COUNT: 'After a number of activities', UNTIL: 'On a date' },
    count: 'How many',
    until: 'Last date',
    zone: (zone: string) => `Times are those of ${zone}.`,
    skipped: (days: string) => `Left out, because these days do not exist: ${days}.`,
    add: (n: number) => (n === 1 ? 'Add 1 activity' : `Add ${n} activities`),
    added: 'The activities are saved as drafts.',
  },
  zh: {
    copyTitle: '复制活动',
    copyText: '副本为草稿，其他时间随开始时间一起移动，不含任何报名。',
    start: '开始',
    copy: '复制',
    copied: '副本已保存为草稿。',
    parts: '一并复制',
    part: {
      COVER: '封面',
      TEXT: '介绍',
      QUESTIONS: '报名问题',
      LISTS: '签到名单',
      CHECK_IN: '签到及规则',
      PASS_CONFIG: '通行证及规则',
    },
    title: '重复活动',
    text: '每个副本都是草稿，时刻相同，之后互不影响。',
    every: '重复方式',
    units: { DAY: '按天', WEEK: '按周', MONTH: '按月' },
    interval: { DAY: '每隔几天', WEEK: '每隔几周', MONTH: '每隔几个月' },
    weekdays: '星期',
    weekdaysHelp: '不选则为此活动的星期',
    ends: '结束方式',
    end: { COUNT: '达到数量', UNTIL: '到某日' },
    count: '数量',
    until: '最后日期',
    zone: (zone: string) => `时间为 ${zone} 时区。`,
    skipped: (days: string) => `以下日期不存在，已跳过：${days}。`,
    add: (n: number) => `添加 ${n} 个活动`,
    added: '活动已保存为草稿。',
  },
})

type Part = NonNullable<BodyOf<'activities.copy'>['include']>[number]

/** Those that the activity has. */
const partsOf = ({ coverFileId, description, registration, hasCheckIn, hasPass }: Activity): Part[] => [
  ...(coverFileId === null ? [] : (['COVER'] as const)),
  ...(description === '' ? [] : (['TEXT'] as const)),
  ...(registration === null || registration.questions.length === 0 ? [] : (['QUESTIONS'] as const)),
  ...(hasCheckIn ? (['CHECK_IN'] as const) : []),
  ...(hasPass ? (['PASS_CONFIG', 'LISTS'] as const) : []),
]

const WEEK = 7 * 86_400_000

interface DialogProps {
  activity: Activity
  onClose: () => void
}

export function CopyDialog({ activity, onClose }: DialogProps) {
  const t = useTexts(words)
  const navigate = useNavigate()
  const offered = partsOf(activity)
  const form = useForm(
    'activities.copy',
    { name: activity.name, startTime: (activity.startTime + WEEK) as number | null, include: offered },
    {
      done: t.copied,
      input: ({ name, startTime, include }) => ({
        params: { id: activity.id },
        // Refused at the field if there is no time.
        body: { name, startTime: startTime as number, include: [...include] },
      }),
      onDone({ id }) {
        onClose()
        void navigate(`/activities/${id}`)
      },
    },
  )
  const { include } = form.values
  return (
    <FormDialog form={form} title={t.copyTitle} action={t.copy} onClose={onClose}>
      <Typography color="text.secondary">{t.copyText}</Typography>
      <TextField {...form.text('name')} autoFocus />
      <TextField {...form.time('startTime', { label: t.start })} required />
      {offered.length > 0 && (
        <Stack component="fieldset" sx={{ border: 0, m: 0, p: 0 }}>
          <Typography component="legend" color="text.secondary">
            {t.parts}
          </Typography>
          {offered.map((part) => (
            <FormControlLabel
              key={part}
              control={
                <Checkbox
                  checked={include.includes(part)}
                  onChange={(_, isWanted) =>
                    form.set({ include: isWanted ? [...include, part] : include.filter((one) => one !== part) })
                  }
                />
              }
              label={t.part[part]}
            />
          ))}
        </Stack>
      )}
    </FormDialog>
  )
}

interface SeriesValues {
  readonly every: 'DAY' | 'WEEK' | 'MONTH'
  readonly interval: number | null
  readonly weekdays: readonly number[]
  readonly ends: 'COUNT' | 'UNTIL'
  readonly count: number | null
  readonly until: number | null
}

const EMPTY: SeriesValues = { every: 'WEEK', interval: 1, weekdays: [], ends: 'COUNT', count: 4, until: null }

const seriesOf = ({ every, interval, weekdays, ends, count, until }: SeriesValues) => ({
  every,
  interval: interval ?? 1,
  ...(every === 'WEEK' && weekdays.length > 0 && { weekdays: [...weekdays] }),
  ...(ends === 'COUNT' ? count !== null && { count } : until !== null && { until }),
})

export function SeriesDialog({ activity, onClose }: DialogProps) {
  const t = useTexts(words)
  const navigate = useNavigate()
  const params = { id: activity.id }
  const form = useForm('activities.createSeries', EMPTY, {
    done: t.added,
    input: (values) => ({ params, body: seriesOf(values) }),
    onDone({ seriesId }) {
      onClose()
      void navigate(`/activities?series=${seriesId}`)
    },
  })
  const asked = useSettled(form.values)
  const preview = useCall(
    'activities.createSeries',
    { params, body: { ...seriesOf(asked), dryRun: true } },
    { enabled: (asked.ends === 'COUNT' ? asked.count : asked.until) !== null, keepPrevious: true },
  )
  const count = preview.data?.starts.length ?? 0
  return (
    <FormDialog form={form} title={t.title} action={t.add(count)} isDisabled={count === 0} onClose={onClose}>
      <Typography color="text.secondary">{t.text}</Typography>
      <SeriesFields form={form} />
      {preview.isEnabled && (
        <Answer query={preview}>{(series) => <Dates series={series} zone={activity.timeZone} />}</Answer>
      )}
    </FormDialog>
  )
}

const DAYS = [1, 2, 3, 4, 5, 6, 7]
/** 4 January 2026 is a Sunday. */
const weekdayName = (day: number): string =>
  dateFormat({ weekday: 'long', timeZone: 'UTC' }).format(Date.UTC(2026, 0, 4 + day))

const multiple = { multiple: true, renderValue: (days: unknown) => list((days as number[]).map(weekdayName)) }

function SeriesFields({ form }: { form: Form<SeriesValues> }) {
  const t = useTexts(words)
  const { every, ends, weekdays } = form.values
  return (
    <>
      <Stack direction={{ xs: 'column', sm: 'row' }} spacing={2} sx={{ '& > *': { flex: 1 } }}>
        <TextField {...form.choice('every', t.units, { label: t.every })} />
        <NumberField {...form.number('interval', { label: t.interval[every] })} />
      </Stack>
      {every === 'WEEK' && (
        <TextField
          select
          label={t.weekdays}
          helperText={t.weekdaysHelp}
          value={[...weekdays]}
          onChange={({ target }) =>
            form.set({ weekdays: (target.value as unknown as number[]).toSorted((a, b) => a - b) })
          }
          slotProps={{ select: multiple }}
        >
          {DAYS.map((day) => (
            <MenuItem key={day} value={day}>
              {weekdayName(day)}
            </MenuItem>
          ))}
        </TextField>
      )}
      <Stack direction={{ xs: 'column', sm: 'row' }} spacing={2} sx={{ '& > *': { flex: 1 } }}>
        <TextField {...form.choice('ends', t.end, { label: t.ends })} />
        {ends === 'COUNT' ? (
          <NumberField {...form.number('count', { label: t.count })} required />
        ) : (
          <TextField {...form.time('until', { label: t.until })} required />
        )}
      </Stack>
    </>
  )
}

function Dates({ series: { starts, skipped }, zone }: { series: ActivitySeries; zone: string }) {
  const t = useTexts(words)
  const format = dateFormat({
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone: zone,
  })
  return (
    <>
      <Box component="ul" aria-live="polite" sx={{ m: 0, pl: 3, maxHeight: 200, overflowY: 'auto' }}>
        {starts.map((start) => (
          <li key={start}>{format.format(start)}</li>
        ))}
      </Box>
      <Typography variant="body2" color="text.secondary">
        {t.zone(zone)}
      </Typography>
      {skipped.length > 0 && <Alert severity="info">{t.skipped(list(skipped))}</Alert>}
    </>
  )
}
