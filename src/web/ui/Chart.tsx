/** Lines or bars over time. uPlot is loaded with the first chart. A table with the same numbers is there for screen readers. */

import { Alert, Box, useTheme } from '@mui/material'
import { useEffect, useRef, useState } from 'react'

import { date, number } from '../i18n/format.ts'
import { texts, useLocale, useTexts } from '../i18n/words.ts'
import type { Series } from './uplot.ts'

const words = texts({
  en: { notLoaded: 'The chart could not be loaded. Reload the page.' },
  zh: { notLoaded: '图表加载失败，请刷新页面。' },
})

/** For screen readers only. Around tables and not on them: Firefox shows the caption of a table that is clipped. */
export const HIDDEN = { position: 'absolute', width: 1, height: 1, overflow: 'hidden', clipPath: 'inset(50%)' } as const

export interface ChartProps {
  /** Says what the chart shows. */
  readonly label: string
  /** Epoch milliseconds, ascending. */
  readonly times: readonly number[]
  readonly series: readonly Series[]
  readonly kind?: 'line' | 'bar'
  /** Pixels; 220 by default. */
  readonly height?: number
}

export function Chart({ label, times, series, kind = 'line', height = 220 }: ChartProps) {
  const place = useRef<HTMLDivElement>(null)
  const { palette } = useTheme()
  const locale = useLocale()
  const t = useTexts(words)
  const [notLoaded, setNotLoaded] = useState(false)
  useEffect(() => {
    let isGone = false
    let remove = () => {}
    const show = async () => {
      const { draw } = await import('./uplot.ts')
      if (isGone || place.current === null) return
      remove = draw(place.current, {
        times,
        series,
        kind,
        height,
        ink: palette.text.secondary,
        grid: palette.divider,
        colors:
          palette.mode === 'dark'
            ? ['#5fcdb0', '#8ab4f8', '#f2b56b', '#f28b82']
            : ['#0b6b57', '#2a62b8', '#b06a00', '#a4262c'],
      })
    }
    show().catch(() => setNotLoaded(true))
    return () => {
      isGone = true
      remove()
    }
  }, [times, series, kind, height, palette, locale])
  return (
    <Box component="figure" sx={{ m: 0, position: 'relative' }}>
      {notLoaded && <Alert severity="warning">{t.notLoaded}</Alert>}
      <div ref={place} style={{ minHeight: height }} aria-hidden="true" />
      <Box sx={HIDDEN}>
        <table>
          <caption>{label}</caption>
          <thead>
            <tr>
              <td />
              {series.map((one) => (
                <th key={one.label}>{one.label}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {times.map((time, i) => (
              <tr key={time}>
                <th>{date(time)}</th>
                {series.map((one) => (
                  <td key={one.label}>{one.values[i] == null ? '' : number(one.values[i]!)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Box>
    </Box>
  )
}
