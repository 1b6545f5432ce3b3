/** Runs the command line as a person does, in a folder of its own. */

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Subprocess } from 'bun'

import { emptyDatabase, freshDatabase } from '../harness/database.ts'
import { program } from '../harness/program.ts'

export const onPostgres = Boolean(process.env['TEST_DATABASE_URL'])

export interface Outcome {
  code: number | null
  stdout: string
  stderr: string
}

export interface RunOptions {
  env?: Record<string, string>
  stdin?: string
  /** Put before the program: `['unshare', '-m', …]`. */
  before?: readonly string[]
  /** Instead of `program`. */
  program?: readonly string[]
}

export interface RunningCli {
  readonly url: string
  readonly child: Subprocess<'ignore', 'pipe', 'pipe'>
  /** Everything on standard output and standard error so far. */
  stdout(): string
  stderr(): string
  /** Sends a signal (TERM unless given) and waits for the end. Resolves with the exit code. */
  end(signal?: NodeJS.Signals): Promise<number | null>
  /** Waits for the end without causing it; all output has been read then. */
  ended(): Promise<number | null>
}

/** One installation: a data directory, an empty working directory and, on PostgreSQL, a database. */
export class Installation {
  readonly home = mkdtempSync(join(tmpdir(), 'tessera-ops-'))
  readonly dataDir = join(this.home, 'data')
  readonly cwd = join(this.home, 'cwd')
  readonly #children = new Set<Subprocess>()
  #database: { url: string; drop(): Promise<void> } | undefined

  constructor() {
    mkdirSync(this.cwd)
  }

  /** With a migrated PostgreSQL database of its own if the suite runs on PostgreSQL, otherwise on SQLite without a file. */
  static async make(): Promise<Installation> {
    const made = new Installation()
    if (onPostgres) made.#database = await freshDatabase()
    return made
  }

  get databaseUrl(): string {
    return this.#database?.url ?? ''
  }

  /** Replaces the database by a new, empty one. Both are dropped at the end. */
  async newDatabase(): Promise<void> {
    const old = this.#database
    const made = await emptyDatabase()
    this.#database = { url: made.url, drop: async () => void (await Promise.all([made.drop(), old?.drop()])) }
  }

  /** Starts the program and does not wait for its end. */
  start(args: readonly string[], options: RunOptions = {}): Subprocess<'ignore', 'pipe', 'pipe'> {
    const { env, stdin, before = [] } = options
    const child = Bun.spawn([...before, ...(options.program ?? program), ...args], {
      cwd: this.cwd,
      env: {
        PATH: process.env['PATH'],
        TESSERA_DATA_DIR: this.dataDir,
        TESSERA_DATABASE_URL: this.databaseUrl,
        TESSERA_PORT: '0',
        ...env,
      },
      stdin: stdin === undefined ? 'ignore' : new TextEncoder().encode(stdin),
      stdout: 'pipe',
      stderr: 'pipe',
    }) as Subprocess<'ignore', 'pipe', 'pipe'>
    this.#children.add(child)
    void child.exited.then(() => this.#children.delete(child))
    return child
  }

  async run(args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
    const child = this.start(args, options)
    const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()])
    return { code: await child.exited, stdout, stderr }
  }

  async serve(args: readonly string[] = [], options: RunOptions = {}): Promise<RunningCli> {
    const child = this.start(['serve', ...args], options)
    let out = ''
    let err = ''
    const read = async (stream: ReadableStream<Uint8Array>, add: (text: string) => void): Promise<void> => {
      const decoder = new TextDecoder()
      for await (const chunk of stream) add(decoder.decode(chunk, { stream: true }))
    }
    const reading = Promise.all([
      read(child.stdout, (text) => (out += text)),
      read(child.stderr, (text) => (err += text)),
    ])
    const address = (): string | undefined => /^listening on (https?:\/\/\S+)\n/m.exec(out)?.[1]
    while (address() === undefined) {
      if (child.exitCode !== null || child.signalCode !== null) throw new Error(`the server ended: ${out}${err}`)
      await Bun.sleep(5)
    }
    const ended = async (): Promise<number | null> => {
      await child.exited
      await reading
      return child.exitCode
    }
    return {
      url: address()!,
      child,
      stdout: () => out,
      stderr: () => err,
      end(signal = 'SIGTERM') {
        child.kill(signal)
        return ended()
      },
      ended,
    }
  }

  async dispose(): Promise<void> {
    const running = [...this.#children]
    for (const child of running) child.kill('SIGKILL')
    await Promise.all(running.map((child) => child.exited))
    await this.#database?.drop()
    rmSync(this.home, { recursive: true, force: true })
  }
}

/** Gives a process its own mounts, which end with it. Ordinary users need a user namespace for that. */
export const OWN_MOUNTS: readonly string[] =
  process.getuid?.() === 0 ? ['unshare', '--mount', 'sh', '-c'] : ['unshare', '--map-root-user', '--mount', 'sh', '-c']
