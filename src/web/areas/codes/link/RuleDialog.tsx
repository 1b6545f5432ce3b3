/** The form of one rule of a short link. The page of the link saves it with the others. */

import {
  Autocomplete,
  Button,
  Dialog,
  DialogActions,
  DialogContent,
  DialogTitle,
  MenuItem,
  Stack,
  TextField,
  Typography,
} from '@mui/material'
import { type FormEvent, useId, useState } from 'react'

import { common } from '../../../i18n/common.ts'
import { inputTime } from '../../../i18n/format.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { NumberField } from '../../../ui/fields.tsx'
import { useIsPhone } from '../../../ui/use-is-phone.ts'
import { hasCondition, ruleOf, type RuleValues, ruleValues } from './rule-values.ts'
import { deviceWords, type Rule, type RuleDevice, sentenceOf, weekdayName } from './sentences.ts'

const words = texts({
  en: {
    ...common.en,
    add: 'Add a rule',
    change: 'Change the rule',
    target: 'Leads to',
    when: 'When',
    help: 'All conditions that you fill in must hold. Fill in at least one.',
    devices: 'Devices',
    languages: 'Languages',
    languagesHelp: 'The language of the visitor: zh, en-GB',
    countries: 'Countries',
    countriesHelp: 'Two letters each: DE, CN. Needs a file of countries on the server.',
    weekdays: 'Weekdays',
    hoursFrom: 'From (time of day)',
    hoursTo: 'Until (time of day)',
    timeZone: 'Time zone',
    from: 'From (date)',
    to: 'Until (date)',
    firstScans: 'Only the first scans',
    none: 'Fill in a condition. Without one, the target of the code itself is the place for the address.',
    apply: 'Apply',
  },
  zh: {
    ...common.zh,
    add: '添加规则',
    change: '修改规则',
    target: '前往',
    when: '条件',
    help: '填写的所有条件须同时满足。至少填写一项。',
    devices: '设备',
    languages: '语言',
    languagesHelp: '访问者的语言，例如 zh、en-GB',
    countries: '国家或地区',
    countriesHelp: '两位字母代码，例如 CN、DE。服务器需要国家数据文件。',
    weekdays: '星期',
    hoursFrom: '开始时刻',
    hoursTo: '结束时刻',
    timeZone: '时区',
    from: '开始日期',
    to: '结束日期',
    firstScans: '仅前若干次扫码',
    none: '请至少填写一个条件。没有条件时，请直接修改二维码的目标。',
    apply: '确定',
  },
})

const DEVICES = Object.keys(deviceWords.en) as RuleDevice[]
const DAYS = [1, 2, 3, 4, 5, 6, 7]
const CLOCK = { inputLabel: { shrink: true } } as const

export interface RuleDialogProps {
  /** Undefined: a new one. */
  rule: Rule | undefined
  onApply: (rule: Rule) => void
  onClose: () => void
}

export function RuleDialog({ rule, onApply, onClose }: RuleDialogProps) {
  const t = useTexts(words)
  const id = useId()
  const isPhone = useIsPhone()
  const [values, setValues] = useState(() => ruleValues(rule))
  const [wasSent, setSent] = useState(false)
  const next = ruleOf(values)
  const isIncomplete = !hasCondition(next)
  const apply = (event: FormEvent) => {
    event.preventDefault()
    // The dialog is drawn inside the form of the page.
    event.stopPropagation()
    setSent(true)
    if (!isIncomplete) onApply(next)
  }
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="sm" fullScreen={isPhone} aria-labelledby={id}>
      <form onSubmit={apply}>
        <DialogTitle id={id}>{rule === undefined ? t.add : t.change}</DialogTitle>
        <DialogContent>
          <Conditions values={values} onChange={(part) => setValues((now) => ({ ...now, ...part }))} />
          <Typography
            sx={{ mt: 2, display: 'block', overflowWrap: 'anywhere' }}
            color={isIncomplete && wasSent ? 'error' : 'text.secondary'}
            component="output"
          >
            {isIncomplete ? t.none : sentenceOf(next)}
          </Typography>
        </DialogContent>
        <DialogActions>
          <Button onClick={onClose}>{t.cancel}</Button>
          <Button type="submit" variant="contained">
            {t.apply}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

interface ConditionsProps {
  values: RuleValues
  onChange: (part: Partial<RuleValues>) => void
}

function Conditions({ values, onChange }: ConditionsProps) {
  const t = useTexts(words)
  const devices = useTexts(deviceWords)
  const text = (name: 'target' | 'languages' | 'countries' | 'hoursFrom' | 'hoursTo') => ({
    name,
    label: t[name],
    value: values[name],
    onChange: ({ target }: { target: { value: string } }) => onChange({ [name]: target.value }),
  })
  const moment = (name: 'from' | 'to') => ({
    name,
    label: t[name],
    type: 'datetime-local',
    value: inputTime(values[name]),
    onChange: ({ target }: { target: { value: string } }) =>
      onChange({ [name]: target.value === '' ? null : new Date(target.value).getTime() }),
    slotProps: CLOCK,
  })
  const multiple = { multiple: true } as const
  return (
    <Stack spacing={2} sx={{ pt: 1 }}>
      <TextField {...text('target')} required autoFocus type="url" placeholder="https://" slotProps={CLOCK} />
      <div>
        <Typography variant="h2">{t.when}</Typography>
        <Typography variant="body2" color="text.secondary">
          {t.help}
        </Typography>
      </div>
      <TextField
        select
        name="devices"
        label={t.devices}
        value={[...values.devices]}
        onChange={({ target }) => onChange({ devices: target.value as unknown as RuleDevice[] })}
        slotProps={{ select: multiple }}
      >
        {DEVICES.map((one) => (
          <MenuItem key={one} value={one}>
            {devices[one]}
          </MenuItem>
        ))}
      </TextField>
      <Stack direction={{ xs: 'column', sm: 'row' }} spacing={2}>
        <TextField {...text('languages')} fullWidth helperText={t.languagesHelp} />
        <TextField {...text('countries')} fullWidth helperText={t.countriesHelp} />
      </Stack>
      <TextField
        select
        name="weekdays"
        label={t.weekdays}
        value={[...values.weekdays]}
        onChange={({ target }) => onChange({ weekdays: target.value as unknown as number[] })}
        slotProps={{ select: multiple }}
      >
        {DAYS.map((day) => (
          <MenuItem key={day} value={day}>
            {weekdayName(day)}
          </MenuItem>
        ))}
      </TextField>
      <Stack direction={{ xs: 'column', sm: 'row' }} spacing={2}>
        <TextField {...text('hoursFrom')} fullWidth type="time" slotProps={CLOCK} required={values.hoursTo !== ''} />
        <TextField {...text('hoursTo')} fullWidth type="time" slotProps={CLOCK} required={values.hoursFrom !== ''} />
        <Autocomplete
          fullWidth
          disableClearable
          options={Intl.supportedValuesOf('timeZone')}
          value={values.timeZone}
          onChange={(_, zone) => onChange({ timeZone: zone })}
          renderInput={(params) => <TextField {...params} label={t.timeZone} />}
        />
      </Stack>
      <Stack direction={{ xs: 'column', sm: 'row' }} spacing={2}>
        <TextField {...moment('from')} fullWidth />
        <TextField {...moment('to')} fullWidth />
      </Stack>
      <NumberField
        name="firstScans"
        label={t.firstScans}
        value={values.firstScans}
        onChange={(firstScans) => onChange({ firstScans })}
        error={undefined}
        help={undefined}
        required={false}
      />
    </Stack>
  )
}
