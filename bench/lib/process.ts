/** Servers under test as processes of their own, and what the kernel says of them. */

import { readFileSync } from 'node:fs'

export interface Started {
  readonly pid: number
  readonly port: number
  /** From spawn to its line `listening on …`, milliseconds. */
  readonly readyMs: number
  /** Asks it to end and waits for it. */
  stop(): Promise<void>
  /** Ends it at once: nothing that it holds is needed any more. */
  kill(): Promise<void>
}

/** Clock ticks a second in /proc/<pid>/stat (USER_HZ), 100 on every Linux that Bun runs on. */
const TICKS = 100
const START_MS = 60_000
const STOP_MS = 12_000
const LISTENING = /listening on http:\/\/\S+?:(\d+)/

const running = new Set<Bun.Subprocess>()

/** Ends whatever this run started; called on every way out. */
export function stopAll(): void {
  for (const child of running) child.kill('SIGKILL')
}

export interface StartOptions {
  cwd?: string
  /** File for its output, when there is so much of it that reading it here would disturb the measurement. */
  logTo?: string
}

/**
 * Starts a server and waits until it prints `listening on http://host:port`.
 * @throws Error with what it said, when it ends or stays silent for a minute
 */
export async function startServer(
  command: readonly string[],
  env: Record<string, string> = {},
  options: StartOptions = {},
): Promise<Started> {
  const { logTo } = options
  if (logTo !== undefined) await Bun.write(logTo, '')
  const out = logTo === undefined ? 'pipe' : Bun.file(logTo)
  const startedAt = performance.now()
  const child = Bun.spawn([...command], {
    cwd: options.cwd,
    env: { ...inherited(), ...env },
    stdio: ['ignore', out, out],
  })
  running.add(child)
  void child.exited.then(() => running.delete(child))

  let said = ''
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const hear = (text: string): void => {
    if (said.length < 100_000) said += text
    const found = LISTENING.exec(said)
    if (found) resolve(Number(found[1]))
  }
  if (logTo === undefined) {
    void read(child.stdout as ReadableStream<Uint8Array>, hear)
    void read(child.stderr as ReadableStream<Uint8Array>, hear)
  }
  const watching =
    logTo === undefined
      ? undefined
      : setInterval(() => {
          const found = LISTENING.exec(readFileSync(logTo, 'utf8'))
          if (found) resolve(Number(found[1]))
        }, 5)
  void child.exited.then((code) => reject(new Error(`${command.join(' ')} ended with ${code}:\n${said}`)))
  const timer = setTimeout(() => reject(new Error(`${command.join(' ')} did not listen:\n${said}`)), START_MS)
  try {
    const port = await promise
    return {
      pid: child.pid,
      port,
      readyMs: performance.now() - startedAt,
      async stop() {
        child.kill('SIGTERM')
        const forced = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
        await child.exited
        clearTimeout(forced)
      },
      async kill() {
        child.kill('SIGKILL')
        await child.exited
      },
    }
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  } finally {
    clearTimeout(timer)
    clearInterval(watching)
  }
}

/** The caller's environment without settings of a real installation. */
function inherited(): Record<string, string> {
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries(process.env))
    if (value !== undefined && !name.startsWith('TESSERA_') && !name.startsWith('BENCH_')) env[name] = value
  return env
}

async function read(stream: ReadableStream<Uint8Array>, take: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder()
  for await (const chunk of stream) take(decoder.decode(chunk, { stream: true }))
}

/** User and system time of all threads of a process so far, in seconds (resolution 10 ms). */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS
}

/** Resident memory of a process in MiB. */
export function residentMiB(pid: number): number {
  const found = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(found?.[1] ?? Number.NaN) / 1024
}
