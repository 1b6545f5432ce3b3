/** Files that are generated while they are sent, so that an export of any size takes little memory. */

import { type AppContext, perContext } from '#context'
import type { SharedPlace } from '#db/process-places.ts'
import type { HeavyReads } from '#db/store.ts'
import { MINUTE } from '#platform/clock.ts'

import { AppError, limited } from './errors.ts'
import { MAX_WAIT_MS, type Party, Places, type Work } from './places.ts'

export interface ExportFile {
  readonly pieces: AsyncGenerator<Uint8Array>
  readonly type: string
  /** Of ASCII characters. */
  readonly name: string
  /** Rows that it is made of, or more. */
  readonly rows: number
}

/** Most exports take less. */
const RETRY_SECONDS = 10

/** Each that is being read takes about half a megabyte: its ids, a piece, and the buffers of its connection. */
const MAX_OPEN = 100

const exporting = perContext(
  (ctx) =>
    new Places(
      ctx,
      {
        own: limited('Your last export is still running', '你的上一次导出尚未完成', RETRY_SECONDS),
        others: limited('Other exports are running, try again later', '正在进行其他导出，请稍后再试', RETRY_SECONDS),
      },
      MAX_OPEN,
    ),
)

/** A sentence about the limits, for the description of each export in the API document. */
export const EXPORT_LIMITS =
  'A user has one export at a time; further requests get 429 with code 4022, as do those that have waited 15 seconds for their turn.'

/**
 * Sends the file that `start` prepares, which reads its rows with `reads`. `rows`: if they are known before. A user has one export at a time, and users take turns.
 * @throws AppError 429, and errors of `start`
 */
export const sendExport = (
  ctx: AppContext,
  party: Party,
  start: (reads: HeavyReads) => Promise<ExportFile>,
  rows?: number,
): Promise<Response> => sendFrom(ctx, exporting(ctx), 'exports', party, start, rows)

/** The same, with places of its own. @throws AppError 429, and errors of `start` */
export async function sendFrom(
  ctx: AppContext,
  places: Places,
  shared: SharedPlace,
  party: Party,
  start: (reads: HeavyReads) => Promise<ExportFile>,
  rows?: number,
): Promise<Response> {
  const work = await places.openShared(shared, party, rows)
  try {
    const {
      pieces,
      type,
      name,
      rows: found,
    } = await work.run(async () => start(await ctx.db.heavyReads()), MAX_WAIT_MS)
    work.rows = found
    return new Response(streamOf(ctx, pieces, work), {
      headers: {
        'content-type': type,
        'content-disposition': `attachment; filename="${name}"`,
        'cache-control': 'no-store',
      },
    })
  } catch (error) {
    await work.close()
    throw error
  }
}

/** Of one answer. It bounds how long the work of a client that reads very slowly stays open. */
const MAX_DURATION_MS = 10 * MINUTE

/**
 * Generates the next piece when the client has taken the last one and `work` has its turn. Stops when the client disconnects, takes too
 * long, or takes nothing while there are too many others. Closes `work` when it stops.
 */
export function streamOf(ctx: AppContext, pieces: AsyncGenerator<Uint8Array>, work: Work): ReadableStream<Uint8Array> {
  let isWanted = true
  const stop = (): Promise<void> => {
    isWanted = false
    clearTimeout(timeout)
    return work.close()
  }
  let controller: ReadableStreamDefaultController<Uint8Array>
  const breakOff = () => {
    void stop()
    controller.error(new Error('the client took too long'))
    void pieces.return(undefined)
  }
  const timeout = setTimeout(breakOff, MAX_DURATION_MS).unref()
  work.cutOff = breakOff
  return new ReadableStream({
    start(given) {
      controller = given
    },
    async pull() {
      try {
        const { done, value } = await work.run(() => pieces.next())
        if (!isWanted) return
        if (done) {
          // Before the client sees the end and asks another process for its next export.
          await stop()
          controller.close()
        } else controller.enqueue(value)
      } catch (error) {
        if (!isWanted) return
        void stop()
        // A refusal is no fault: for example, the reader may see the rest no longer.
        if (error instanceof AppError) ctx.log.info('an answer was ended while it was being sent', { code: error.code })
        else ctx.log.error('an answer failed while it was being sent', { error })
        controller.error(error)
      }
    },
    async cancel() {
      void stop()
      await pieces.return(undefined)
    },
  })
}

/**
 * Bytes of rows after which garbage is collected beside the requests. By itself the engine waits until there is about as much of it as the
 * server takes without an export.
 */
const COLLECT_BYTES = 8 * 1024 * 1024
/** Memory that the text of a row takes on its way: the row in several shapes, and pieces of JSON and CSV. */
const BYTES_PER_CHARACTER = 8

const garbage = perContext(() => ({ bytes: 0 }))

/** For exports of texts, after each page of rows. `characters`: the length of its text in the file. */
export function addGarbage(ctx: AppContext, characters: number): void {
  const made = garbage(ctx)
  made.bytes += characters * BYTES_PER_CHARACTER
  if (made.bytes < COLLECT_BYTES) return
  made.bytes = 0
  Bun.gc(false)
}
