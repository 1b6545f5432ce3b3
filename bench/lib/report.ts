/** Collects the lines of a run and prints them as a Markdown table, which can be pasted into docs/benchmarks.md. */

import type { Figures } from './compare.ts'

export interface Line {
  what: string
  against: string
  ours: string
  theirs: string
  ratio: string
  goal?: string
  met?: boolean
}

/** A goal for a value: at least `min` or at most `max`. */
export type Goal = { min: number } | { max: number }

export class Report {
  readonly lines: Line[] = []
  readonly notes: string[] = []

  add(line: Line): void {
    this.lines.push(line)
    const verdict = line.met === undefined ? '' : line.met ? '  met' : '  MISSED'
    console.error(
      `${line.what} | ${line.ours}${line.against && ` against ${line.against} ${line.theirs}`}: ${line.ratio}${line.goal ? ` (goal ${line.goal})` : ''}${verdict}`,
    )
  }

  note(text: string): void {
    if (this.notes.includes(text)) return
    this.notes.push(text)
    console.error(text)
  }

  /** Adds a figure that is compared with a limit or with another figure. */
  value(what: string, ours: string, value: number, against: string, theirs: string, goal?: Goal, unit = '×'): void {
    this.add({
      what,
      against,
      ours,
      theirs,
      ratio: unit === '×' ? times(value) : `${round(value)} ${unit}`,
      ...judged(value, goal, unit),
    })
  }

  /**
   * Adds a comparison of two servers. Prints two ratios; above 1, Tessera is better. `by` is the one that the goal is for: CPU if the
   * load generator is the bottleneck, requests per second if waiting (for a disk) is part of the work.
   */
  http(what: string, against: string, ours: Figures, theirs: Figures, by: 'cpu' | 'rate', min?: number): void {
    const rate = ours.perSecond / theirs.perSecond
    const cpu = theirs.cpuUs / ours.cpuUs
    const goal =
      min === undefined
        ? {}
        : { goal: `≥ ${min} ${by === 'cpu' ? 'CPU' : 'req/s'}`, met: (by === 'cpu' ? cpu : rate) >= min }
    this.add({
      what,
      against,
      ours: figures(ours),
      theirs: figures(theirs),
      ratio: `${times(rate)} req/s, ${times(cpu)} CPU`,
      ...goal,
    })
  }

  markdown(): string {
    const rows = this.lines.map((l) =>
      [
        l.what,
        l.ours,
        l.against,
        l.theirs,
        l.ratio,
        l.goal ?? '',
        l.met === undefined ? '' : l.met ? 'met' : '**missed**',
      ].join(' | '),
    )
    const head = '| line | Tessera | peer | peer’s figure | ratio | goal | |\n|---|---|---|---|---|---|---|'
    const notes = this.notes.length > 0 ? `\n\n${this.notes.map((n) => `- ${n}`).join('\n')}` : ''
    return `${head}\n${rows.map((r) => `| ${r} |`).join('\n')}${notes}`
  }
}

function judged(value: number, goal: Goal | undefined, unit: string): { goal?: string; met?: boolean } {
  if (goal === undefined) return {}
  const sign = unit === '×' ? '×' : ` ${unit}`
  const show = (n: number): string => (unit === '×' ? `${sign}${n}` : `${n.toLocaleString('en')}${sign}`)
  return 'min' in goal
    ? { goal: `≥ ${show(goal.min)}`, met: value >= goal.min }
    : { goal: `≤ ${show(goal.max)}`, met: value <= goal.max }
}

const figures = (f: Figures): string => `${whole(f.perSecond)}/s, ${round(f.cpuUs)} µs`
export const whole = (n: number): string => Math.round(n).toLocaleString('en')
export const round = (n: number): string => (n >= 100 ? whole(n) : n >= 10 ? n.toFixed(1) : n.toFixed(2))
export const times = (n: number): string => `×${round(n)}`
