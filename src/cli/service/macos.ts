/** The service of macOS: a daemon of launchd. */

import { join } from 'node:path'

import { escapeHtml } from '#lib/text.ts'

import { outputOf, remove, run, type Step, tryRun } from './steps.ts'
import {
  endOfFile,
  type Installation,
  LOG_FILE,
  markOf,
  type Service,
  type ServiceSystem,
  SETTINGS_FILE,
} from './system.ts'

const labelOf = (name: string): string => `local.${name}`
const target = (name: string): string => `system/${labelOf(name)}`
const plistFile = (name: string): string => `/Library/LaunchDaemons/${labelOf(name)}.plist`
const logOf = ({ dataDir }: Service): string => join(dataDir, LOG_FILE)

const string = (text: string): string => `<string>${escapeHtml(text)}</string>`

/** The property list. launchd waits 2 seconds between two starts, and restarts after every exit code but 0. */
export function plistOf(service: Service): string {
  const { name, user, dataDir, program } = service
  const log = string(logOf(service))
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- ${markOf(service)} -->
<plist version="1.0">
<dict>
  <key>Label</key>${string(labelOf(name))}
  <key>ProgramArguments</key>
  <array>
    ${string(program)}
    <string>serve</string>
    <string>--config</string>
    ${string(join(dataDir, SETTINGS_FILE))}
  </array>
  <key>UserName</key>${string(user)}
  <key>WorkingDirectory</key>${string(dataDir)}
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
  <key>ThrottleInterval</key><integer>2</integer>
  <key>ExitTimeOut</key><integer>20</integer>
  <key>Umask</key><integer>63</integer>
  <key>SoftResourceLimits</key><dict><key>NumberOfFiles</key><integer>65536</integer></dict>
  <key>HardResourceLimits</key><dict><key>NumberOfFiles</key><integer>65536</integer></dict>
  <key>StandardOutPath</key>${log}
  <key>StandardErrorPath</key>${log}
</dict>
</plist>
`
}

/** Ids that macOS leaves to users of services. */
const FIRST_ID = 300
const LAST_ID = 399
/** The group `daemon`. Nothing of the service can be read by a group. */
const GROUP = '1'

/** `listed`: the output of `dscl . -list /Users UniqueID`. Undefined if all ids are taken. */
export function freeId(listed: string): string | undefined {
  const taken = new Set([...listed.matchAll(/\s(\d+)$/gm)].map(([, id]) => Number(id)))
  for (let id = FIRST_ID; id <= LAST_ID; id++) if (!taken.has(id)) return String(id)
  return undefined
}

function makeUser(user: string): Step[] {
  const id = freeId(outputOf(['dscl', '.', '-list', '/Users', 'UniqueID']).output) ?? String(LAST_ID)
  const record = `/Users/${user}`
  const create = (...rest: string[]): Step => run('dscl', '.', '-create', record, ...rest)
  return [
    create(),
    create('UniqueID', id),
    create('PrimaryGroupID', GROUP),
    create('UserShell', '/usr/bin/false'),
    create('NFSHomeDirectory', '/var/empty'),
    create('RealName', 'Tessera'),
    create('Password', '*'),
    create('IsHidden', '1'),
  ]
}

/** Longer than ExitTimeOut. */
const STOP_SECONDS = 30

/** The log of the last start begins in a new file, so that its lines are found. */
const start = (service: Service): Step[] => [
  { kind: 'rename', from: logOf(service), to: `${logOf(service)}.old` },
  run('launchctl', 'enable', target(service.name)),
  run('launchctl', 'bootstrap', 'system', plistFile(service.name)),
]
/** `bootout` may return before the server has answered the requests under way, and until then `bootstrap` fails. */
const stop = ({ name }: Service): Step[] => [
  tryRun('launchctl', 'bootout', target(name)),
  run(
    'sh',
    '-c',
    `for n in $(seq ${STOP_SECONDS}); do launchctl print ${target(name)} >/dev/null 2>&1 || break; sleep 1; done`,
  ),
]

function install(service: Service, installation: Installation): Step[] {
  const { name, user, dataDir, program } = service
  const { from, makeFolders, settings } = installation
  const steps = [...(installation.makeUser ? makeUser(user) : []), ...stop(service)]
  for (const folder of [dataDir, ...makeFolders]) steps.push(run('install', '-d', '-m', '700', '-o', user, folder))
  if (settings) steps.push({ kind: 'write', path: join(dataDir, SETTINGS_FILE), mode: 0o600, ...settings })
  steps.push(run('chown', '-R', '-H', user, dataDir))
  if (from !== undefined) steps.push({ kind: 'copy', from, to: program })
  steps.push({ kind: 'write', path: plistFile(name), mode: 0o644, text: plistOf(service) }, ...start(service))
  return steps
}

export const macos: ServiceSystem = {
  obstacle: () => undefined,
  isAdministrator: () => process.getuid!() === 0,
  userExists: (user) => outputOf(['id', '-u', user]).exitCode === 0,
  mistake: () => undefined,
  defaults: (name) => ({ user: `_${name}`, dataDir: `/usr/local/var/${name}`, program: `/usr/local/bin/${name}` }),
  definition: plistFile,
  install,
  uninstall: (service) => [
    ...stop(service),
    remove(plistFile(service.name)),
    remove(service.program),
    ...(service.madeUser ? [run('dscl', '.', '-delete', `/Users/${service.user}`)] : []),
  ],
  start,
  stop,
  restart: (service) => [...stop(service), ...start(service)],
  state({ name }) {
    const { exitCode, output } = outputOf(['launchctl', 'print', target(name)])
    return exitCode === 0 && /^\s*state = running$/m.test(output) ? 'RUNNING' : 'STOPPED'
  },
  lines: (service) => endOfFile(logOf(service)),
  lastLines: (service, count) => endOfFile(logOf(service)).slice(-count),
}
