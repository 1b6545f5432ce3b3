/** Counts by day, and the choice of how many days. */

import { MenuItem, TextField } from '@mui/material'
import { useMemo } from 'react'

import { texts, useTexts } from '../../i18n/words.ts'
import { Chart } from '../../ui/Chart.tsx'

const words = texts({
  en: { period: 'Period', days: (n: number) => `Last ${n} days` },
  zh: { period: '时间范围', days: (n: number) => `最近 ${n} 天` },
})

const PERIODS = [7, 30, 90, 365]

export function DayChart({ label, days }: { label: string; days: readonly { date: string; count: number }[] }) {
  const times = useMemo(() => days.map(({ date }) => new Date(`${date}T00:00:00`).getTime()), [days])
  const series = useMemo(() => [{ label, values: days.map(({ count }) => count) }], [days, label])
  return <Chart label={label} times={times} series={series} kind="bar" height={180} />
}

export function PeriodField({ value, onChange }: { value: number; onChange: (days: number) => void }) {
  const t = useTexts(words)
  return (
    <TextField
      select
      label={t.period}
      value={value}
      onChange={(event) => onChange(Number(event.target.value))}
      sx={{ minWidth: 150 }}
    >
      {PERIODS.map((n) => (
        <MenuItem key={n} value={n}>
          {t.days(n)}
        </MenuItem>
      ))}
    </TextField>
  )
}
