/**
 * The files of the web application: one file that `scripts/web-app.ts` builds. The executable contains it. A server that runs from the sources
 * has it built when somebody first opens the web application. The bytes are read when a browser requests them.
 */

import { join } from 'node:path'

import type { Coding } from './coding.ts'

/** Where bytes begin and end, counted from the end of the index. */
export type Place = readonly [start: number, end: number]

export interface PackedFile {
  /** The media type. */
  readonly type: string
  /** Of the uncompressed bytes. */
  readonly hash: string
  /** Uncompressed bytes. */
  readonly size: number
  /** Present if compression gains nothing. Such files have neither `br` nor `gzip`; all others have both. */
  readonly plain?: Place | undefined
  readonly br?: Place | undefined
  readonly gzip?: Place | undefined
}

/** The file begins with the length of this index (4 bytes, big-endian) and the index as JSON. The contents of the files follow. */
export type PackIndex = Readonly<Record<string, PackedFile>>

export class Pack {
  readonly #file: Blob
  readonly #files: ReadonlyMap<string, PackedFile>
  /** Where the contents begin. */
  readonly #start: number

  private constructor(file: Blob, start: number, index: PackIndex) {
    this.#file = file
    this.#start = start
    this.#files = new Map(Object.entries(index))
  }

  static async open(path: string): Promise<Pack> {
    const file = Bun.file(path)
    const start = 4 + new DataView(await file.slice(0, 4).arrayBuffer()).getUint32(0)
    return new Pack(file, start, (await file.slice(4, start).json()) as PackIndex)
  }

  find(name: string): PackedFile | undefined {
    return this.#files.get(name)
  }

  async read(file: PackedFile, coding: Coding): Promise<Blob> {
    const [start, end] = placeOf(file, coding) ?? file.gzip!
    const bytes = this.#file.slice(this.#start + start, this.#start + end)
    // Nearly every client understands compression, so the uncompressed bytes are not stored.
    return placeOf(file, coding) === undefined ? new Blob([Bun.gunzipSync(await bytes.bytes())]) : bytes
  }
}

const placeOf = (file: PackedFile, coding: Coding): Place | undefined => file[coding === 'identity' ? 'plain' : coding]

/** Bytes of the file in this coding. */
export function sizeOf(file: PackedFile, coding: Coding): number {
  const place = placeOf(file, coding)
  return place === undefined ? file.size : place[1] - place[0]
}

/** @throws Error with the messages of the compiler if the web application cannot be built from the sources */
export async function findPack(): Promise<Pack> {
  if (!Bun.isStandaloneExecutable) return Pack.open(await buildFromSources())
  const { default: path } = await import('tessera:web-app')
  return Pack.open(path)
}

/** Another process builds, since the bundler needs seconds of a core and much memory. It finds out quickly if nothing has changed. */
async function buildFromSources(): Promise<string> {
  const root = join(import.meta.dir, '../../..')
  const build = Bun.spawn([process.execPath, join(root, 'scripts/web-app.ts'), '--path'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [path, messages, code] = await Promise.all([build.stdout.text(), build.stderr.text(), build.exited])
  if (code !== 0) throw new Error(messages.trim())
  return path.trim()
}
