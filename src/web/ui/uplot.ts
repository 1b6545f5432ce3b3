/** Draws a chart with uPlot. Loaded by Chart.tsx when it is needed. */

import uPlot from 'uplot'

import 'uplot/dist/uPlot.min.css'
import { date, number } from '../i18n/format.ts'

export interface Series {
  readonly label: string
  /** One value for each time; null for a gap. */
  readonly values: readonly (number | null)[]
  /** A CSS colour; by default the next of the palette. */
  readonly color?: string
}

/** Distances between the marks of the values, which are whole numbers. */
const STEPS = Array.from({ length: 13 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat()

interface Drawing {
  times: readonly number[]
  series: readonly Series[]
  kind: 'line' | 'bar'
  height: number
  ink: string
  grid: string
  colors: readonly string[]
}

/** Returns the function that removes the chart. */
export function draw(place: HTMLElement, { times, series, kind, height, ink, grid, colors }: Drawing): () => void {
  const axis = { stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 } }
  const chart = new uPlot(
    {
      width: place.clientWidth,
      height,
      // Without the row of the time, which uPlot names in English only.
      legend: { show: series.length > 1, live: false },
      cursor: { y: false },
      axes: [
        { ...axis, values: (_, ticks) => ticks.map((tick) => date(tick * 1000)), space: 120, size: 32 },
        { ...axis, values: (_, ticks) => ticks.map((tick) => number(tick)), size: 56, incrs: STEPS },
      ],
      scales: { y: { range: (_, __, max) => [0, Math.max(max ?? 0, 1) * 1.1] } },
      series: [
        { value: (_, value: number | null) => (value === null ? '' : date(value * 1000)) },
        ...series.map((one, i) => {
          const color = one.color ?? colors[i % colors.length]!
          return {
            label: one.label,
            stroke: color,
            width: 2,
            fill: kind === 'bar' ? color : `${color}22`,
            points: { show: times.length < 2 },
            ...(kind === 'bar' && { paths: uPlot.paths.bars!({ size: [0.7, 40] }) }),
          }
        }),
      ],
    },
    [times.map((time) => time / 1000), ...series.map(({ values }) => [...values])] as uPlot.AlignedData,
    place,
  )
  const observer = new ResizeObserver(() => chart.setSize({ width: place.clientWidth, height }))
  observer.observe(place)
  return () => {
    observer.disconnect()
    chart.destroy()
  }
}
