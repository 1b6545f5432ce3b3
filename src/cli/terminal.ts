/** What commands say and ask. Results go to standard output, everything else to standard error. */
import { createInterface } from 'node:readline'

import { systemClock } from '../platform/clock.ts'
import { EXIT, Refusal } from './exit-codes.ts'

export const say = (text: string): void => void process.stdout.write(text + '\n')
export const note = (text: string): void => void process.stderr.write(text + '\n')

/** `1.5 MB`, in powers of 1000. */
export function bytes(n: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  let unit = 0
  let value = n
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000
    unit++
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]!}`
}

/** Rows of equal columns, two spaces apart. */
export function columns(rows: readonly (readonly string[])[], indent = ''): string {
  const widths: number[] = []
  for (const row of rows) for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length)
  return rows.map((row) => (indent + row.map((cell, i) => cell.padEnd(widths[i]!)).join('  ')).trimEnd()).join('\n')
}

export interface Progress {
  add(amount: number): void
  done(): void
}

const BAR = 24
/** Redraws a second: more flickers, and costs more than the work. */
const REDRAWS = 10

/** A bar on a terminal, silence elsewhere. `total` in bytes. */
export function progress(label: string, total: number): Progress {
  if (!process.stderr.isTTY) return { add() {}, done() {} }
  let sum = 0
  let drawn = 0
  const draw = (): void => {
    const part = total === 0 ? 1 : Math.min(1, sum / total)
    const filled = Math.round(part * BAR)
    const bar = '█'.repeat(filled) + '░'.repeat(BAR - filled)
    process.stderr.write(`\r${label} ${bar} ${String(Math.floor(part * 100)).padStart(3)} %  ${bytes(sum)}\u001b[K`)
  }
  return {
    add(amount) {
      sum += amount
      const now = systemClock.now()
      if (now - drawn < 1000 / REDRAWS) return
      drawn = now
      draw()
    },
    done() {
      draw()
      process.stderr.write('\n')
    },
  }
}

/** Asks on the terminal without showing what is typed. */
export async function askSecret(question: string): Promise<string> {
  if (!process.stdin.isTTY)
    throw new Refusal('There is no terminal to ask on: give --password-file FILE or --generate.', EXIT.usage)
  process.stderr.write(question)
  const lines = createInterface({ input: process.stdin, terminal: true })
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.once('line', resolve)
      lines.once('SIGINT', () => reject(new Refusal('Interrupted.', EXIT.failure)))
      lines.once('close', () => reject(new Refusal('Nothing was typed.', EXIT.usage)))
    })
  } finally {
    lines.close()
    process.stderr.write('\n')
  }
}
