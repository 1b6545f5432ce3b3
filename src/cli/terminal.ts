/** Output and prompts of commands. Results are written to standard output, everything else to standard error. */

import { writeSync } from 'node:fs'

import { systemClock } from '#platform/clock.ts'

import { EXIT, Refusal } from './exit-codes.ts'

// A reader such as `head` that has seen enough is no failure, and must end no server.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

export const say = (text: string): void => void process.stdout.write(text + '\n')

/** Synchronous, because the process may end right afterwards. A standard error that is full or closed changes no exit code. */
export function note(text: string): void {
  try {
    writeSync(2, text + '\n')
  } catch {
    // The exit code still says that something failed.
  }
}

/** Formats a number of bytes in powers of 1000: `1.5 MB`. */
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

/** Aligns the cells of rows in columns, two spaces apart. */
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
/** Redraws per second: more would flicker and cost more than the work itself. */
const REDRAWS = 10

/** Shows a bar on a terminal, and nothing elsewhere. `total` in bytes. */
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

/** Asks on the terminal and does not show the typed text. */
export async function askSecret(question: string): Promise<string> {
  const { stdin } = process
  if (!stdin.isTTY)
    throw new Refusal('There is no terminal to ask on: use --password-file FILE or --generate.', EXIT.usage)
  // Before the question is printed: a fast typist's first keys must not be shown either.
  stdin.setRawMode(true)
  process.stderr.write(question)
  const decoder = new TextDecoder()
  let typed: string[] = []
  let onKeys: (chunk: Uint8Array) => void = () => {}
  try {
    return await new Promise<string>((resolve, reject) => {
      onKeys = (chunk) => {
        for (const key of decoder.decode(chunk, { stream: true })) {
          if (key === '\r' || key === '\n') resolve(typed.join(''))
          else if (key === '\u0003' || key === '\u0004') reject(new Refusal('Interrupted.', EXIT.failure))
          else if (key === '\u007f' || key === '\b') typed.pop()
          else if (key === '\u0015') typed = []
          else typed.push(key)
        }
      }
      stdin.on('data', onKeys).resume()
    })
  } finally {
    stdin.off('data', onKeys).pause()
    stdin.setRawMode(false)
    process.stderr.write('\n')
  }
}
