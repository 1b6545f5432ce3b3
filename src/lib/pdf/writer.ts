/** Writes PDF files of any number of pages while they are sent (ISO 32000-1). Loads zlib, so it is imported on first use. */

import { promisify } from 'node:util'
import { deflate } from 'node:zlib'

import { imageObject, streamBody } from '../qr/design/pdf.ts'
import type { Pixels } from '../qr/design/raster.ts'
import { fontObjects } from './fonts.ts'
import { PAPER } from './page.ts'

const compress = promisify<Uint8Array, Uint8Array>(deflate)

export interface Description {
  readonly title: string
  /** A language tag, for programs that read the text aloud. */
  readonly language: string
  /** Epoch milliseconds. Without it, the same pages give the same bytes. */
  readonly createdAt?: number
  /** Of each page, in points; A4 by default. */
  readonly paper?: { readonly width: number; readonly height: number }
  /** Pictures that pages show by the names `/I0`, `/I1` and so on. They are in the file once. */
  readonly pictures?: readonly (Pixels | undefined)[] | undefined
}

/** A page with shadings, which its content names `/S0`, `/S1` and so on: the dictionary of each. */
export interface ShadedPage {
  readonly content: string
  readonly shadings: readonly string[]
  /** If it has another size than the other pages. */
  readonly paper?: Description['paper']
}

/** Ids of the objects that all pages share. Those of pages follow. */
const CATALOG = 1
const PAGES = 2
const INFO = 3
const RESOURCES = 4
const FONTS = 5

const latin1 = (text: string): Uint8Array => Buffer.from(text, 'latin1')

/** The pieces of a file: its beginning, one for each page, and its end. `contents`: of `Page`, or by hand; there must be one at least. */
export async function* pdfOf(
  contents: AsyncIterable<string | ShadedPage>,
  { title, language, createdAt, paper = PAPER, pictures = [] }: Description,
): AsyncGenerator<Uint8Array, void, undefined> {
  /** Where each object begins, by its id. */
  const offsets: number[] = []
  let length = 0
  const piece = (...parts: (string | Uint8Array)[]): Uint8Array => {
    const bytes = Buffer.concat(parts.map((part) => (typeof part === 'string' ? latin1(part) : part)))
    length += bytes.length
    return bytes
  }
  const object = (id: number, value: string): Uint8Array => {
    offsets[id] = length
    return piece(`${id} 0 obj\n${value}\nendobj\n`)
  }

  // Four bytes above 127 tell programs that the file is binary.
  yield piece('%PDF-1.4\n%\xe2\xe3\xcf\xd3\n')
  const { objects, fonts } = fontObjects(FONTS)
  let first = FONTS + objects.length
  const streams: Uint8Array[] = []
  const file = {
    stream(entries: string, data: string | Uint8Array): number {
      offsets[first] = length
      streams.push(piece(`${first} 0 obj\n`, streamBody(entries, data), '\nendobj\n'))
      return first++
    },
  }
  const images = pictures.map((pixels, i) => pixels && `/I${i} ${imageObject(file, pixels)} 0 R`)
  yield* streams
  const resources = `/ProcSet[/PDF/Text]/Font${fonts}${images.length > 0 ? `/XObject<<${images.join('')}>>` : ''}`
  yield object(RESOURCES, `<<${resources}>>`)
  for (const [i, font] of objects.entries()) yield object(FONTS + i, font)
  const created = createdAt === undefined ? '' : `/CreationDate(${dateOf(createdAt)})`
  yield object(INFO, `<</Title<${textHex(title)}>/Producer(Tessera)${created}>>`)

  let pages = 0
  for await (const page of contents) {
    const { content, shadings, paper: own = paper } = typeof page === 'string' ? { content: page, shadings: [] } : page
    const shaded = shadings.map((shading, i) => `/S${i} ${shading}`).join('')
    const id = first + 2 * pages
    pages++
    const packed = await compress(latin1(content))
    const used = shaded === '' ? `${RESOURCES} 0 R` : `<<${resources}/Shading<<${shaded}>>>>`
    const head = object(
      id,
      `<</Type/Page/Parent ${PAGES} 0 R/MediaBox[0 0 ${own.width} ${own.height}]/Resources ${used}/Contents ${id + 1} 0 R>>`,
    )
    offsets[id + 1] = length
    const begin = `${id + 1} 0 obj\n<</Length ${packed.length}/Filter/FlateDecode>>stream\n`
    const body = piece(begin, packed, '\nendstream\nendobj\n')
    yield Buffer.concat([head, body])
  }

  const kids = Array.from({ length: pages }, (_, i) => `${first + 2 * i} 0 R`)
  yield object(PAGES, `<</Type/Pages/Count ${pages}/Kids[${kids.join(' ')}]>>`)
  yield object(CATALOG, `<</Type/Catalog/Pages ${PAGES} 0 R/Lang(${language})>>`)
  const start = length
  const entries = offsets.slice(1).map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`)
  yield piece(
    `xref\n0 ${offsets.length}\n0000000000 65535 f \n${entries.join('')}`,
    `trailer\n<</Size ${offsets.length}/Root ${CATALOG} 0 R/Info ${INFO} 0 R>>\nstartxref\n${start}\n%%EOF\n`,
  )
}

/** UTF-16 with its mark, as for all texts outside of pages. */
const textHex = (text: string): string => Buffer.from(`\ufeff${text}`, 'utf16le').swap16().toString('hex')

/** `D:20261122120000Z` */
const dateOf = (ms: number): string => `D:${new Date(ms).toISOString().slice(0, 19).replaceAll(/\D/g, '')}Z`
