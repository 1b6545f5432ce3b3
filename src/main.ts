/** The command line: finds the command, reads the configuration, and turns an error into a sentence and an exit code. */

import { type Option, parseArgs } from '#cli/args.ts'
import { keepWindow } from '#cli/double-click.ts'
import { EXIT, type ExitCode, explain, Refusal } from '#cli/exit-codes.ts'
import { configOption, overview, verbHelp } from '#cli/help.ts'
import { note, say } from '#cli/terminal.ts'
import type { Call, Verb } from '#cli/verb.ts'
import { verbs } from '#cli/verbs.ts'
import { startChanges } from '#config/changed.ts'
import { pastPooler } from '#config/config.ts'
import { useDatabase } from '#config/database-url.ts'
import { ConfigError, flagNames, readConfig } from '#config/read.ts'
import { flagName, settings } from '#config/settings.ts'
import { isApiKey } from '#lib/api-key.ts'
import { didYouMean } from '#lib/nearest.ts'
import { BACKUP_PROCESS } from '#platform/backup/process.ts'
import { IMAGE_PROCESS } from '#platform/images/port.ts'
import { SHEET_PROCESS } from '#platform/spreadsheets/port.ts'

const helpOption: Option = { name: 'help', help: 'Explain this command.' }
const switches: ReadonlySet<string> = new Set(settings.filter((s) => s.isSwitch).map((s) => flagName(s.key)))
const settingOptions: readonly Option[] = flagNames.map((name) => ({
  name,
  ...(!switches.has(name) && { value: 'VALUE' }),
  help: '',
}))

async function main(argv: readonly string[]): Promise<ExitCode> {
  // Not a command: the server starts itself with such an argument (platform/task-process.ts).
  if (argv.length === 1 && process.send !== undefined) {
    const isTaskProcess = await runTaskProcess(argv[0]!)
    if (isTaskProcess) return EXIT.ok
  }
  if (argv[0] === '--help' || argv[0] === '-h') return help(overview(verbs))
  const [verb, rest] = command(argv[0] === '--version' || argv[0] === '-v' ? ['version', ...argv.slice(1)] : argv)
  const parsed = parseArgs(rest, [...verb.options, ...settingOptions, configOption, helpOption])
  if (parsed.options.has('help')) return help(verbHelp(verb))

  const problems = [...parsed.problems]
  const [min, max] = verb.takes
  if (parsed.words.length < min) problems.push(`An argument is missing: tessera ${verb.name} ${verb.words}`)
  for (const extra of parsed.words.slice(max)) problems.push(`${shown(extra)} is not expected here.`)
  if (problems.length > 0) throw new Refusal(`${problems.join('\n')}\nTry: tessera ${verb.name} --help`, EXIT.usage)

  const { run } = await verb.load()
  return run(callOf(parsed.options, parsed.words))
}

/** A key that is given by mistake must not reach the log of the job that runs the command. */
const shown = (word: string): string => (isApiKey(word) ? 'An API key' : JSON.stringify(word))

async function runTaskProcess(argument: string): Promise<boolean> {
  if (argument === IMAGE_PROCESS) (await import('#platform/images/image-main.ts')).runImageProcess()
  else if (argument === SHEET_PROCESS) (await import('#platform/spreadsheets/sheet-main.ts')).runSheetProcess()
  else if (argument === BACKUP_PROCESS) (await import('#cli/backup-process.ts')).runBackupProcess()
  else return false
  return true
}

function command(argv: readonly string[]): [Verb, readonly string[]] {
  const [name, ...rest] = argv
  // Without a command the server starts, so that a double click works.
  if (name === undefined || name.startsWith('-')) return [verbs.find((v) => v.name === 'serve')!, argv]
  const verb = verbs.find((v) => v.name === name)
  if (verb) return [verb, rest]
  const names = verbs.map((v) => v.name)
  throw new Refusal(`${name} is not a command${didYouMean(name, names) || '.'}\nTry: tessera help`, EXIT.usage)
}

function callOf(options: Call['options'], words: readonly string[]): Call {
  let reading: Call['reading'] | undefined
  const directory = process.cwd()
  const readNow = (): Call['reading'] =>
    readConfig({
      flags: options,
      directory,
      ...(options.has('config') ? { configFile: options.get('config')! } : {}),
      terminal: process.stderr.isTTY,
    })
  const read = (): Call['reading'] => (reading ??= readNow())
  return {
    options,
    words,
    get reading() {
      return read()
    },
    config() {
      const { config: given, problems } = read()
      const config = pastPooler(given)
      if (problems.length > 0) throw new ConfigError(problems)
      useDatabase(config.databaseUrl)
      place = `The data directory ${config.dataDir}`
      return config
    },
    changes: () => startChanges(read(), readNow()),
  }
}

function help(text: string): ExitCode {
  say(text.trimEnd())
  return EXIT.ok
}

/** The subject of errors of the disk: the data directory, once it is known. */
let place = 'The disk'

// Other users must not read the files of this process: database, keys, uploads, backups.
process.umask(0o077)
try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  const { sentence, exitCode, unexpected } = explain(error, place)
  note(unexpected ? `Tessera failed: ${sentence}` : sentence)
  if (unexpected && error instanceof Error && error.stack) note(error.stack)
  keepWindow()
  // Not `process.exitCode`: a timer or connection that the failed command has left would keep the process alive.
  process.exit(exitCode)
}
