/** Writes the archive of a data export as a stream: a page of rows, or a piece of a file, is in memory at a time. */

import { open, statfs, unlink } from 'node:fs/promises'

import type { AppContext } from '#context'
import type { DataArea, DataRow } from '#db/data-areas.ts'
import type { Db } from '#db/store.ts'
import { contributions } from '#domains/domain.ts'
import { bytesOfUploads, sizeOfUploads } from '#domains/files/index.ts'
import { addGarbage } from '#http/exports.ts'
import { siteOf } from '#http/site.ts'
import type { Locale } from '#lib/localized.ts'
import { CSV_START, csvRow, type CsvValue } from '#lib/spreadsheets/csv-writer.ts'
import type { ZipEntry } from '#lib/zip.ts'

import { MIN_FREE_BYTES } from './exports.model.ts'
import type { ExportRow, Subject } from './exports.store.ts'
import { cellText, overviewPage, shortText, SHOWN_ROWS, type ShownArea } from './overview.rules.ts'

/** The disk became full while an archive was written. */
export class TooLittleSpace extends Error {
  override readonly name = 'TooLittleSpace'
}

export interface ArchiveJob {
  readonly row: ExportRow
  readonly subject: Subject
  /** Percent. */
  progress: number
  /** The archive is no longer wanted. */
  readonly signal: AbortSignal
}

const utf8 = new TextEncoder()
/** Of files that are read before the others get a turn. */
const TURN_BYTES = 2 * 1024 * 1024
/** Of a file that are in memory: packed in one piece (lib/zip.ts). */
const PIECE_BYTES = 4 * 0xffff
/** The longest pause of an export. A busy machine makes turns long that do little work, and the pauses must not grow with it. */
const MAX_PAUSE_MS = 20
/** Part of the progress that the tables are, if there are files too. */
const TABLES_PERCENT = 20

const REMARKS = {
  en: {
    files: 'The bytes of files were left out, as you asked.',
    lost: (n: number) => `${n} files are missing on the server.`,
    administrator:
      'This archive was made by an administrator. It has no messages, files, scan records and contacts, only their numbers.',
  },
  zh: {
    files: '按你的选择，未包含文件内容。',
    lost: (n: number) => `服务器上缺少 ${n} 个文件。`,
    administrator: '此压缩包由管理员生成，不含消息、文件、扫码记录和联系人，仅含其数量。',
  },
} as const satisfies Record<Locale, object>

/** The pieces of the archive. One is overwritten when the second piece after it is requested. @throws TooLittleSpace; errors of the database and of the store of bytes; that of the signal */
export async function* archive(ctx: AppContext, job: ArchiveJob): AsyncGenerator<Uint8Array> {
  const { zipOf } = await import('#lib/zip.ts')
  const db = (await ctx.db.heavyReads()).readInWorker
  yield* zipOf(entries(ctx, db, job), job.row.createdAt, { isLarge: true, reusesBuffers: true })
}

async function* entries(ctx: AppContext, db: Db, job: ArchiveJob): AsyncGenerator<ZipEntry> {
  const { row, subject } = job
  const { language: locale, withFiles } = row
  const isOwn = row.createdBy === row.userId
  const areas = contributions(ctx, 'dataAreas').flat()
  const files = isOwn && withFiles
  const shown: ShownArea[] = []
  for (const [i, area] of areas.entries()) {
    yield* new AreaWriter(ctx, db, job, area, shown).entries(isOwn)
    job.progress = Math.floor(((i + 1) / areas.length) * (files ? TABLES_PERCENT : 99))
  }
  const lost = { count: 0 }
  if (files) yield* fileEntries(ctx, db, job, lost)
  const words = REMARKS[locale]
  const remarks = [
    ...(isOwn ? [] : [words.administrator]),
    ...(isOwn && !withFiles ? [words.files] : []),
    ...(lost.count > 0 ? [words.lost(lost.count)] : []),
  ]
  const page = overviewPage({
    name: subject.nickname,
    server: siteOf(ctx).name,
    locale,
    createdAt: row.createdAt,
    areas: shown,
    remarks,
  })
  yield { name: 'index.html', data: utf8.encode(page), deflate: true }
}

/** Leaves as much time to others as the turn took. */
const pauseAfter = (startedAt: number): Promise<void> =>
  Bun.sleep(Math.min(MAX_PAUSE_MS, performance.now() - startedAt))

class AreaWriter {
  #rows = 0
  #cells: string[][] = []

  constructor(
    readonly ctx: AppContext,
    readonly db: Db,
    readonly job: ArchiveJob,
    readonly area: DataArea,
    readonly shown: ShownArea[],
  ) {}

  /** Nothing for an area without rows. */
  async *entries(isOwn: boolean): AsyncGenerator<ZipEntry> {
    const { name, title, forAdministrators, columns } = this.area
    const what = isOwn ? 'ROWS' : forAdministrators
    const pages = this.#pages()
    try {
      const first = await pages.next()
      if (first.done === true) return
      const files: string[] = []
      const kept = what === 'NAMES' ? columns.filter((column) => column === 'id' || column === 'name') : columns
      if (what === undefined) {
        this.#rows = first.value.length
        for await (const page of pages) this.#rows += page.length
      } else {
        const path = await this.ctx.staging.newPath()
        try {
          files.push(`data/${name}.json`, `data/${name}.csv`)
          yield { name: files[0]!, pieces: this.#json(first.value, pages, kept, path) }
          yield { name: files[1]!, pieces: Bun.file(path).stream() as unknown as AsyncIterable<Uint8Array> }
        } finally {
          await unlink(path).catch(() => undefined)
        }
      }
      this.shown.push({
        title: title[this.job.row.language],
        files,
        rows: this.#rows,
        columns: kept,
        cells: this.#cells,
      })
    } finally {
      await pages.return(undefined)
    }
  }

  /** Stops when the archive is no longer wanted, and leaves as much time to others as the page took. */
  async *#pages(): AsyncGenerator<readonly DataRow[]> {
    let startedAt = performance.now()
    for await (const page of this.area.pages(this.db, this.job.row.userId)) {
      this.job.signal.throwIfAborted()
      yield page
      await pauseAfter(startedAt)
      startedAt = performance.now()
    }
  }

  /** The JSON file. Writes the table to `path` beside it, so that both have the same rows. */
  async *#json(
    first: readonly DataRow[],
    rest: AsyncGenerator<readonly DataRow[]>,
    columns: readonly string[],
    path: string,
  ): AsyncGenerator<Uint8Array> {
    const table = Bun.file(path).writer()
    try {
      table.write(CSV_START + csvRow(columns))
      let start = '['
      for (let page: readonly DataRow[] | undefined = first; page !== undefined;) {
        let json = ''
        let csv = ''
        for (const row of page) {
          const own = Object.fromEntries(columns.map((column) => [column, row[column] ?? null]))
          json += `${start}\n${JSON.stringify(own)}`
          start = ','
          csv += csvRow(columns.map((column) => csvValue(column, own[column])))
          if (this.#cells.length < SHOWN_ROWS)
            this.#cells.push(columns.map((column) => shortText(cellText(column, own[column]))))
        }
        this.#rows += page.length
        table.write(csv)
        await table.flush()
        addGarbage(this.ctx, json.length)
        yield utf8.encode(json)
        const next = await rest.next()
        page = next.done === true ? undefined : next.value
      }
      yield utf8.encode('\n]\n')
    } finally {
      await table.end()
    }
  }
}

const csvValue = (column: string, value: unknown): CsvValue =>
  typeof value === 'boolean' || (typeof value === 'number' && !/(?:At|Time)$/.test(column))
    ? value
    : cellText(column, value)

/** Files of one query. */
const FILES_AT_ONCE = 100

async function* fileEntries(
  ctx: AppContext,
  db: Db,
  job: ArchiveJob,
  lost: { count: number },
): AsyncGenerator<ZipEntry> {
  const { userId } = job.row
  const total = await sizeOfUploads(db, userId)
  let done = 0
  for (let after = 0; ;) {
    const files = await bytesOfUploads(db, userId, after, FILES_AT_ONCE)
    for (const { id, path, size, key } of files) {
      job.signal.throwIfAborted()
      await requireSpace(ctx)
      const bytes = await ctx.blobs.read(key)
      if (bytes === undefined) lost.count++
      else {
        const pieces = bytes instanceof Blob ? piecesOfFile(bytes as Bun.BunFile) : piecesOfBucket(bytes)
        yield { name: path, pieces: inTurns(pieces, job.signal), isDense: true }
      }
      done += size
      if (total > 0) job.progress = Math.min(99, TABLES_PERCENT + Math.floor((done / total) * (100 - TABLES_PERCENT)))
      after = id
    }
    if (files.length < FILES_AT_ONCE) return
  }
}

/** Of a local file, each in the same buffer: the pieces of a stream are new ones, and gigabytes of garbage take tens of megabytes. */
async function* piecesOfFile({ name }: Bun.BunFile): AsyncGenerator<Uint8Array> {
  const file = await open(name!)
  try {
    const buffer = new Uint8Array(PIECE_BYTES)
    for (let read: number; (read = (await file.read(buffer, 0, buffer.length)).bytesRead) > 0;)
      yield buffer.subarray(0, read)
  } finally {
    await file.close()
  }
}

/** Of a file in a bucket: new ones, whose memory is given back as soon as each is packed, not when garbage is collected. */
async function* piecesOfBucket(bytes: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of bytes as unknown as AsyncIterable<Uint8Array<ArrayBuffer>>) {
    yield piece
    if (piece.byteLength === piece.buffer.byteLength) piece.buffer.transfer(0)
  }
}

/** The pieces of a file. After each 2 MB, others get as much time as these took. */
async function* inTurns(pieces: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  let startedAt = performance.now()
  let taken = 0
  for await (const piece of pieces) {
    yield piece
    taken += piece.length
    if (taken < TURN_BYTES) continue
    signal.throwIfAborted()
    await pauseAfter(startedAt)
    startedAt = performance.now()
    taken = 0
  }
}

export const disk = {
  /** Of the disk of the data directory. */
  async freeBytes({ config }: AppContext): Promise<number> {
    const { bavail, bsize } = await statfs(config.dataDir)
    return bavail * bsize
  },
}

/** Half as much as at the start: an archive must not fill the disk of the server. */
async function requireSpace(ctx: AppContext): Promise<void> {
  if ((await disk.freeBytes(ctx)) < MIN_FREE_BYTES / 2) throw new TooLittleSpace('less than half a gigabyte is free')
}
