/** Draws designed codes, and checks that they can be read (docs/adr/0040-designs.md). */

import { type AppContext, perContext } from '#context'
import { WorkerHost, workerUrl } from '#db/engine/worker-host.ts'
import { type FileRow, loadPixels } from '#domains/files/index.ts'
import type { Localized } from '#lib/localized.ts'
import {
  type DesignSymbol,
  designSymbol,
  LEAST_MODULE_MM,
  type Look,
  lookProblems,
  moduleMm,
  type Problem,
  type ProblemCode,
  symbolProblems,
} from '#lib/qr/design/index.ts'
import type { Pictures } from '#lib/qr/design/raster.ts'
import { type Level, QrTooLong } from '#lib/qr/index.ts'
import type { Size } from '#platform/images/port.ts'

import { CheckQueue } from './check-queue.ts'
import { PROBLEM_TEXTS, tooLongFor, unreadable } from './drawing.errors.ts'
import type { DrawingResult, DrawingTask } from './drawing.worker.ts'

const CHECKS_AT_ONCE = 2
const MAX_WAITING = 50

/** Two threads for checks, so that a check does not delay the pictures. They exist while they are used. */
const threadsOf = perContext(() => {
  const thread = () =>
    new WorkerHost<DrawingTask, DrawingResult>(workerUrl('domains/qr-codes/drawing/drawing.worker.ts'))
  return { idle: [thread(), thread()], drawing: thread(), queue: new CheckQueue(CHECKS_AT_ONCE, MAX_WAITING) }
})

/** Pictures within a design are scaled down to this before they are drawn. */
const LARGEST = { logo: { width: 512, height: 512 }, strip: { width: 1200, height: 300 } } as const

const DPI = 300
const MM_PER_INCH = 25.4
/** Of the width of a label. An archive of 5,000 labels then has less than 4 GB, whatever their pictures show. */
const LABEL_DOTS = 600
/** Part of the width. */
const LARGEST_LOGO = 0.25

/** The pixels that the pictures of a label of this outer width need. */
export function labelPixels(widthMm: number): { readonly logo: Size; readonly strip: Size } {
  const width = Math.min(LABEL_DOTS, Math.ceil((widthMm * DPI) / MM_PER_INCH))
  const logo = Math.ceil(width * LARGEST_LOGO)
  return { logo: { width: logo, height: logo }, strip: { width, height: width } }
}

/**
 * The pixels of the pictures of a design. Whether the user may see the files is for the caller to check.
 * @throws AppError, UnusableImage, ImageQueueFull, BlobError
 */
export async function loadPictures(
  ctx: AppContext,
  userId: number,
  { logo, strip }: { readonly logo?: FileRow | undefined; readonly strip?: FileRow | undefined },
  within: ReturnType<typeof labelPixels> = LARGEST,
): Promise<Pictures> {
  return {
    logo: logo && (await loadPixels(ctx, userId, logo, within.logo)),
    strip: strip && (await loadPixels(ctx, userId, strip, within.strip)),
  }
}

export interface DesignProblem {
  readonly code: ProblemCode
  /** The field of the design that is to blame. */
  readonly path: string
  /** Continues a sentence that begins with the field. */
  readonly text: Localized
}

export interface Checked {
  readonly ok: boolean
  /** Null if no symbol can hold the content. */
  readonly symbol: { readonly version: number; readonly level: Level; readonly modules: number } | null
  /** Null without a width. */
  readonly moduleMm: number | null
  /** Percent of the error correction that the logo leaves. */
  readonly spare: number
  readonly problems: readonly DesignProblem[]
  readonly hints: readonly { readonly code: 'SMALL_MODULE'; readonly moduleMm: number }[]
}

/** Draws the content with a look and reads the picture, as cameras would see it. `widthMm`: outer width on paper. @throws AppError 503 */
export async function checkDesign(
  ctx: AppContext,
  userId: number,
  look: Look,
  content: string,
  pictures: Pictures,
  widthMm?: number,
): Promise<Checked> {
  const problems: DesignProblem[] = lookProblems(look).map(withText)
  let symbol: DesignSymbol | undefined
  try {
    symbol = designSymbol(content, look)
    problems.push(...symbolProblems(symbol).map(withText))
  } catch (error) {
    if (!(error instanceof QrTooLong)) throw error
    problems.push({ code: 'LEVEL', path: 'level', text: tooLongFor(error.level) })
  }
  if (problems.length === 0) {
    const condition = await read(ctx, userId, { content, look, pictures })
    if (condition !== null) problems.push({ code: 'UNREADABLE', path: blamed(look), text: unreadable(condition) })
  }
  const side = symbol?.matrix.side
  const module = side === undefined || widthMm === undefined ? null : moduleMm(side, look.margin, widthMm)
  return {
    ok: problems.length === 0,
    symbol: symbol ? { version: symbol.matrix.version, level: symbol.matrix.level, modules: symbol.matrix.side } : null,
    moduleMm: module,
    spare: symbol?.spare ?? 0,
    problems,
    hints: module !== null && module < LEAST_MODULE_MM ? [{ code: 'SMALL_MODULE', moduleMm: module }] : [],
  }
}

const withText = ({ code, path }: Problem): DesignProblem => ({
  code,
  path,
  text: PROBLEM_TEXTS[code as keyof typeof PROBLEM_TEXTS],
})

/** The part of a look that most probably makes a picture unreadable. */
function blamed({ logo, gradient, modules }: Look): string {
  if (logo !== null) return 'logo'
  if (gradient !== null) return 'gradient'
  return modules === 'SQUARE' ? 'eyes' : 'modules'
}

/** Milliseconds. A check takes less than 400 ms of work; a thread that takes so long hangs. */
const MAX_CHECK_MS = 60_000

async function read(ctx: AppContext, userId: number, subject: Omit<DrawingTask & { kind: 'check' }, 'kind'>) {
  const { idle, queue } = threadsOf(ctx)
  return queue.run(userId, async () => {
    const thread = idle.pop()!
    const timer = setTimeout(() => thread.stop(new Error('a check of a design took too long')), MAX_CHECK_MS)
    try {
      const result = await thread.run({ kind: 'check', ...subject })
      return result.kind === 'checked' ? result.unreadable : null
    } finally {
      clearTimeout(timer)
      idle.push(thread)
    }
  })
}

export type Drawing = Omit<DrawingTask & { kind: 'draw' }, 'kind'>

/** The same drawing gives the same bytes. The content must fit into the look, and the modules into the size. */
export async function drawDesign(ctx: AppContext, drawing: Drawing): Promise<Uint8Array<ArrayBuffer>> {
  const result = await threadsOf(ctx).drawing.run({ kind: 'draw', ...drawing })
  if (result.kind !== 'drawn') throw new Error('the thread for drawing answered a check')
  return result.bytes
}

/** When the server stops. */
export function stopDrawing(ctx: AppContext): void {
  const { idle, drawing } = threadsOf(ctx)
  for (const thread of [...idle, drawing]) thread.stop()
}
