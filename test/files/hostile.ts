/** Hostile files. Tests upload them, and none may crash the server, be shown by a browser as anything but an image, or leave its folder. */

import { gzipSync } from 'node:zlib'

import { gif, joined, jpegSegment, latin1, png, pngChunk, withSegments } from './build-images.ts'
import { hostileImages, photo } from './hostile-images.ts'

export interface HostileFile {
  /** Unique; for names of tests. */
  readonly name: string
  /** The name that the client sends. */
  readonly fileName: string
  readonly bytes: () => Uint8Array
  /** The outcome of an upload of type `other` with the default settings. */
  readonly expected: 'refused' | 'stored as attachment' | 'stored as image'
  readonly why: string
}

type Row = readonly [name: string, fileName: string, bytes: () => Uint8Array, why: string]

/** Text that runs if a browser takes the file for HTML. */
export const SCRIPT = '<script>alert(document.cookie)</script>'
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
const utf16 = (text: string): Uint8Array => new Uint8Array(Buffer.from(`\ufeff${text}`, 'utf16le'))
const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)">${SCRIPT}</svg>`

/** An archive with one stored entry. */
export function zip(name: string, content = 'content'): Uint8Array {
  const [nameBytes, data] = [latin1(name), latin1(content)]
  const head = Buffer.alloc(26)
  head.writeUInt16LE(20, 0)
  head.writeUInt32LE(Bun.hash.crc32(data), 10)
  head.writeUInt32LE(data.length, 14)
  head.writeUInt32LE(data.length, 18)
  head.writeUInt16LE(nameBytes.length, 22)
  const local = joined(latin1('PK\x03\x04'), head, nameBytes, data)
  const central = joined(latin1('PK\x01\x02\x14\0'), head, new Uint8Array(14), nameBytes)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(1, 4)
  end.writeUInt16LE(1, 6)
  end.writeUInt32LE(central.length, 8)
  end.writeUInt32LE(local.length, 12)
  return joined(local, central, latin1('PK\x05\x06'), end)
}

const billionLaughs = `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "ha">${Array.from({ length: 20 }, (_, i) => `<!ENTITY ${'b'.repeat(i + 1)} "${`&${i === 0 ? 'a' : 'b'.repeat(i)};`.repeat(10)}">`).join('')}]><x>&${'b'.repeat(20)};</x>`

const MARKUP: readonly Row[] = [
  ['SVG with a script', 'logo.svg', () => utf8(svg), 'runs scripts if it is opened'],
  ['SVG named .png', 'logo.png', () => utf8(svg), 'the name does not decide'],
  [
    'SVG behind a declaration and a comment',
    'logo.svg',
    () => utf8(`<?xml version="1.0"?><!-- -->${svg}`),
    'is SVG too',
  ],
  ['SVG in UTF-16', 'logo.svg', () => utf16(svg), 'browsers detect UTF-16'],
  ['SVG compressed with gzip', 'logo.svgz', () => gzipSync(svg), 'an archive of an unknown type'],
  ['HTML', 'index.html', () => utf8(`<!DOCTYPE html>${SCRIPT}`), 'runs scripts'],
  ['HTML named .png', 'photo.png', () => utf8(`<html>${SCRIPT}`), 'the name does not decide'],
  ['HTML named .txt', 'notes.txt', () => utf8(`<html>${SCRIPT}`), 'is not plain text'],
  ['HTML behind a byte order mark', 'a.txt', () => utf8(`\ufeff${SCRIPT}`), 'browsers skip the mark'],
  ['HTML behind white space', 'a.txt', () => utf8(`\r\n\t \f${SCRIPT}`), 'browsers skip white space'],
  [
    'HTML behind a megabyte of spaces',
    'a.txt',
    () => utf8(' '.repeat(1_000_000) + SCRIPT),
    'the start of a file is not enough',
  ],
  ['HTML in UTF-16', 'a.txt', () => utf16(`<html>${SCRIPT}`), 'browsers detect UTF-16'],
  ['an HTML comment', 'a.txt', () => utf8(`<!-- --!>${SCRIPT}`), 'browsers take it for HTML'],
  ['XHTML', 'a.xml', () => utf8('<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>'), 'runs scripts'],
  ['XML with nested entities', 'a.xml', () => utf8(billionLaughs), 'fills the memory of XML parsers'],
  [
    'XML that reads a file',
    'a.xml',
    () => utf8('<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'),
    'XXE',
  ],
  [
    'a Flash policy',
    'crossdomain.xml',
    () => utf8('<?xml version="1.0"?><cross-domain-policy/>'),
    'opens the site to others',
  ],
  ['HTML before a PDF', 'a.pdf', () => utf8(`${SCRIPT}%PDF-1.7`), 'viewers search for the PDF'],
  ['HTML before an archive', 'a.zip', () => joined(utf8(SCRIPT), zip('a.txt')), 'unpackers search for the end'],
]

const PROGRAMS: readonly Row[] = [
  ['no bytes', 'empty.png', () => new Uint8Array(), 'has no type'],
  ['one NUL', 'a.txt', () => latin1('\0'), 'is not text'],
  ['ZIP as JPEG', 'photo.jpg', () => zip('a.txt'), 'the name says that it is an image'],
  ['a text as PNG', 'photo.png', () => utf8('a secret'), 'the name says that it is an image'],
  ['a Windows program named .jpg', 'photo.jpg', () => latin1('MZ\x90\0\x03\0\0\0\x04'), 'is a program'],
  ['an ELF program', 'tool', () => latin1('\x7fELF\x02\x01\x01\0'), 'is a program'],
  ['a Java class', 'A.class', () => latin1('\xca\xfe\xba\xbe\0\0\0\x34'), 'is a program'],
  ['a Flash film', 'a.swf', () => latin1('FWS\x09\0\0\0\0'), 'is a program'],
  ['a Windows shortcut', 'a.lnk', () => latin1('L\0\0\0\x01\x14\x02\0'), 'starts programs'],
  ['a Word document with macros', 'a.docx', () => joined(zip('word/vbaProject.bin'), officeEnd()), 'runs programs'],
  ['text with terminal sequences', 'a.txt', () => latin1('\x1b]0;title\x07'), 'controls terminals'],
  ['text in an unknown encoding', 'a.txt', () => latin1('caf\xe9'), 'browsers would guess'],
  ['an archive without its end', 'a.zip', () => zip('a.txt').subarray(0, -22), 'is incomplete'],
  ['a BMP', 'a.bmp', () => latin1('BM\x46\0\0\0\0\0\0\0\x36\0\0\0'), 'is not an allowed type'],
  ['a TIFF', 'a.tif', () => latin1('II*\0\x08\0\0\0\0\0'), 'is not an allowed type'],
  ['an AVIF', 'a.avif', () => latin1('\0\0\0\x18ftypavif\0\0\0\0avifmif1'), 'is not an allowed type'],
]

/** The directory of an archive with the parts of a Word document with macros. The entries themselves are not read. */
function officeEnd(): Uint8Array {
  const records = ['[Content_Types].xml', 'word/document.xml', 'word/vbaProject.bin'].map((name) => {
    const head = Buffer.alloc(46)
    head.write('PK\x01\x02', 'latin1')
    head.writeUInt16LE(name.length, 28)
    return joined(head, latin1(name))
  })
  const directory = joined(...records)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(3, 6)
  end.writeUInt32LE(directory.length, 8)
  end.writeUInt32LE(zip('word/vbaProject.bin').length, 12)
  return joined(directory, latin1('PK\x05\x06'), end)
}

const ATTACHMENTS: readonly Row[] = [
  ['an archive with a path outside', 'a.zip', () => zip('../../../etc/passwd'), 'we never unpack it'],
  ['an archive with an absolute path', 'a.zip', () => zip('/etc/passwd'), 'we never unpack it'],
  [
    'PDF with JavaScript',
    'a.pdf',
    () => utf8('%PDF-1.7\n1 0 obj<</OpenAction<</S/JavaScript/JS(app.alert(1))>>>>endobj'),
    'is never opened inline',
  ],
  ['PDF with HTML behind it', 'a.pdf', () => utf8(`%PDF-1.7\n${SCRIPT}`), 'is never opened inline'],
  ['PDF with an archive behind it', 'a.pdf', () => joined(utf8('%PDF-1.7\n'), zip('a.js')), 'is never opened inline'],
  ['PDF named .html', 'a.html', () => utf8('%PDF-1.7\n'), 'the name gets the extension of the type'],
  [
    'an MP4 with HTML in it',
    'a.mp4',
    () => latin1(`\0\0\0\x18ftypisom\0\0\0\0isommp41\0\0\0\x60free${SCRIPT}`),
    'is never opened inline',
  ],
  ['an MP3 with HTML in its tag', 'a.mp3', () => latin1(`ID3\x03\0\0\0\0\0\x7f${SCRIPT}`), 'is never opened inline'],
  [
    'a table with formulas',
    'a.csv',
    () => utf8("name,value\n=cmd|' /C calc'!A0,1\n"),
    'is not changed, only never opened inline',
  ],
  [
    'a web archive as text',
    'a.mht',
    () => utf8(`MIME-Version: 1.0\nContent-Type: text/html\n\n${SCRIPT}`),
    'is text with nosniff',
  ],
  [
    'HTML in UTF-7',
    'a.txt',
    () => utf8('+ADw-script+AD4-alert(1)+ADw-/script+AD4-'),
    'is text with a declared encoding',
  ],
  ['a shell script', 'a.sh', () => utf8('#!/bin/sh\nrm -rf /\n'), 'is text'],
  ['text that begins like a BMP', 'a.txt', () => utf8(`BM ${SCRIPT}`), 'is text with nosniff'],
]

const withComment = (text: string): Uint8Array => withSegments(photo(), jpegSegment(0xfe, utf8(text)))

const POLYGLOTS: readonly Row[] = [
  ['a JPEG with an archive behind it', 'photo.jpg', () => joined(photo(), zip('a.js')), 'is cut by re-encoding'],
  ['a JPEG with HTML in a comment', 'photo.html', () => withComment(SCRIPT), 'is removed by re-encoding'],
  ['a JPEG that is also JavaScript', 'photo.js', () => withComment('*/=1;alert(1)/*'), 'is removed by re-encoding'],
  [
    'a JPEG with PHP behind it',
    'photo.php',
    () => joined(photo(), utf8('<?php system($_GET[0]); ?>')),
    'is cut by re-encoding',
  ],
  [
    'a GIF that is also JavaScript',
    'a.gif',
    () => joined(gif(4, 4, [{ width: 4, height: 4, color: 1 }]), utf8('*/=1;alert(1)//')),
    'becomes a PNG',
  ],
  [
    'a PNG with HTML in a text chunk',
    'a.png',
    () => png({ width: 4, height: 4, chunks: [pngChunk('tEXt', utf8(`Title\0${SCRIPT}`))] }),
    'is removed by re-encoding',
  ],
  [
    'a PNG with HTML behind its end',
    'a.png',
    () => joined(png({ width: 4, height: 4 }), utf8(SCRIPT)),
    'is cut by re-encoding',
  ],
]

/** Names for a harmless photo. */
const NAMES: readonly string[] = [
  '../../../../etc/passwd',
  '..\\..\\windows\\system32\\a.jpg',
  '/etc/cron.d/job',
  'C:\\autoexec.bat',
  'photo.jpg\0.html',
  'photo\u202egpj.exe',
  '\u2066photo\u2069.jpg',
  '\ufeffphoto.jpg',
  `${'a'.repeat(300)}.jpg`,
  `${'图'.repeat(200)}.jpg`,
  'photo.jpg\r\nSet-Cookie: sid=1',
  'photo"; filename="evil.html',
  "photo'); DROP TABLE files;--.jpg",
  '%2e%2e%2fphoto.jpg',
  '<img src=x onerror=alert(1)>.jpg',
  '=cmd|calc!A0.jpg',
  '.htaccess',
  '..',
  'CON.jpg',
  ' ',
  '\ud800.jpg',
  'photo.jpg.html',
]

const rows = (list: readonly Row[], expected: HostileFile['expected']): HostileFile[] =>
  list.map(([name, fileName, bytes, why]) => ({ name, fileName, bytes, expected, why }))

export const hostileFiles: readonly HostileFile[] = [
  ...rows(MARKUP, 'refused'),
  ...rows(PROGRAMS, 'refused'),
  ...rows(ATTACHMENTS, 'stored as attachment'),
  ...rows(POLYGLOTS, 'stored as image'),
  ...hostileImages,
  ...NAMES.map((fileName): HostileFile => ({
    name: `a photo named ${JSON.stringify(fileName.length > 40 ? `${fileName.slice(0, 3)}… (${fileName.length})` : fileName)}`,
    fileName,
    bytes: photo,
    expected: 'stored as image',
    why: 'the name is cleaned and never used as a path',
  })),
]
