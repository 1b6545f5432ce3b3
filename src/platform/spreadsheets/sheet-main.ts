/** The process that reads spreadsheets (platform/task-process.ts). */

import { readSheet } from '#lib/spreadsheets/sheet-reader.ts'
import { type SheetFacts, UnreadableSheet } from '#lib/spreadsheets/sheet.ts'

import { serveTasks } from '../task-process.ts'
import { type ReadSheet, SHEET_PROCESS, type SheetReply, type SheetTask } from './port.ts'

/** Characters of all rows. A text of a workbook can be in any number of its cells, so a small file can have endless rows. */
const MAX_OUTPUT = 256_000_000
/** Resident memory. A workbook with 50 million characters of texts takes 250 MB. Bytes. */
const MAX_MEMORY = 450_000_000
/** Rows that the server parses together, in about half a millisecond. */
const GROUP = 50

async function read({ input, output, limits, ...choice }: SheetTask): Promise<ReadSheet> {
  const facts: SheetFacts = {}
  const writer = Bun.file(output).writer({ highWaterMark: 1024 * 1024 })
  let [count, characters] = [0, 0]
  try {
    for await (const rows of readSheet(Bun.file(input), limits, choice, facts)) {
      count += rows.length
      for (let at = 0; at < rows.length; at += GROUP) {
        const line = JSON.stringify(rows.slice(at, at + GROUP))
        characters += line.length
        if (characters > (limits.characters ?? MAX_OUTPUT) || process.memoryUsage.rss() > MAX_MEMORY)
          throw new UnreadableSheet('too-large')
        writer.write(line)
        writer.write('\n')
      }
      await writer.flush()
    }
  } finally {
    await writer.end()
  }
  return { rows: count, ...facts }
}

async function answer(task: SheetTask): Promise<SheetReply> {
  try {
    return { kind: 'read', sheet: await read(task) }
  } catch (error) {
    if (error instanceof UnreadableSheet) return { kind: 'unreadable', reason: error.reason }
    const { code, message } = error as { code?: unknown; message?: unknown }
    return { kind: 'failed', code: typeof code === 'string' ? code : undefined, message: String(message) }
  }
}

export const runSheetProcess = (): void => serveTasks(answer)

// From source, this file is the entry point.
if (!Bun.isStandaloneExecutable && process.argv[2] === SHEET_PROCESS) runSheetProcess()
