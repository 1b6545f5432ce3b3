/** The media type of a file follows from its bytes. */

import { expect, test } from 'bun:test'

import { mediaTypeOf } from '#lib/file-type.ts'
import { toXlsx } from '#lib/spreadsheets/xlsx-writer.ts'
import { zipOf } from '#lib/zip.ts'

const WORD = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
const EXCEL = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

/** One byte for each character. */
const bytes = (characters: string): Uint8Array => new Uint8Array(Buffer.from(characters, 'latin1'))
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
const typeOf = (content: Uint8Array | Blob): Promise<string | undefined> =>
  mediaTypeOf(content instanceof Blob ? content : new Blob([content as Uint8Array<ArrayBuffer>]))

async function archive(...names: string[]): Promise<Uint8Array> {
  const pieces = await Array.fromAsync(
    zipOf(
      names.map((name) => ({ name, data: utf8(name) })),
      0,
    ),
  )
  return Buffer.concat(pieces)
}

const ftyp = (...brands: string[]): Uint8Array =>
  bytes(`\0\0\0${String.fromCharCode(12 + 4 * brands.length)}ftyp${brands[0]}\0\0\0\0${brands.slice(1).join('')}`)

/** Frames of MPEG 1, layer III, 128 kbit/s, 44.1 kHz: 417 bytes each. */
const mp3Frames = (count: number): Uint8Array => bytes(`\xff\xfb\x90\x00${'\0'.repeat(413)}`.repeat(count))

const jpegWithArchive = async (): Promise<Uint8Array> => Buffer.concat([bytes('\xff\xd8\xff\xe0'), await archive('a')])

const CASES: readonly (readonly [name: string, content: () => Uint8Array | Promise<Uint8Array>, type?: string])[] = [
  ['a JPEG', () => bytes('\xff\xd8\xff\xe0\0\x10JFIF'), 'image/jpeg'],
  ['a JPEG with an archive behind it', jpegWithArchive, 'image/jpeg'],
  ['a PNG', () => bytes('\x89PNG\r\n\x1a\n\0\0\0\rIHDR'), 'image/png'],
  ['a PNG whose line breaks a text transfer has changed', () => bytes('\x89PNG\n\x1a\n\0\0\0\rIHDR')],
  ['a GIF', () => bytes('GIF89a\x01\0\x01\0'), 'image/gif'],
  ['a GIF that is also JavaScript', () => bytes('GIF89a=1/*\0*/;alert(1)'), 'image/gif'],
  ['a GIF of a version that does not exist', () => bytes('GIF90a\x01\0\x01\0')],
  ['a WebP', () => bytes('RIFF\x10\0\0\0WEBPVP8 '), 'image/webp'],
  ['a sound in RIFF', () => bytes('RIFF\x10\0\0\0WAVEfmt ')],
  ['a HEIC photo of an iPhone', () => ftyp('heic', 'mif1', 'heic'), 'image/heic'],
  ['a HEIC photo whose major brand is mif1', () => ftyp('mif1', 'miaf', 'heic'), 'image/heic'],
  ['an AVIF whose major brand is mif1', () => ftyp('mif1', 'avif', 'miaf'), 'image/avif'],
  ['an HEIF container of an unknown codec', () => ftyp('mif1', 'miaf')],
  ['a voice message of an iPhone', () => ftyp('M4A ', 'M4A ', 'mp42', 'isom'), 'audio/mp4'],
  ['an MP4 video', () => ftyp('isom', 'iso2', 'avc1', 'mp41'), 'video/mp4'],
  ['a QuickTime video', () => ftyp('qt  '), 'video/quicktime'],
  ['an ISO media file of an unknown brand', () => ftyp('xyz1')],
  ['a brand list that claims to be longer than the file', () => bytes('\xff\xff\xff\xffftypheic'), 'image/heic'],
  ['an MP3 with a tag', () => bytes('ID3\x04\0\0\0\0\0\x7f\0\0'), 'audio/mpeg'],
  ['an MP3 without a tag', () => mp3Frames(2), 'audio/mpeg'],
  ['one frame of MP3 without a second', () => Buffer.concat([mp3Frames(1), bytes('\0\0\0\0')])],
  ['AAC in ADTS', () => bytes('\xff\xf1\x50\x80\x02\x1f\xfc\0')],
  ['a PDF', () => bytes('%PDF-1.7\n%\xe2\xe3\xcf\xd3'), 'application/pdf'],
  ['HTML before a PDF', () => bytes('<script>alert(1)</script>%PDF-1.7')],
  ['an archive', () => archive('a.txt', 'b/c.txt'), 'application/zip'],
  ['an archive without entries', () => archive(), 'application/zip'],
  ['an archive whose end is missing', async () => (await archive('a.txt')).subarray(0, -10)],
  ['a Word document', () => archive('[Content_Types].xml', '_rels/.rels', 'word/document.xml'), WORD],
  ['a Word document whose parts are in another order', () => archive('word/document.xml', '[Content_Types].xml'), WORD],
  [
    'a Word document with macros',
    () => archive('[Content_Types].xml', 'word/document.xml', 'word/vbaProject.bin'),
    'application/vnd.ms-word.document.macroenabled.12',
  ],
  ['an archive with a folder word', () => archive('word/a.txt'), 'application/zip'],
  ['a presentation', () => archive('[Content_Types].xml', 'ppt/presentation.xml'), 'application/zip'],
  ['a program for Windows', () => bytes('MZ\x90\0\x03\0\0\0')],
  ['an ELF executable', () => bytes('\x7fELF\x02\x01\x01\0')],
  ['text', () => utf8('Meeting at ten.\r\n会议十点\n'), 'text/plain'],
  ['text with a byte order mark', () => utf8('\ufeffMeeting'), 'text/plain'],
  ['one letter', () => utf8('a'), 'text/plain'],
  ['text that contains markup later', () => utf8('Use <b> for bold.'), 'text/plain'],
  ['text that begins with a smaller-than sign', () => utf8('< 5 kg'), 'text/plain'],
  ['a table with commas', () => utf8('name,size\nDoor,3\nWindow,4\n'), 'text/csv'],
  ['a table with semicolons and commas in quotes', () => utf8('a;"b;\nc"\n"1,2";3'), 'text/csv'],
  ['a table with tabs', () => utf8('a\tb\r\n1\t2\r\n'), 'text/csv'],
  ['lines with different numbers of commas', () => utf8('Dear Sir,\nyes, no, perhaps\n'), 'text/plain'],
  ['one line with a comma', () => utf8('yes, no'), 'text/plain'],
  ['an empty file', () => utf8('')],
  ['white space only', () => utf8(' \n'), 'text/plain'],
  ['HTML', () => utf8('<!doctype html><script>alert(1)</script>')],
  ['HTML after white space and a byte order mark', () => utf8('\ufeff \r\n\t<HTML>')],
  ['HTML after more white space than is read at once', () => utf8(`${' '.repeat(300_000)}<script>alert(1)</script>`)],
  ['an HTML comment', () => utf8('<!-- --><script>alert(1)</script>')],
  ['SVG', () => utf8('<svg xmlns="http://www.w3.org/2000/svg"/>')],
  ['XML', () => utf8('<?xml version="1.0"?><svg/>')],
  ['a closing tag', () => utf8('</title><script>')],
  ['text with a NUL', () => utf8('a\0b')],
  ['text with an escape sequence for terminals', () => utf8('a\u001b[2J')],
  ['text with a control character at its end', () => utf8(`${'a'.repeat(300_000)}\u0001`)],
  ['text in another encoding', () => bytes('Caf\xe9')],
  ['text whose last character is cut', () => utf8('会').subarray(0, 2)],
  ['text in UTF-16', () => new Uint8Array(Buffer.from('\ufeffab', 'utf16le'))],
]

for (const [name, content, type] of CASES)
  test(`the type of ${name} is ${type ?? 'unknown'}`, async () => {
    expect(await typeOf(await content())).toBe(type)
  })

test('a spreadsheet that we export is recognized', async () => {
  const pieces = await Array.fromAsync(toXlsx({ name: 'Codes', rows: [['a', 1]] }, 0))
  expect(await typeOf(Buffer.concat(pieces))).toBe(EXCEL)
})

test('a text is accepted if a read of the stream ends inside of a character', async () => {
  const text = utf8(`a${'会'.repeat(400_000)}`)
  expect(await typeOf(text)).toBe('text/plain')
})
