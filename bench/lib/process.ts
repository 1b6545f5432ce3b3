/** Runs servers under test as separate processes and reads their CPU time and memory from the kernel. */

import { readdirSync, readFileSync } from 'node:fs'

export interface Started {
  readonly pid: number
  readonly port: number
  /** Milliseconds from the start of the process to its line `listening on …`. */
  readonly readyMs: number
  /** Sends SIGTERM and waits for the exit. */
  stop(): Promise<void>
  /** Sends SIGKILL: its data is not needed afterwards. */
  kill(): Promise<void>
}

/** Clock ticks per second in /proc/<pid>/stat (USER_HZ): 100 on every Linux that Bun supports. */
const TICKS = 100
const START_MS = 60_000
const STOP_MS = 12_000
const LISTENING = /listening on https?:\/\/\S+?:(\d+)/

const running = new Set<Bun.Subprocess>()

/** Kills all processes that this run has started. Called whenever it exits. */
export function stopAll(): void {
  for (const child of running) child.kill('SIGKILL')
}

export interface StartOptions {
  cwd?: string
  /** File for its output, if there is so much that reading it here would disturb the measurement. */
  logTo?: string
}

/**
 * Starts a server and waits until it prints `listening on http://host:port`.
 * @throws Error with its output if it exits, or does not listen within a minute
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

  let output = ''
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const receive = (text: string): void => {
    if (output.length < 100_000) output += text
    const found = LISTENING.exec(output)
    if (found) resolve(Number(found[1]))
  }
  if (logTo === undefined) {
    void read(child.stdout as ReadableStream<Uint8Array>, receive)
    void read(child.stderr as ReadableStream<Uint8Array>, receive)
  }
  const watching =
    logTo === undefined
      ? undefined
      : setInterval(() => {
          const found = LISTENING.exec(readFileSync(logTo, 'utf8'))
          if (found) resolve(Number(found[1]))
        }, 5)
  void child.exited.then((code) => reject(new Error(`${command.join(' ')} exited with ${code}:\n${output}`)))
  const timer = setTimeout(
    () => reject(new Error(`${command.join(' ')} did not listen within a minute:\n${output}`)),
    START_MS,
  )
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

/** The environment of this process without the settings of a real installation. */
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

/** User and system time of all threads of a process since its start, in seconds (resolution 10 ms). */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS
}

/** Time on a processor of all threads of a process that are alive, in nanoseconds. */
export function cpuNanoseconds(pid: number): number {
  let sum = 0
  for (const thread of readdirSync(`/proc/${pid}/task`))
    sum += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0])
  return sum
}

/** Resident memory of a process in MiB. */
export function residentMiB(pid: number): number {
  const found = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(found?.[1] ?? Number.NaN) / 1024
}

/** Resident memory of a process and all its descendants in MiB. Pages that they share, such as code, count for each. */
export const treeMiB = (pid: number): number => sumOfTree(pid, residentMiB)

/** CPU time of a process and all its descendants, also of ended ones, in seconds (resolution 10 ms). */
export const treeCpuSeconds = (pid: number): number =>
  sumOfTree(pid, (one) => {
    const stat = readFileSync(`/proc/${one}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0) / TICKS
  })

function sumOfTree(pid: number, of: (pid: number) => number): number {
  try {
    const threads = readdirSync(`/proc/${pid}/task`)
    const children = threads.flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean),
    )
    return children.reduce((sum, child) => sum + sumOfTree(Number(child), of), of(pid) || 0)
  } catch {
    // The process has exited meanwhile.
    return 0
  }
}

/** The parent of a process if it is on this machine and called `name`. */
export function parentOf(pid: number, name: string): number | undefined {
  try {
    const parent = Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1])
    return readFileSync(`/proc/${parent}/comm`, 'utf8').trim() === name ? parent : undefined
  } catch {
    return undefined
  }
}
