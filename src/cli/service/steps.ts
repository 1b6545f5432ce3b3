/** The steps of a service command, as data: `--dry-run` prints the same steps that are otherwise performed. */

import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fchmodSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'

import { EXIT, Refusal } from '../exit-codes.ts'

export type Step =
  | { readonly kind: 'run'; readonly command: readonly string[]; readonly mayFail?: true }
  | {
      readonly kind: 'write'
      readonly path: string
      readonly mode: number
      readonly text: string
      /** The text without secrets, for `--dry-run`. */
      readonly shown?: string
      readonly encoding?: 'utf16le'
    }
  | { readonly kind: 'copy'; readonly from: string; readonly to: string }
  | { readonly kind: 'rename'; readonly from: string; readonly to: string }
  | { readonly kind: 'remove'; readonly path: string }

export const run = (...command: string[]): Step => ({ kind: 'run', command })
/** A command whose failure means that there is nothing to do. */
export const tryRun = (...command: string[]): Step => ({ kind: 'run', command, mayFail: true })
export const remove = (path: string): Step => ({ kind: 'remove', path })

const PROGRAM_MODE = 0o755

/** @throws Refusal with the error of a command that fails; earlier steps are not undone */
export function perform(steps: readonly Step[]): void {
  for (const step of steps) {
    switch (step.kind) {
      case 'run':
        runCommand(step)
        break
      case 'write':
        replaceFile(step.path, (made) => writeNew(made, step))
        break
      case 'copy':
        replaceFile(step.to, (made) => {
          copyFileSync(step.from, made)
          chmodSync(made, PROGRAM_MODE)
        })
        break
      case 'rename':
        if (existsSync(step.from)) renameSync(step.from, step.to)
        break
      case 'remove':
        rmSync(step.path, { recursive: true, force: true })
        break
    }
  }
}

function runCommand({ command, mayFail }: Extract<Step, { kind: 'run' }>): void {
  const { exitCode, output } = outputOf(command)
  if (exitCode !== 0 && !mayFail) throw new Refusal(`"${command.join(' ')}" failed: ${output}`, EXIT.failure)
}

/** Runs a command and waits for its end. The output is that of both streams. */
export function outputOf(command: readonly string[]): { exitCode: number; output: string } {
  try {
    const { exitCode, stdout, stderr } = Bun.spawnSync([...command], { stdin: 'ignore' })
    return { exitCode, output: `${stdout.toString()}${stderr.toString()}`.trim() }
  } catch (error) {
    return { exitCode: 127, output: (error as Error).message }
  }
}

/** A program that runs cannot be written, but replaced; and a file is never there with half of its bytes. */
function replaceFile(path: string, make: (path: string) => void): void {
  const folder = dirname(path)
  if (!existsSync(folder)) {
    mkdirSync(folder, { recursive: true })
    // This process creates files that only their owner can read.
    chmodSync(folder, PROGRAM_MODE)
  }
  const made = `${path}.new`
  rmSync(made, { force: true })
  make(made)
  renameSync(made, path)
}

/** Follows no link, which the user of the service could have put into its data directory. */
function writeNew(path: string, { text, mode, encoding }: Extract<Step, { kind: 'write' }>): void {
  const fd = openSync(path, 'wx', 0o600)
  try {
    writeFileSync(fd, encoding === undefined ? text : Buffer.from(`\uFEFF${text}`, encoding))
    fchmodSync(fd, mode)
  } finally {
    closeSync(fd)
  }
}

export function printed(steps: readonly Step[]): string {
  return steps.map(printStep).join('\n')
}

function printStep(step: Step): string {
  switch (step.kind) {
    case 'run':
      return step.command.map(quoted).join(' ')
    case 'write': {
      const text = (step.shown ?? step.text).trimEnd().replaceAll(/^(?=.)/gm, '    ')
      return `write ${quoted(step.path)} (mode ${step.mode.toString(8)}):\n${text}`
    }
    case 'copy':
      return `copy ${quoted(step.from)} to ${quoted(step.to)} (mode ${PROGRAM_MODE.toString(8)})`
    case 'rename':
      return `rename ${quoted(step.from)} to ${quoted(step.to)}, if it is there`
    case 'remove':
      return `delete ${quoted(step.path)}`
  }
}

/** A word as a person types it in a shell. */
export const quoted = (word: string): string =>
  /^[\w./:=@%+,\\-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
