/**
 * Re-encodes uploaded images and draws their thumbnails, in processes of their own (docs/adr/0018-images.md): a decoder that crashes,
 * hangs or fills the memory on a hostile file ends with its process, and the server goes on.
 */

import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'

import { diskError } from '../blobs/local.ts'
import { TaskProcess } from '../task-process.ts'
import {
  IMAGE_PROCESS,
  ImageQueueFull,
  type ImageReply,
  type Images,
  type ImageTask,
  MAX_PIXELS,
  type Processed,
  SMALLEST_LOGO,
  UnusableImage,
} from './port.ts'

export { type Capture, type ImageFacts, ImageQueueFull, type Images, type Processed, UnusableImage } from './port.ts'

export interface ImagesOptions {
  /** Whether HEIC is accepted. Asked for each HEIC file. */
  heic(): boolean | Promise<boolean>
  /** Maximum duration of one image without waiting, in milliseconds. */
  timeLimitMs?: number
}

/** Processes; each handles one image at a time. */
export const IMAGE_PROCESSES = 2
/** Images that may wait. They wait on disk and take no memory, but their clients would give up if there were more. */
const MAX_WAITING = 100
/** The slowest images below the limit of pixels take about 6 s on one core (measured), and the machine may be busy. */
const TIME_LIMIT_MS = 60_000
/** Memory that an allocator has kept after large images is returned by ending the process, and so is that of libheif. Bytes. */
const MAX_KEPT_MEMORY = 150e6

type ImageProcess = TaskProcess<ImageTask, ImageReply>

const HEIC = new Set(['image/heic', 'image/heif'])

/** Starts nothing before the first image. */
export function createImages({ heic, timeLimitMs = TIME_LIMIT_MS }: ImagesOptions): Images {
  const processes = Array.from({ length: IMAGE_PROCESSES }, () => imageProcess(timeLimitMs))
  const idle = [...processes]
  const turns = new Turns(IMAGE_PROCESSES, MAX_WAITING)
  // Decoding takes up to 10 bytes a pixel, so two of the largest images wait for each other.
  const pixels = new Gate(MAX_PIXELS)

  /** Runs `work` in a process when it is the turn of `party`. After an error none of `outputs` exists. */
  async function inTurn<T>(party: number, outputs: readonly string[], work: (worker: ImageProcess) => Promise<T>) {
    await turns.enter(party)
    const worker = idle.pop()!
    try {
      return await work(worker)
    } catch (error) {
      // An error of the removal would hide the cause.
      for (const path of outputs) await rm(path, { force: true }).catch(() => undefined)
      throw error
    } finally {
      idle.push(worker)
      turns.leave(party)
    }
  }

  /** Inspects an image and runs `work`, which decodes it, when there is memory for its pixels. */
  async function decoding<T>(
    worker: ImageProcess,
    { input, mime, output }: { readonly input: string; readonly mime: string; readonly output: string },
    work: (found: { readonly width: number; readonly height: number }) => Promise<T>,
  ): Promise<T> {
    const found = usable(await worker.run({ kind: 'inspect', input, mime }), 'inspected', output)
    const count = found.width * found.height
    await pixels.enter(count)
    try {
      return await work(found)
    } finally {
      pixels.leave(count)
    }
  }

  const convert = (worker: ImageProcess, task: ImageTask & { kind: 'convert' }): Promise<Processed> =>
    decoding(worker, task, async () => {
      const { input, mime, output, thumbnailOutput } = task
      if (!HEIC.has(mime)) return usable(await worker.run(task), 'converted', output).processed
      // Until the thumbnail is written, its file has the pixels.
      const pixels = thumbnailOutput
      usable(await worker.run({ kind: 'decode', input, output: pixels }), 'decoded', output)
      return usable(await worker.run({ ...task, pixels }), 'converted', output).processed
    })

  return {
    async process(input, mime, output, thumbnailOutput, party) {
      if (HEIC.has(mime) && !(await heic())) throw new UnusableImage('heic-off')
      return inTurn(party, [output, thumbnailOutput], (worker) =>
        convert(worker, { kind: 'convert', input, mime, output, thumbnailOutput }),
      )
    },
    drawLogo(input, mime, outputs, party) {
      const output = outputs[0]!
      return inTurn(party, outputs, (worker) =>
        decoding(worker, { input, mime, output }, async ({ width, height }) => {
          if (Math.min(width, height) < SMALLEST_LOGO) throw new UnusableImage('too-small')
          return usable(await worker.run({ kind: 'logo', input, mime, outputs }), 'drawn', output).files
        }),
      )
    },
    readPixels(input, mime, output, within, party) {
      return inTurn(party, [output], (worker) =>
        decoding(
          worker,
          { input, mime, output },
          async () => usable(await worker.run({ kind: 'pixels', input, mime, output, within }), 'read', output).size,
        ),
      )
    },
    async stop() {
      await Promise.all(processes.map((one) => one.stop()))
    },
  }
}

const imageProcess = (timeLimitMs: number): ImageProcess =>
  new TaskProcess<ImageTask, ImageReply>({
    name: 'images',
    argument: IMAGE_PROCESS,
    source: new URL('./image-main.ts', import.meta.url),
    timeLimitMs,
    crashed: { kind: 'unusable', reason: 'undecodable' },
    isSpent: (reply) => reply.kind === 'decoded' || ('memory' in reply && reply.memory > MAX_KEPT_MEMORY),
  })

function usable<K extends ImageReply['kind']>(reply: ImageReply, kind: K, output: string): ImageReply & { kind: K } {
  if (reply.kind === kind) return reply as ImageReply & { kind: K }
  if (reply.kind === 'unusable') throw new UnusableImage(reply.reason)
  if (reply.kind !== 'failed') throw new Error(`the image process answered ${reply.kind} instead of ${kind}`)
  const error = Object.assign(new Error(reply.message), { code: reply.code })
  throw reply.code === undefined ? error : diskError(error, dirname(output))
}

interface Waiting {
  readonly enter: () => void
  readonly refuse: (error: ImageQueueFull) => void
}

/**
 * Admits `capacity` images at a time. Of those that wait, the next one is of the party with the fewest in progress; parties with the
 * same number take turns. The hundred slow images of one user therefore delay the picture of another one by one image.
 */
class Turns {
  #free: number
  #count = 0
  readonly #inProgress = new Map<number, number>()
  /** By party, in the order in which the parties are served. None is empty. */
  readonly #waiting = new Map<number, Waiting[]>()

  constructor(
    capacity: number,
    readonly maxWaiting: number,
  ) {
    this.#free = capacity
  }

  /** @throws ImageQueueFull */
  async enter(party: number): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1
      this.#started(party, 1)
      return
    }
    if (this.#count >= this.maxWaiting) this.#makeRoom(party)
    this.#count += 1
    await new Promise<void>((enter, refuse) => {
      const own = this.#waiting.get(party)
      if (own === undefined) this.#waiting.set(party, [{ enter, refuse }])
      else own.push({ enter, refuse })
    })
  }

  leave(party: number): void {
    this.#started(party, -1)
    const next = this.#nextParty()
    if (next === undefined) {
      this.#free += 1
      return
    }
    const queue = this.#waiting.get(next)!
    const { enter } = queue.shift()!
    this.#count -= 1
    this.#waiting.delete(next)
    if (queue.length > 0) this.#waiting.set(next, queue)
    this.#started(next, 1)
    enter()
  }

  #running(party: number): number {
    return this.#inProgress.get(party) ?? 0
  }

  #started(party: number, change: 1 | -1): void {
    const now = this.#running(party) + change
    if (now > 0) this.#inProgress.set(party, now)
    else this.#inProgress.delete(party)
  }

  #nextParty(): number | undefined {
    let next: number | undefined
    for (const party of this.#waiting.keys())
      if (next === undefined || this.#running(party) < this.#running(next)) next = party
    return next
  }

  /** Refuses the last image of the party with the most images, unless `party` would then have the most. @throws ImageQueueFull */
  #makeRoom(party: number): void {
    let longest: Waiting[] = []
    for (const queue of this.#waiting.values()) if (queue.length > longest.length) longest = queue
    const own = this.#waiting.get(party)?.length ?? 0
    if (own + 1 >= longest.length) throw new ImageQueueFull()
    this.#count -= 1
    longest.pop()!.refuse(new ImageQueueFull())
  }
}

/** Lets in what fits into `capacity`, in the order of arrival. */
class Gate {
  #free: number
  readonly #waiting: { readonly weight: number; readonly enter: () => void }[] = []

  constructor(capacity: number) {
    this.#free = capacity
  }

  async enter(weight: number): Promise<void> {
    if (this.#waiting.length === 0 && weight <= this.#free) this.#free -= weight
    else await new Promise<void>((enter) => this.#waiting.push({ weight, enter }))
  }

  leave(weight: number): void {
    this.#free += weight
    for (let next = this.#waiting[0]; next !== undefined && next.weight <= this.#free; next = this.#waiting[0]) {
      this.#free -= next.weight
      this.#waiting.shift()
      next.enter()
    }
  }
}
