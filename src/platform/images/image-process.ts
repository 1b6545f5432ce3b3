/** Starts a process of this program that decodes images (image-main.ts), sends it tasks, and ends it. */

import { fileURLToPath } from 'node:url'

import { IMAGE_PROCESS, type ImageReply, type ImageTask } from './port.ts'

/** A process starts in 60 ms and takes 60 MB, so it is kept this long after its last image, in milliseconds. */
const IDLE_MS = 20_000
/** Memory that an allocator has kept after large images is returned by ending the process. Bytes. */
const MAX_KEPT_MEMORY = 150e6

/** On Linux the running executable itself, even if the file was replaced by a newer version meanwhile. */
const command = (): string[] => {
  if (!Bun.isStandaloneExecutable)
    return [process.execPath, fileURLToPath(new URL('./image-main.ts', import.meta.url)), IMAGE_PROCESS]
  return [process.platform === 'linux' ? '/proc/self/exe' : process.execPath, IMAGE_PROCESS]
}

interface Running {
  readonly child: Bun.Subprocess
  ready: boolean
}

export class ImageProcess {
  #running: Running | undefined
  #answer: PromiseWithResolvers<ImageReply> | undefined
  #idleTimer: ReturnType<typeof setTimeout> | undefined
  #stopped = false

  constructor(readonly timeLimitMs: number) {}

  /** One task at a time. A task that crashes the process, or takes longer than the limit, is answered as undecodable. */
  async run(task: ImageTask): Promise<ImageReply> {
    if (this.#stopped) throw new Error('the images were stopped')
    clearTimeout(this.#idleTimer)
    const answer = (this.#answer = Promise.withResolvers<ImageReply>())
    const { child } = (this.#running ??= this.#start())
    child.ref()
    child.send(task)
    const timer = setTimeout(() => child.kill('SIGKILL'), this.timeLimitMs)
    try {
      const reply = await answer.promise
      if (reply.kind === 'converted' && reply.memory > MAX_KEPT_MEMORY) this.#end()
      return reply
    } finally {
      clearTimeout(timer)
      this.#answer = undefined
      this.#running?.child.unref()
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
      // Nothing of the environment, which contains the secrets of the configuration.
      env: {},
      stdio: ['ignore', 'ignore', 'ignore'],
      serialization: 'json',
      ipc: (reply: ImageReply) => {
        if (reply.kind === 'ready') running.ready = true
        else if (this.#running === running) this.#answer?.resolve(reply)
      },
      onExit: () => {
        if (this.#running !== running) return
        this.#running = undefined
        if (this.#stopped) this.#answer?.reject(new Error('the images were stopped'))
        else if (running.ready) this.#answer?.resolve({ kind: 'unusable', reason: 'undecodable' })
        else this.#answer?.reject(new Error('the process for images did not start'))
      },
    })
    const running: Running = { child, ready: false }
    return running
  }

  /** The process exits when it notices that the channel is closed. */
  #end(): void {
    const child = this.#running?.child
    this.#running = undefined
    child?.disconnect()
    child?.unref()
  }
}
