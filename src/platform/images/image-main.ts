/** The process that decodes images (platform/task-process.ts). */

import { serveTasks } from '../task-process.ts'
import { decodeHeic } from './heic.ts'
import { drawLogo, readPixels } from './logo.ts'
import { convert, inspect } from './pipeline.ts'
import { IMAGE_PROCESS, type ImageReply, type ImageTask, UnusableImage } from './port.ts'

async function answer(task: ImageTask): Promise<ImageReply> {
  try {
    if (task.kind === 'inspect') return { kind: 'inspected', ...(await inspect(task.input, task.mime)) }
    if (task.kind === 'decode') {
      await decodeHeic(await Bun.file(task.input).bytes(), task.output)
      return { kind: 'decoded' }
    }
    if (task.kind === 'logo') return { kind: 'drawn', files: await drawLogo(task), memory: process.memoryUsage.rss() }
    if (task.kind === 'pixels') return { kind: 'read', size: await readPixels(task), memory: process.memoryUsage.rss() }
    const processed = await convert(task)
    return { kind: 'converted', processed, memory: process.memoryUsage.rss() }
  } catch (error) {
    if (error instanceof UnusableImage) return { kind: 'unusable', reason: error.reason }
    const { code, message } = error as { code?: unknown; message?: unknown }
    return { kind: 'failed', code: typeof code === 'string' ? code : undefined, message: String(message) }
  }
}

export const runImageProcess = (): void => serveTasks(answer)

// From source, this file is the entry point.
if (!Bun.isStandaloneExecutable && process.argv[2] === IMAGE_PROCESS) runImageProcess()
