/**
 * Reads uploaded spreadsheets in processes of their own (docs/adr/0021-spreadsheets.md), each of which reads one file and ends: a
 * hostile file costs the server nothing but the wait for the answer.
 */

import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'

import { type SheetRow, UnreadableSheet } from '#lib/spreadsheets/sheet.ts'

import { diskError } from '../blobs/local.ts'
import { TaskProcess } from '../task-process.ts'
import { type ReadSheet, SHEET_PROCESS, type SheetReply, type Sheets, type SheetTask } from './port.ts'

export type { Sheets } from './port.ts'

/** 100,000 rows of 40 columns take five seconds on one core (measured), and the machine may be busy. */
const TIME_LIMIT_MS = 60_000

/** Starts nothing before the first file. The caller bounds how many are read at once. */
export function createSheets(timeLimitMs = TIME_LIMIT_MS): Sheets {
  const running = new Set<TaskProcess<SheetTask, SheetReply>>()
  return {
    async read(input, output, request) {
      const worker = new TaskProcess<SheetTask, SheetReply>({
        name: 'spreadsheets',
        argument: SHEET_PROCESS,
        source: new URL('./sheet-main.ts', import.meta.url),
        timeLimitMs,
        crashed: { kind: 'unreadable', reason: 'too-large' },
        isSpent: () => true,
      })
      running.add(worker)
      try {
        return sheetOf(await worker.run({ input, output, ...request }), output)
      } catch (error) {
        // An error of the removal would hide the cause.
        await rm(output, { force: true }).catch(() => undefined)
        throw error
      } finally {
        running.delete(worker)
      }
    },
    async stop() {
      await Promise.all([...running].map((one) => one.stop()))
    },
  }
}

function sheetOf(reply: SheetReply, output: string): ReadSheet {
  if (reply.kind === 'read') return reply.sheet
  if (reply.kind === 'unreadable') throw new UnreadableSheet(reply.reason)
  const error = Object.assign(new Error(reply.message), { code: reply.code })
  throw reply.code === undefined ? error : diskError(error, dirname(output))
}

/** The rows that `Sheets.read` has written, in groups of 50 at most. */
export async function* rowsIn(path: string): AsyncGenerator<readonly SheetRow[], void, undefined> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of Bun.file(path).stream()) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop()!
    for (const line of lines) yield JSON.parse(line) as SheetRow[]
  }
}
