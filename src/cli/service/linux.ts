/** The service of Linux: a unit of systemd. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'

import { SECOND } from '#platform/clock.ts'

import { outputOf, remove, run, type Step, tryRun } from './steps.ts'
import { type Installation, linesOf, markOf, type Service, type ServiceSystem, SETTINGS_FILE } from './system.ts'

const STATE_ROOT = '/var/lib/'
/** The unit gives the service empty folders in their place. */
const HIDDEN = ['/home', '/root', '/run/user', '/tmp', '/var/tmp']

const isBelow = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`)

/** The unit. docs/operations.md quotes it. */
export function unitOf(service: Service): string {
  const { name, user, dataDir, program, lowPort, folders } = service
  // systemd creates a folder below /var/lib, and gives it to the user.
  const isState = dataDir.startsWith(STATE_ROOT)
  const writable = isState ? folders : [dataDir, ...folders]
  const capabilities = lowPort ? 'CAP_NET_BIND_SERVICE' : ''
  return `# ${markOf(service)}
[Unit]
Description=Tessera${name === 'tessera' ? '' : ` (${name})`}
After=network-online.target
Wants=network-online.target

[Service]
ExecStart=${program} serve --config ${join(dataDir, SETTINGS_FILE)}
User=${user}
${isState ? `StateDirectory=${dataDir.slice(STATE_ROOT.length)}\nStateDirectoryMode=0700\n` : ''}WorkingDirectory=${dataDir}
Restart=on-failure
RestartSec=2
# The server ends with 75 to be started again.
RestartForceExitStatus=75
SuccessExitStatus=75
# Starting again does not fix a wrong configuration or a corrupt database.
RestartPreventExitStatus=2 4
TimeoutStopSec=20
# If the memory is exhausted, the kernel ends a process that decodes an image. The server goes on.
OOMPolicy=continue
LimitNOFILE=65536

NoNewPrivileges=yes
ProtectSystem=strict
${writable.length === 0 ? '' : `ReadWritePaths=${writable.join(' ')}\n`}ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
ProcSubset=pid
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
RemoveIPC=yes
CapabilityBoundingSet=${capabilities}
AmbientCapabilities=${capabilities}
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
SystemCallErrorNumber=EPERM
UMask=0077
# MemoryDenyWriteExecute is not set: JavaScript is compiled at run time.

[Install]
WantedBy=multi-user.target
`
}

/** After five failures in ten seconds systemd starts a unit only when that is reset. */
const start = (verb: 'start' | 'restart', name: string): Step[] => [
  tryRun('systemctl', 'reset-failed', name),
  run('systemctl', verb, name),
]

const unitFile = (name: string): string => `/etc/systemd/system/${name}.service`

function install(service: Service, { from, makeUser, makeFolders, settings, isReplaced }: Installation): Step[] {
  const { name, user, dataDir, program } = service
  // A user that systemd has made for the old service (DynamicUser) is gone then.
  const steps: Step[] = isReplaced ? [run('systemctl', 'stop', name)] : []
  if (makeUser)
    steps.push(
      run('useradd', '--system', '--user-group', '--no-create-home', '--home-dir', dataDir, '--shell', NO_SHELL, user),
    )
  for (const folder of [dataDir, ...makeFolders]) steps.push(run('install', '-d', '-m', '700', '-o', user, folder))
  if (settings) steps.push({ kind: 'write', path: join(dataDir, SETTINGS_FILE), mode: 0o600, ...settings })
  // Also data that another user has made: of an earlier service, or of a server that was started by hand.
  steps.push(run('chown', '-R', '-H', `${user}:`, dataDir))
  if (from !== undefined) steps.push({ kind: 'copy', from, to: program })
  steps.push(
    { kind: 'write', path: unitFile(name), mode: 0o644, text: unitOf(service) },
    run('systemctl', 'daemon-reload'),
    run('systemctl', 'enable', name),
    ...start('restart', name),
  )
  return steps
}

/** Ids of users that exist only while their service runs (DynamicUser). */
const DYNAMIC_FIRST = 61_184
const DYNAMIC_LAST = 65_519

const NO_SHELL = '/usr/sbin/nologin'

const property = (name: string, of: string): string =>
  outputOf(['systemctl', 'show', '--value', `--property=${of}`, name]).output

const journal = (...filter: string[]): string[] =>
  linesOf(outputOf(['journalctl', '--no-pager', '--quiet', '--output=cat', ...filter]).output)

export const linux: ServiceSystem = {
  obstacle() {
    if (existsSync('/run/systemd/system')) return undefined
    return 'This machine does not run systemd: start "tessera serve" with the tool that starts its services.'
  },
  isAdministrator: () => process.getuid!() === 0,
  userExists(user) {
    const { exitCode, output } = outputOf(['id', '-u', user])
    return exitCode === 0 && !(Number(output) >= DYNAMIC_FIRST && Number(output) <= DYNAMIC_LAST)
  },
  mistake({ dataDir, folders, files }) {
    for (const path of [dataDir, ...folders, ...files]) {
      // Other signs have a meaning in units.
      if (!/^\/[\p{L}\d_./@+:,-]+$/u.test(path))
        return `The service cannot use ${path}: its path may have letters, digits and the signs / . _ @ + : , - only.`
      const hidden = HIDDEN.find((folder) => isBelow(path, folder))
      if (hidden !== undefined)
        return `The service cannot use ${path}, because it has no access to ${hidden}: choose a place such as /srv.`
    }
    return undefined
  },
  defaults: (name) => ({ user: name, dataDir: `/var/lib/${name}`, program: `/usr/local/bin/${name}` }),
  definition: unitFile,
  install,
  uninstall: ({ name, user, madeUser, program }) => [
    run('systemctl', 'disable', '--now', name),
    remove(unitFile(name)),
    run('systemctl', 'daemon-reload'),
    // Otherwise a failed service stays in the lists of systemd.
    tryRun('systemctl', 'reset-failed', name),
    remove(program),
    ...(madeUser ? [run('userdel', user)] : []),
  ],
  start: ({ name }) => start('start', name),
  stop: ({ name }) => [run('systemctl', 'stop', name)],
  restart: ({ name }) => start('restart', name),
  state({ name }) {
    const state = property(name, 'ActiveState')
    return state === 'active' ? 'RUNNING' : state === 'failed' ? 'FAILED' : 'STOPPED'
  },
  lines({ name }) {
    const id = property(name, 'InvocationID')
    return id === '' ? [] : journal(`_SYSTEMD_INVOCATION_ID=${id}`)
  },
  lastLines: ({ name }, count, since) =>
    journal(`--unit=${name}`, `--lines=${count}`, `--since=@${Math.floor(since / SECOND)}`),
}
