/** Starts Tessera as a separate process in a data directory of its own, without rate limits and with little logging. */

import { existsSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

import { request } from './load-spec.ts'
import { type Started, startServer } from './process.ts'

export const ROOT = join(import.meta.dir, '..', '..')
export const SOURCE = [process.execPath, join(ROOT, 'src/main.ts'), 'serve'] as const
/** CI names the executable, which starts in a fifth of the time. */
const given = process.env['TEST_PROGRAM']

/** A real device id is a secret of at least 16 characters. */
export const DEVICE_ID = 'bench-device-0123456789abcdef'
export const PASSWORD = 'correct horse battery 42'

export interface Person {
  userId: number
  username: string
  token: string
  headers: Record<string, string>
}

export const environment = (dataDir: string, logLevel = 'warn'): Record<string, string> => ({
  TESSERA_DATA_DIR: dataDir,
  TESSERA_HOST: '127.0.0.1',
  TESSERA_PORT: '0',
  TESSERA_PUBLIC_URL: 'http://localhost:8080',
  TESSERA_RATE_LIMIT: 'off',
  TESSERA_LOG_LEVEL: logLevel,
  TESSERA_LOG_FORMAT: 'json',
})

export const startProduct = (
  dataDir: string,
  options: { command?: readonly string[]; logTo?: string; env?: Readonly<Record<string, string>> } = {},
): Promise<Started> =>
  startServer(
    options.command ?? (given ? [given, 'serve'] : SOURCE),
    { ...environment(dataDir, options.logTo ? 'info' : 'warn'), ...options.env },
    { cwd: dataDir, logTo: options.logTo },
  )

/** Starts Tessera's HTTP layer with trivial endpoints of the benchmark (servers/gates.ts). */
export function startGates(dataDir: string): Promise<Started> {
  mkdirSync(dataDir, { recursive: true })
  return startServer(
    [process.execPath, join(ROOT, 'bench/servers/gates.ts')],
    { BENCH_DATA_DIR: dataDir },
    { cwd: dataDir },
  )
}

/** Calls an endpoint and returns `data` of the envelope. @throws Error if the status is not 200 */
export async function call(
  server: Started,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: unknown,
) {
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
    method,
    headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  const answer = await response.text()
  if (response.status !== 200) throw new Error(`${method} ${path} answered ${response.status}: ${answer.slice(0, 500)}`)
  return (JSON.parse(answer) as { data: unknown }).data
}

export async function register(server: Started, username: string, deviceId = DEVICE_ID): Promise<Person> {
  const data = (await call(
    server,
    'POST',
    '/api/auth/register',
    { 'x-device-id': deviceId },
    { username, password: PASSWORD },
  )) as {
    accessToken: string
    user: { id: number }
  }
  return { userId: data.user.id, username, token: data.accessToken, headers: signedIn(data.accessToken, deviceId) }
}

export const signedIn = (token: string, deviceId = DEVICE_ID): Record<string, string> => ({
  Authorization: `Bearer ${token}`,
  'X-Device-Id': deviceId,
})

export const get = (path: string, headers: Record<string, string> = {}): string => request('GET', path, headers)

/** Builds the executable if it is missing. Returns true if the existing one is older than the sources. */
export async function prepareExecutable(file: string): Promise<boolean> {
  if (existsSync(file)) {
    const builtAt = statSync(file).mtimeMs
    const sources = await Array.fromAsync(new Bun.Glob('{src,migrations}/**/*').scan({ cwd: ROOT, absolute: true }))
    return sources.some((source) => statSync(source).mtimeMs > builtAt)
  }
  console.error(`building ${file} …`)
  const command = [process.execPath, join(ROOT, 'scripts/build.ts'), '--outfile', file]
  const built = Bun.spawnSync(command, { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] })
  if (!built.success) throw new Error('bun run build failed')
  return false
}
