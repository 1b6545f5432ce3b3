/**
 * Splits a command line into options and words and reports all mistakes, not only the first. Why not `parseArgs` of `node:util`:
 * ADR 0013.
 */

import { didYouMean } from '#lib/nearest.ts'

export interface Option {
  /** Without dashes. */
  readonly name: string
  /** The placeholder of the value in help. An option without one is a switch. */
  readonly value?: string
  readonly help: string
  /** May be given several times: the values are joined by REPEATED. */
  readonly repeats?: true
}

export const REPEATED = '\0'

export interface Parsed {
  /** Switches have the value `''`. */
  readonly options: ReadonlyMap<string, string>
  readonly words: readonly string[]
  readonly problems: readonly string[]
}

export function parseArgs(argv: readonly string[], known: readonly Option[]): Parsed {
  const options = new Map<string, string>()
  const words: string[] = []
  const problems: string[] = []
  let at = 0
  while (at < argv.length) {
    const arg = argv[at++]!
    if (arg === '--') {
      words.push(...argv.slice(at))
      break
    }
    if (!arg.startsWith('-') || arg === '-') {
      words.push(arg)
      continue
    }
    const equals = arg.indexOf('=')
    const written = equals < 0 ? arg : arg.slice(0, equals)
    const name = written === '-h' ? 'help' : written.replace(/^--/, '')
    const option = written.startsWith('--') || written === '-h' ? known.find((o) => o.name === name) : undefined
    if (!option) {
      const dashed = known.map((o) => `--${o.name}`)
      problems.push(`${written} is not an option${didYouMean(written, dashed) || '.'}`)
      // Skips its value, which would otherwise be reported as an unexpected word.
      if (equals < 0 && argv[at] !== undefined && !argv[at]!.startsWith('-')) at++
      continue
    }
    if (options.has(name) && option.repeats !== true) problems.push(`--${name} is set twice.`)
    if (option.value === undefined) {
      if (equals >= 0) problems.push(`--${name} takes no value.`)
      options.set(name, '')
    } else if (equals >= 0 || at < argv.length) {
      const value = equals >= 0 ? arg.slice(equals + 1) : argv[at++]!
      const before = option.repeats === true ? options.get(name) : undefined
      options.set(name, before === undefined ? value : before + REPEATED + value)
    } else problems.push(`--${name} needs a value: --${name} ${option.value}.`)
  }
  return { options, words, problems }
}
