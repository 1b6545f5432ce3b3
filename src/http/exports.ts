/** Files that are generated while they are sent, so that an export of any size takes little memory. */

import { type AppContext, perContext } from '#context'
import { MINUTE } from '#platform/clock.ts'

import { limited } from './errors.ts'

export interface ExportFile {
  readonly pieces: AsyncGenerator<Uint8Array>
  readonly type: string
  /** Of ASCII characters. */
  readonly name: string
}

/** Users whose exports are running. */
const exporting = perContext(() => new Set<number>())

/** Exports of all users at once: an export can have thousands of pictures, which take a millisecond each. */
const MAX_RUNNING = 2
/** Waiting so long is worth while: most exports take less. */
const RETRY_SECONDS = 10

/** Returns the function that ends the export, which may be called repeatedly. @throws AppError 429 */
function beginExport(ctx: AppContext, userId: number): () => void {
  const running = exporting(ctx)
  if (running.has(userId)) throw limited('Your last export is still running', '你的上一次导出尚未完成', RETRY_SECONDS)
  if (running.size >= MAX_RUNNING)
    throw limited('Other exports are running, try again later', '正在进行其他导出，请稍后再试', RETRY_SECONDS)
  running.add(userId)
  let ended = false
  return () => {
    // A later export of the user must not be ended by this one.
    if (!ended) running.delete(userId)
    ended = true
  }
}

/** Sends the file that `start` prepares. A user has one export at a time, and the server two. @throws AppError 429, and errors of `start` */
export async function sendExport(ctx: AppContext, userId: number, start: () => Promise<ExportFile>): Promise<Response> {
  const end = beginExport(ctx, userId)
  try {
    const { pieces, type, name } = await start()
    return new Response(streamOf(ctx, pieces, end), {
      headers: {
        'content-type': type,
        'content-disposition': `attachment; filename="${name}"`,
        'cache-control': 'no-store',
      },
    })
  } catch (error) {
    end()
    throw error
  }
}

/** Clients that read very slowly must not keep others waiting. */
const MAX_DURATION_MS = 10 * MINUTE

/**
 * Generates the next piece when the client has taken the last one, and stops when the client disconnects or takes too long. Calls
 * `end` when it stops.
 */
export function streamOf(
  ctx: AppContext,
  pieces: AsyncGenerator<Uint8Array>,
  end: () => void,
): ReadableStream<Uint8Array> {
  let isWanted = true
  const stop = () => {
    isWanted = false
    clearTimeout(timeout)
    end()
  }
  let controller: ReadableStreamDefaultController<Uint8Array>
  const timeout = setTimeout(() => {
    stop()
    controller.error(new Error('the client took too long'))
    void pieces.return(undefined)
  }, MAX_DURATION_MS).unref()
  return new ReadableStream({
    start(given) {
      controller = given
    },
    async pull() {
      try {
        const { done, value } = await pieces.next()
        if (!isWanted) return
        if (done) {
          stop()
          controller.close()
        } else controller.enqueue(value)
      } catch (error) {
        stop()
        ctx.log.error('an answer failed while it was being sent', { error })
        controller.error(error)
      }
    },
    async cancel() {
      stop()
      await pieces.return(undefined)
    },
  })
}
