/** Starts a process of this program that decodes images (image-main.ts), sends it tasks, and ends it. */

import { fileURLToPath } from 'node:url'

import { IMAGE_PROCESS, type ImageReply, type ImageTask } from './port.ts'

/** A process starts in 60 ms and takes 60 MB, so it is kept this long after its last image, in milliseconds. */
const IDLE_MS = 20_000
/** Memory that an allocator has kept after large images is returned by ending the process, and so is that of libheif. Bytes. */
const MAX_KEPT_MEMORY = 150e6
/** A busy machine can take long to start a process. Milliseconds. */
const MAX_START_MS = 60_000

/** On Linux the running executable itself, even if the file was replaced by a newer version meanwhile. */
const command = (): string[] => {
  if (!Bun.isStandaloneExecutable)
    return [process.execPath, fileURLToPath(new URL('./image-main.ts', import.meta.url)), IMAGE_PROCESS]
  return [process.platform === 'linux' ? '/proc/self/exe' : process.execPath, IMAGE_PROCESS]
}

interface Running {
  readonly child: Bun.Subprocess
  /** Rejects if the process exits before it is ready. */
  readonly ready: PromiseWithResolvers<void>
}

const stopped = (): Error => new Error('the image processes were stopped')

export class ImageProcess {
  #running: Running | undefined
  #answer: PromiseWithResolvers<ImageReply> | undefined
  #idleTimer: ReturnType<typeof setTimeout> | undefined
  #stopped = false

  constructor(readonly timeLimitMs: number) {}

  /** One task at a time. A task that crashes the process, or takes longer than the limit, is answered as undecodable. */
  async run(task: ImageTask): Promise<ImageReply> {
    if (this.#stopped) throw stopped()
    clearTimeout(this.#idleTimer)
    const { child, ready } = (this.#running ??= this.#start())
    // Only a process at work keeps the server running.
    child.ref()
    const kill = (): void => child.kill('SIGKILL')
    let timer = setTimeout(kill, MAX_START_MS)
    try {
      await ready.promise
      const answer = (this.#answer = Promise.withResolvers<ImageReply>())
      child.send(task)
      clearTimeout(timer)
      timer = setTimeout(kill, this.timeLimitMs)
      const reply = await answer.promise
      if (reply.kind === 'decoded' || (reply.kind === 'converted' && reply.memory > MAX_KEPT_MEMORY)) this.#end()
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
    const child = Bun.spawn(command(), {
      // The environment contains secrets of the configuration.
      env: {},
      stdio: ['ignore', 'ignore', 'ignore'],
      serialization: 'json',
      ipc: (reply: ImageReply) => {
        if (reply.kind === 'ready') running.ready.resolve()
        else if (this.#running === running) this.#answer?.resolve(reply)
      },
      onExit: () => {
        running.ready.reject(this.#stopped ? stopped() : new Error('the process for images did not start'))
        if (this.#running !== running) return
        this.#running = undefined
        if (this.#stopped) this.#answer?.reject(stopped())
        else this.#answer?.resolve({ kind: 'unusable', reason: 'undecodable' })
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
}
