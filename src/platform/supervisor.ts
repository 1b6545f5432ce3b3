/** Which program starts this process again after it has ended. */

export const SUPERVISORS = ['SYSTEMD', 'LAUNCHD', 'WINDOWS_SERVICE', 'CONTAINER', 'NONE'] as const
export type Supervisor = (typeof SUPERVISORS)[number]

/** Set by the script of the Windows service (cli/service/windows.ts), because the task scheduler sets no variable. */
export const WINDOWS_MARK = { name: 'SERVICE_SUPERVISOR', value: 'tessera' } as const

/** `pid`: of this process. */
export function supervisorOf(env: Readonly<Record<string, string | undefined>>, pid: number): Supervisor {
  // Programs inherit INVOCATION_ID, for example those in a terminal that systemd has started. Since version 248, systemd names its own child.
  const child = env['SYSTEMD_EXEC_PID']
  if (env['INVOCATION_ID'] && (child === undefined || child === String(pid))) return 'SYSTEMD'
  // Terminals of macOS set it to "0" or to the name of an application.
  const label = env['XPC_SERVICE_NAME']
  if (label && label !== '0' && !label.startsWith('application.')) return 'LAUNCHD'
  if (env[WINDOWS_MARK.name] === WINDOWS_MARK.value) return 'WINDOWS_SERVICE'
  // Podman, systemd-nspawn and the Dockerfile set `container`.
  return env['container'] || env['KUBERNETES_SERVICE_HOST'] ? 'CONTAINER' : 'NONE'
}
