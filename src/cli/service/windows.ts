/**
 * The service of Windows: a task that starts with the machine and runs a script, which starts the server again when it fails. It is not a
 * service of the service control manager, because a program has to answer that manager from a native thread, which Bun offers no tested way
 * to do: Windows ends a program that does not answer (error 1053).
 */

import { join } from 'node:path/win32'

import { escapeHtml } from '#lib/text.ts'
import { readHolder } from '#platform/lock.ts'
import { WINDOWS_MARK } from '#platform/supervisor.ts'

import { EXIT } from '../exit-codes.ts'
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

const PROGRAMS = String.raw`C:\Program Files\Tessera`
/** LOCAL SERVICE: the account for services with few rights. Names of accounts differ by language, numbers do not. */
const LOCAL_SERVICE = 'S-1-5-19'
const SYSTEM = 'S-1-5-18'
const ADMINISTRATORS = 'S-1-5-32-544'

const scriptFile = (name: string): string => join(PROGRAMS, `${name}.cmd`)
const taskFile = (name: string): string => join(PROGRAMS, `${name}.xml`)
const logOf = ({ dataDir }: Service): string => join(dataDir, LOG_FILE)

/** Seconds before the first, second and every further start after a failure. `ping` waits a second between two requests. */
const PAUSES = [2, 10, 60] as const

/** The script. `timeout` does not wait without a console, so `ping` does. */
export function scriptOf(service: Service): string {
  const { dataDir, program } = service
  return `@echo off
rem ${markOf(service)}
set ${WINDOWS_MARK.name}=${WINDOWS_MARK.value}
cd /d "${dataDir}"
set pause=${PAUSES[0] + 1}
:start
"${program}" serve --config "${join(dataDir, SETTINGS_FILE)}" >>"${logOf(service)}" 2>&1
set code=%errorlevel%
if %code%==${EXIT.ok} exit /b 0
rem Starting again does not fix a wrong configuration or a corrupt database.
if %code%==${EXIT.usage} exit /b ${EXIT.usage}
if %code%==${EXIT.data} exit /b ${EXIT.data}
rem The server ends with 75 to be started again.
if %code%==75 goto start
ping -n %pause% 127.0.0.1 >nul
if %pause%==${PAUSES[1] + 1} set pause=${PAUSES[2] + 1}
if %pause%==${PAUSES[0] + 1} set pause=${PAUSES[1] + 1}
goto start
`.replaceAll('\n', '\r\n')
}

export function taskOf({ name }: Service): string {
  return `<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo><Description>Tessera</Description></RegistrationInfo>
  <Triggers><BootTrigger><Enabled>true</Enabled></BootTrigger></Triggers>
  <Principals>
    <Principal id="Service"><UserId>${LOCAL_SERVICE}</UserId><RunLevel>LeastPrivilege</RunLevel></Principal>
  </Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <StartWhenAvailable>true</StartWhenAvailable>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <Priority>5</Priority>
    <RestartOnFailure><Interval>PT1M</Interval><Count>999</Count></RestartOnFailure>
  </Settings>
  <Actions Context="Service">
    <Exec><Command>cmd.exe</Command><Arguments>/d /c ${escapeHtml(`"${scriptFile(name)}"`)}</Arguments></Exec>
  </Actions>
</Task>
`
}

const imageOf = ({ name }: Service): string => `${name}.exe`

/** The script first: otherwise it would start the server again. */
function stop(service: Service): Step[] {
  const pid = readHolder(service.dataDir)?.pid
  const steps = [tryRun('schtasks', '/End', '/TN', service.name)]
  if (pid !== undefined)
    steps.push(tryRun('taskkill', '/F', '/T', '/FI', `PID eq ${pid}`, '/FI', `IMAGENAME eq ${imageOf(service)}`))
  return steps
}

const start = (service: Service): Step[] => [
  { kind: 'rename', from: logOf(service), to: `${logOf(service)}.old` },
  run('schtasks', '/Run', '/TN', service.name),
]

const firewall = (...words: string[]): string[] => ['netsh', 'advfirewall', 'firewall', ...words]

function install(service: Service, { from, makeFolders, settings }: Installation): Step[] {
  const { name, dataDir, program } = service
  const full = (account: string): string => `*${account}:(OI)(CI)F`
  const steps = stop(service)
  for (const folder of [dataDir, ...makeFolders])
    steps.push(
      tryRun('cmd', '/d', '/c', 'mkdir', folder),
      run('icacls', folder, '/inheritance:r', '/grant:r', full(LOCAL_SERVICE), full(SYSTEM), full(ADMINISTRATORS)),
    )
  if (settings) steps.push({ kind: 'write', path: join(dataDir, SETTINGS_FILE), mode: 0o600, ...settings })
  if (from !== undefined) steps.push({ kind: 'copy', from, to: program })
  steps.push(
    { kind: 'write', path: scriptFile(name), mode: 0o644, text: scriptOf(service) },
    { kind: 'write', path: taskFile(name), mode: 0o644, text: taskOf(service), encoding: 'utf16le' },
    tryRun(...firewall('delete', 'rule', `name=${name}`)),
    run(...firewall('add', 'rule', `name=${name}`, 'dir=in', 'action=allow', 'protocol=TCP', `program=${program}`)),
    run('schtasks', '/Create', '/F', '/TN', name, '/XML', taskFile(name)),
    ...start(service),
  )
  return steps
}

export const windows: ServiceSystem = {
  obstacle: () => undefined,
  isAdministrator: () => outputOf(['fltmc']).exitCode === 0,
  userExists: () => true,
  mistake({ dataDir, folders, user }) {
    if (user !== LOCAL_SERVICE) return '--user is not for Windows, where the account LOCAL SERVICE runs the service.'
    const bad = [dataDir, ...folders].find((path) => /["%^&|<>!]/.test(path))
    return bad === undefined ? undefined : `${bad} cannot be a folder of the service: leave out " % ^ & | < > and !.`
  },
  defaults: (name) => ({
    user: LOCAL_SERVICE,
    dataDir: join(String.raw`C:\ProgramData`, name === 'tessera' ? 'Tessera' : name),
    program: join(PROGRAMS, `${name}.exe`),
  }),
  definition: scriptFile,
  install,
  uninstall: (service) => [
    ...stop(service),
    run('schtasks', '/Delete', '/F', '/TN', service.name),
    tryRun(...firewall('delete', 'rule', `name=${service.name}`)),
    remove(taskFile(service.name)),
    remove(scriptFile(service.name)),
    remove(service.program),
  ],
  start,
  stop,
  restart: (service) => [...stop(service), ...start(service)],
  state(service) {
    const pid = readHolder(service.dataDir)?.pid
    if (pid === undefined) return 'STOPPED'
    const image = imageOf(service)
    const { output } = outputOf(['tasklist', '/NH', '/FI', `PID eq ${pid}`, '/FI', `IMAGENAME eq ${image}`])
    return output.includes(image) ? 'RUNNING' : 'STOPPED'
  },
  lines: (service) => endOfFile(logOf(service)),
  lastLines: (service, count) => endOfFile(logOf(service)).slice(-count),
}
