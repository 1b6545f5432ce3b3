/** The command `service`: installs the server as a service of the system, and controls it. */

import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { isAbsolute, join, relative } from 'node:path'

import type { Config } from '#config/config.ts'
import { ConfigError, readConfig } from '#config/read.ts'
import { didYouMean } from '#lib/nearest.ts'
import { SECOND, systemClock } from '#platform/clock.ts'
import { readHolder } from '#platform/lock.ts'

import { EXIT, type ExitCode, Refusal } from './exit-codes.ts'
import { linux } from './service/linux.ts'
import { macos } from './service/macos.ts'
import { hasNews, readSettings, settingsFile } from './service/settings-file.ts'
import { perform, printed, quoted, remove, type Step } from './service/steps.ts'
import { type Installed, readMark, type Service, type ServiceSystem, SETTINGS_FILE } from './service/system.ts'
import { windows } from './service/windows.ts'
import { bytes, note, say } from './terminal.ts'
import type { Call, Run } from './verb.ts'

const SYSTEMS: Partial<Record<NodeJS.Platform, ServiceSystem>> = { linux, darwin: macos, win32: windows }
const ACTIONS = ['install', 'status', 'start', 'stop', 'restart', 'uninstall'] as const
type Action = (typeof ACTIONS)[number]
/** Options that only some actions take. */
const OPTIONS: Readonly<Record<string, readonly Action[]>> = {
  user: ['install'],
  force: ['install'],
  'dry-run': ['install', 'uninstall'],
  purge: ['uninstall'],
  yes: ['uninstall'],
}
/** The exit code of a service that is not installed, or is there already. */
const OTHER_STATE = EXIT.busy

export const run: Run = async (call) => {
  const [word] = call.words
  const action = ACTIONS.find((known) => known === word)
  if (!action) throw new Refusal(`${word!} is not an action of service${didYouMean(word!, ACTIONS) || '.'}`, EXIT.usage)
  for (const [option, actions] of Object.entries(OPTIONS))
    if (call.options.has(option) && !actions.includes(action))
      throw new Refusal(`--${option} is not an option of "service ${action}".`, EXIT.usage)
  const system = SYSTEMS[process.platform]
  if (!system) throw new Refusal(`Tessera has no service for ${process.platform}.`, EXIT.usage)
  if (!Bun.isStandaloneExecutable)
    throw new Refusal('A service needs the executable: run "bun run build", then "dist/tessera service …".', EXIT.usage)
  const name = call.options.get('name') ?? 'tessera'
  if (!/^[a-z][a-z0-9-]{0,29}$/.test(name))
    throw new Refusal('--name takes up to 30 lower-case letters, digits and hyphens.', EXIT.usage)

  const dryRun = call.options.has('dry-run')
  if (action !== 'status' && !dryRun) {
    if (!system.isAdministrator()) throw new Refusal(asAdministrator(call), EXIT.storage)
    const obstacle = system.obstacle()
    if (obstacle !== undefined) throw new Refusal(obstacle, EXIT.usage)
  }
  if (action === 'install') return install(system, name, call)
  const service = installed(system, name)
  if (action === 'status') return status(system, service)
  if (action === 'uninstall') return uninstall(system, service, call)
  // Its first lines may be far back in the log.
  if (action === 'start' && system.state(service) === 'RUNNING') return status(system, service)
  const since = systemClock.now()
  perform(system[action](service))
  if (action !== 'stop') return waitForAnswer(system, service, since)
  say(`The service ${name} has stopped.`)
  return EXIT.ok
}

/** The command to type instead. */
function asAdministrator(call: Call): string {
  const typed = [process.execPath, ...process.argv.slice(2)].map(quoted).join(' ')
  if (process.platform === 'win32')
    return `Only an administrator can do this. Open a terminal by "Run as administrator" and type:\n${typed}`
  const variables = [...call.reading.origins.values()].filter((origin) => origin.startsWith('TESSERA_'))
  const keep = variables.length === 0 ? '' : `--preserve-env=${variables.join(',')} `
  return `Only root can do this:\nsudo ${keep}${typed}`
}

const definitionOf = (system: ServiceSystem, name: string): string | undefined => {
  const path = system.definition(name)
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

function serviceOf(system: ServiceSystem, name: string, { dataDir, user, madeUser }: Installed): Service {
  return {
    name,
    dataDir,
    user,
    madeUser,
    program: system.defaults(name).program,
    lowPort: false,
    folders: [],
    files: [],
  }
}

function installed(system: ServiceSystem, name: string): Service {
  const definition = definitionOf(system, name)
  if (definition === undefined) throw new Refusal(`The service ${name} is not installed.`, OTHER_STATE)
  const mark = readMark(definition)
  if (mark) return serviceOf(system, name, mark)
  const path = system.definition(name)
  throw new Refusal(
    `${path} was not written by this command: control it with the tools of the system, or replace it with "service install --force".`,
    EXIT.usage,
  )
}

// install

async function install(system: ServiceSystem, name: string, call: Call): Promise<ExitCode> {
  const definition = definitionOf(system, name)
  const force = call.options.has('force')
  if (definition !== undefined && !force)
    throw new Refusal(
      `The service ${name} is already there (${system.definition(name)}): --force replaces it and its program, and keeps all data.`,
      OTHER_STATE,
    )
  const before = definition === undefined ? undefined : readMark(definition)
  const defaults = system.defaults(name)
  const { program } = defaults
  const isProgram = existsSync(program) && realpathSync(program) === realpathSync(process.execPath)
  if (!isProgram && existsSync(program) && !force)
    throw new Refusal(`${program} is already there: --force replaces it.`, OTHER_STATE)

  const given = call.reading
  const dataDir = given.origins.has('dataDir') ? given.config.dataDir : (before?.dataDir ?? defaults.dataDir)
  const reading = readSettings(call, join(dataDir, SETTINGS_FILE), dataDir)
  if (reading.problems.length > 0) throw new ConfigError(reading.problems)
  const user = call.options.get('user') ?? before?.user ?? defaults.user
  if (!/^(S-[\d-]+|[a-z_][a-z0-9_-]{0,30})$/.test(user))
    throw new Refusal('--user takes the name of a user of this machine.', EXIT.usage)
  const makeUser = !system.userExists(user)
  const service = describe(system, name, reading.config, {
    dataDir,
    user,
    madeUser: makeUser || (before?.user === user && before.madeUser),
  })
  const mistake = system.mistake(service) ?? foreignFolder(dataDir)
  if (mistake !== undefined) throw new Refusal(mistake, EXIT.usage)

  // Where the output goes to a file that nothing shortens, it has no line for each request.
  const extra: Record<string, string> = system === linux ? {} : { log_level: 'warn' }
  const steps = system.install(service, {
    from: isProgram ? undefined : process.execPath,
    makeUser,
    isReplaced: definition !== undefined,
    makeFolders: service.folders.filter((folder) => !existsSync(folder)),
    settings: hasNews(reading, join(dataDir, SETTINGS_FILE)) ? settingsFile(reading, dataDir, extra) : undefined,
  })
  if (call.options.has('dry-run')) return show(steps)
  const since = systemClock.now()
  perform(steps)
  say(`The service ${name} is installed: ${program}, with its data and ${SETTINGS_FILE} in ${dataDir}.`)
  return waitForAnswer(system, service, since)
}

function describe(system: ServiceSystem, name: string, config: Config, installed: Installed): Service {
  const { port, httpPort, backupDir, sharedFiles, tlsCert, tlsKey, geoipFile } = config
  const isLow = (number: number | null): boolean => number !== null && number > 0 && number < 1024
  const isOutside = (folder: string): boolean => {
    const path = relative(installed.dataDir, folder)
    return folder !== '' && (path.startsWith('..') || isAbsolute(path))
  }
  return {
    ...serviceOf(system, name, installed),
    lowPort: isLow(port) || isLow(httpPort),
    folders: [backupDir, sharedFiles].filter(isOutside),
    files: [tlsCert, tlsKey, ...geoipFile].filter((file) => file !== ''),
  }
}

/** The user of the service gets all that is in its data directory, so it must be one. */
function foreignFolder(dataDir: string): string | undefined {
  let names: string[]
  try {
    names = readdirSync(dataDir)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // --dry-run of a user who cannot read it.
    if (code === 'ENOENT' || code === 'EACCES') return undefined
    return `${dataDir} cannot be the data directory: ${(error as Error).message}`
  }
  if (names.length === 0 || names.includes('lock.db') || names.includes(SETTINGS_FILE)) return undefined
  return `${dataDir} is not empty, and no data directory of Tessera: choose another with --data-dir.`
}

function show(steps: readonly Step[]): ExitCode {
  say(printed(steps))
  return EXIT.ok
}

/** How long the first start may take, with a new database on a slow disk. */
const ANSWER_MS = 30 * SECOND
const LOOK_MS = 250
const LAST_LINES = 10

/** Prints the address, and the setup link while there is no administrator, or why the server does not answer. */
async function waitForAnswer(system: ServiceSystem, service: Service, since: number): Promise<ExitCode> {
  const end = systemClock.now() + ANSWER_MS
  while (systemClock.now() < end && system.state(service) !== 'FAILED') {
    const listening = system.lines(service).findIndex((line) => line.startsWith('listening on '))
    if (listening >= 0) {
      // The setup link is the next line, and may need a moment.
      await Bun.sleep(LOOK_MS)
      const [first, second = ''] = system.lines(service).slice(listening)
      say(`The service ${service.name} is ${first!}`)
      if (second.startsWith('There is no administrator')) say(second)
      return EXIT.ok
    }
    await Bun.sleep(LOOK_MS)
  }
  note(`The service ${service.name} does not answer. Its last lines:`)
  for (const line of system.lastLines(service, LAST_LINES, since)) note(`  ${line}`)
  return EXIT.failure
}

function status(system: ServiceSystem, service: Service): ExitCode {
  const { name, program, dataDir, user } = service
  const isRunning = system.state(service) === 'RUNNING'
  // Only root and the service can read it.
  const url = isRunning ? readHolder(dataDir)?.url : undefined
  say(`The service ${name} ${isRunning ? 'is running' : 'is not running'}${url === undefined ? '' : ` on ${url}`}.`)
  say(`Program: ${program}\nData: ${dataDir}\nUser: ${user}`)
  return isRunning ? EXIT.ok : EXIT.failure
}

function uninstall(system: ServiceSystem, service: Service, { options }: Call): ExitCode {
  const { dataDir, name, program } = service
  const typed = options.get('purge')
  if (typed !== undefined && (typed !== dataDir || !options.has('yes')))
    throw new Refusal(
      `Nothing was done. To delete all data of the service, type: --purge ${quoted(dataDir)} --yes`,
      EXIT.usage,
    )
  const backups = backupsOf(dataDir)
  const steps = [...system.uninstall(service)]
  if (typed !== undefined) steps.push(...[...new Set([realPath(dataDir), dataDir])].map(remove))
  if (options.has('dry-run')) return show(steps)
  // Windows deletes no program that runs.
  const busy = process.platform === 'win32' && process.execPath === program
  perform(steps.filter((step) => !busy || step.kind !== 'remove' || step.path !== program))
  say(`The service ${name} is uninstalled.`)
  if (busy) say(`Delete the program yourself: ${program}`)
  if (typed !== undefined) say(`The data is deleted: ${dataDir}`)
  const kept = [dataDir, backups].filter((folder) => existsSync(folder))
  for (const folder of kept)
    say(`The ${folder === dataDir ? 'data is' : 'backups are'} kept: ${folder} (${bytes(sizeOf(realPath(folder)))})`)
  return EXIT.ok
}

function backupsOf(dataDir: string): string {
  const file = join(dataDir, SETTINGS_FILE)
  const own = join(dataDir, 'backups')
  if (!existsSync(file)) return own
  const { config } = readConfig({ flags: new Map(), env: {}, directory: dataDir, configFile: file, terminal: false })
  return config.backupDir || own
}

/** The directory behind a link, which a unit with DynamicUser leaves. */
const realPath = (path: string): string => (existsSync(path) ? realpathSync(path) : path)

function sizeOf(path: string): number {
  const found = lstatSync(path)
  if (!found.isDirectory()) return found.size
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0)
}
