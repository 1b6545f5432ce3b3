/**
 * Re-encodes uploaded images and draws their thumbnails, in processes of their own (docs/adr/0018-images.md): a decoder that crashes,
 * hangs or fills the memory on a hostile file ends with its process, and the server goes on.
 */

import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'

import { diskError } from '../blobs/local.ts'
import { ImageProcess } from './image-process.ts'
import {
  ImageQueueFull,
  type ImageReply,
  type Images,
  type ImageTask,
  MAX_PIXELS,
  type Processed,
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
const PROCESSES = 2
/** Images that may wait. They wait on disk and take no memory, but their clients would give up if there were more. */
const MAX_WAITING = 100
/** The slowest images below the limit of pixels take about 6 s on one core (measured), and the machine may be busy. */
const TIME_LIMIT_MS = 60_000

const HEIC = new Set(['image/heic', 'image/heif'])

/** Starts nothing before the first image. */
export function createImages({ heic, timeLimitMs = TIME_LIMIT_MS }: ImagesOptions): Images {
  const processes = Array.from({ length: PROCESSES }, () => new ImageProcess(timeLimitMs))
  const idle = [...processes]
  const turns = new Gate(PROCESSES, MAX_WAITING)
  // Decoding takes up to 10 bytes a pixel, so two of the largest images wait for each other.
  const pixels = new Gate(MAX_PIXELS, PROCESSES)

  async function convert(worker: ImageProcess, task: ImageTask & { kind: 'convert' }): Promise<Processed> {
    const { input, mime, output } = task
    const found = usable(await worker.run({ kind: 'inspect', input, mime }), 'inspected', output)
    await pixels.enter(found.pixels)
    try {
      return usable(await worker.run(task), 'converted', output).processed
    } finally {
      pixels.leave(found.pixels)
    }
  }

  return {
    async process(input, mime, output, thumbnailOutput) {
      if (HEIC.has(mime) && !(await heic())) throw new UnusableImage('heic-off')
      await turns.enter(1)
      const worker = idle.pop()!
      try {
        return await convert(worker, { kind: 'convert', input, mime, output, thumbnailOutput })
      } catch (error) {
        // An error of the removal would hide the cause.
        for (const path of [output, thumbnailOutput]) await rm(path, { force: true }).catch(() => undefined)
        throw error
      } finally {
        idle.push(worker)
        turns.leave(1)
      }
    },
    async stop() {
      await Promise.all(processes.map((one) => one.stop()))
    },
  }
}

function usable<K extends ImageReply['kind']>(reply: ImageReply, kind: K, output: string): ImageReply & { kind: K } {
  if (reply.kind === kind) return reply as ImageReply & { kind: K }
  if (reply.kind === 'unusable') throw new UnusableImage(reply.reason)
  if (reply.kind !== 'failed') throw new Error(`the image process answered ${reply.kind} instead of ${kind}`)
  const error = Object.assign(new Error(reply.message), { code: reply.code })
  throw reply.code === undefined ? error : diskError(error, dirname(output))
}

/** Lets in what fits into `capacity`, in the order of arrival. */
class Gate {
  #free: number
  readonly #waiting: { readonly weight: number; readonly enter: () => void }[] = []

  constructor(
    capacity: number,
    readonly maxWaiting: number,
  ) {
    this.#free = capacity
  }

  /** @throws ImageQueueFull */
  async enter(weight: number): Promise<void> {
    if (this.#waiting.length === 0 && weight <= this.#free) this.#free -= weight
    else if (this.#waiting.length >= this.maxWaiting) throw new ImageQueueFull()
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
