/**
 * Runs tasks on files of clients in a process of this program: a hostile file that crashes it, hangs it or fills its memory ends that
 * process, and the server goes on. The server starts it with `TaskProcess`; in the process, `serveTasks` answers.
 */

import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** A process starts in 60 ms and takes 60 MB, so it is kept this long after its last task, in milliseconds. */
const IDLE_MS = 20_000
/** A busy machine can take long to start a process. Milliseconds. */
const MAX_START_MS = 60_000

export interface TaskProcessOptions<Reply> {
  /** The purpose of the process, for messages: "images". */
  readonly name: string
  /** The argument with which the executable starts itself as such a process (src/main.ts). */
  readonly argument: string
  /** The entry point of the process when the server runs from source. */
  readonly source: URL
  /** Of one task, in milliseconds. */
  readonly timeLimitMs: number
  /** The reply to a task that crashed the process or took too long. */
  readonly crashed: Reply
  /** Whether the process must end because this task left it with too much memory. */
  isSpent(reply: Reply): boolean
}

type Message<Reply> = { readonly ready: true } | { readonly ready: false; readonly reply: Reply }

interface Running {
  readonly child: Bun.Subprocess
  /** Rejects if the process exits before it is ready. */
  readonly ready: PromiseWithResolvers<void>
}

export class TaskProcess<Task, Reply> {
  #running: Running | undefined
  #answer: PromiseWithResolvers<Reply> | undefined
  #idleTimer: ReturnType<typeof setTimeout> | undefined
  #stopped = false

  constructor(readonly options: TaskProcessOptions<Reply>) {}

  /** One task at a time. */
  async run(task: Task): Promise<Reply> {
    if (this.#stopped) throw this.#stoppedError()
    clearTimeout(this.#idleTimer)
    const { child, ready } = (this.#running ??= this.#start())
    // Only a process at work keeps the server running.
    child.ref()
    const kill = (): void => child.kill('SIGKILL')
    let timer = setTimeout(kill, MAX_START_MS)
    try {
      await ready.promise
      const answer = (this.#answer = Promise.withResolvers<Reply>())
      child.send(task)
      clearTimeout(timer)
      timer = setTimeout(kill, this.options.timeLimitMs)
      const reply = await answer.promise
      if (this.options.isSpent(reply)) this.#end()
      return reply
    } finally {
      clearTimeout(timer)
      this.#answer = undefined
      child.unref()
      this.#idleTimer = setTimeout(() => this.#end(), IDLE_MS)
      this.#idleTimer.unref()
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#idleTimer)
    const child = this.#running?.child
    child?.kill('SIGKILL')
    await child?.exited
  }

  #start(): Running {
    const child = Bun.spawn(ownCommand(this.options.argument, this.options.source), {
      // The environment contains secrets of the configuration.
      env: {},
      stdio: ['ignore', 'ignore', 'ignore'],
      serialization: 'json',
      ipc: (message: Message<Reply>) => {
        if (message.ready) running.ready.resolve()
        else if (this.#running === running) this.#answer?.resolve(message.reply)
      },
      onExit: () => {
        running.ready.reject(
          this.#stopped ? this.#stoppedError() : new Error(`the process for ${this.options.name} did not start`),
        )
        if (this.#running !== running) return
        this.#running = undefined
        if (this.#stopped) this.#answer?.reject(this.#stoppedError())
        else this.#answer?.resolve(this.options.crashed)
      },
    })
    const running: Running = { child, ready: Promise.withResolvers() }
    return running
  }

  /** The process exits when it notices that the channel is closed. */
  #end(): void {
    this.#running?.child.disconnect()
    this.#running = undefined
  }

  #stoppedError(): Error {
    return new Error(`the process for ${this.options.name} was stopped`)
  }
}

/**
 * The command that starts this program again with `argument`. On Linux the running executable itself, even if the file was replaced by a
 * newer version meanwhile. `source`: the entry point when the server runs from source.
 */
export function ownCommand(argument: string, source: URL): string[] {
  if (!Bun.isStandaloneExecutable) return [process.execPath, fileURLToPath(source), argument]
  return [process.platform === 'linux' ? '/proc/self/exe' : process.execPath, argument]
}

/** In the process: answers each task. The process exits with the server. */
export function serveTasks<Task, Reply>(answer: (task: Task) => Promise<Reply>): void {
  // The server decides when this process ends. A signal to the whole group must not end it before the server has answered.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
  const send = (message: Message<Reply>): unknown => process.send!(message)
  process.on('disconnect', () => process.exit(0))
  process.on('message', (task: Task) => void answer(task).then((reply) => send({ ready: false, reply })))
  try {
    // If the memory is exhausted, the kernel ends this process and not the server.
    writeFileSync('/proc/self/oom_score_adj', '900')
  } catch {
    // Only Linux has it.
  }
  send({ ready: true })
}
