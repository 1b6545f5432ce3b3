/** The process that decodes images. It receives tasks from the server (image-process.ts), one at a time, and exits with the server. */

import { writeFileSync } from 'node:fs'

import { decodeHeic } from './heic.ts'
import { convert, inspect } from './pipeline.ts'
import { IMAGE_PROCESS, type ImageReply, type ImageTask, UnusableImage } from './port.ts'

async function answer(task: ImageTask): Promise<ImageReply> {
  try {
    if (task.kind === 'inspect') return { kind: 'inspected', pixels: await inspect(task.input, task.mime) }
    if (task.kind === 'decode') {
      await decodeHeic(await Bun.file(task.input).bytes(), task.output)
      return { kind: 'decoded' }
    }
    const processed = await convert(task)
    return { kind: 'converted', processed, memory: process.memoryUsage.rss() }
  } catch (error) {
    if (error instanceof UnusableImage) return { kind: 'unusable', reason: error.reason }
    const { code, message } = error as { code?: unknown; message?: unknown }
    return { kind: 'failed', code: typeof code === 'string' ? code : undefined, message: String(message) }
  }
}

export function runImageProcess(): void {
  // The server decides when this process ends. A signal to the whole group must not end it before the server has answered.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
  process.on('disconnect', () => process.exit(0))
  process.on('message', (task: ImageTask) => void answer(task).then((reply) => process.send!(reply)))
  try {
    // If the memory is exhausted, the kernel ends this process and not the server.
    writeFileSync('/proc/self/oom_score_adj', '900')
  } catch {
    // Only Linux has it.
  }
  process.send!({ kind: 'ready' } satisfies ImageReply)
}

// From source, this file is the entry point.
if (!Bun.isStandaloneExecutable && process.argv[2] === IMAGE_PROCESS) runImageProcess()
