/** Finds the encoding of a text file from its bytes. */

import { type Encoding, type FoundEncoding, UnreadableSheet } from './sheet.ts'

/** The types of Bun know fewer encodings than its decoder, also in a compiled executable. */
export const decoderFor = (encoding: Encoding, fatal = false) =>
  new TextDecoder(encoding as ConstructorParameters<typeof TextDecoder>[0], { fatal })

// oxlint-disable-next-line no-control-regex -- these characters do not occur in texts
const CONTROL = /[\u0000-\u0008\u000e-\u0019\u001b-\u001f]/
/** The characters for bytes that an encoding does not have: a replacement, or a control character in those of Windows. */
// oxlint-disable-next-line no-control-regex -- see above
const MISSING = /[\uFFFD\u0080-\u0084\u0086-\u009F]/
export const hasMissing = (text: string): boolean => MISSING.test(text)

const certainly = (used: Encoding): FoundEncoding => ({ used, certain: true, other: null })

/** @throws UnreadableSheet for files other than texts, and for encodings that cannot be recognized */
export async function encodingOf(file: Blob): Promise<FoundEncoding> {
  const head = await file.slice(0, 4096).bytes()
  if (head.length === 0) throw new UnreadableSheet('damaged', 'the file is empty')
  if (head[0] === 0xff && head[1] === 0xfe) return checked(file, 'utf-16le')
  if (head[0] === 0xfe && head[1] === 0xff) return checked(file, 'utf-16be')
  const utf16 = zeroBytes(head)
  if (utf16 !== undefined) return checked(file, utf16)
  checkIsText(head)
  if (await decodes(file, 'utf-8')) return certainly('utf-8')
  return legacyOf(file)
}

/** @throws UnreadableSheet for files other than texts */
export async function checkChosen(file: Blob, encoding: Encoding): Promise<FoundEncoding> {
  const head = await file.slice(0, 4096).bytes()
  if (head.length === 0) throw new UnreadableSheet('damaged', 'the file is empty')
  if (!encoding.startsWith('utf-16')) checkIsText(head)
  return certainly(encoding)
}

function checkIsText(head: Uint8Array): void {
  if (CONTROL.test(Buffer.from(head).toString('latin1')) || isMarkup(head)) throw new UnreadableSheet('unknown')
}

/** UTF-16 without a byte order mark: in tables, which contain ASCII, every second byte is often 0. */
function zeroBytes(head: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const zeros = [0, 0]
  for (let i = 0; i < head.length; i++) if (head[i] === 0) zeros[i % 2]! += 1
  const most = Math.max(...zeros)
  if (most < head.length / 10 || Math.min(...zeros) > most / 20) return undefined
  return zeros[1] === most ? 'utf-16le' : 'utf-16be'
}

/** HTML and XML are texts too, and some programs save HTML under the name of a workbook. */
const isMarkup = (head: Uint8Array): boolean =>
  /^\uFEFF?\s*<[a-z!?]/i.test(new TextDecoder().decode(head.subarray(0, 200)))

async function checked(file: Blob, encoding: Encoding): Promise<FoundEncoding> {
  if (!(await decodes(file, encoding))) throw new UnreadableSheet('unknown')
  return certainly(encoding)
}

/** Whether the whole file is valid in this encoding, and a text. */
async function decodes(file: Blob, encoding: Encoding): Promise<boolean> {
  const decoder = decoderFor(encoding, true)
  try {
    for await (const chunk of file.stream()) if (CONTROL.test(decoder.decode(chunk, { stream: true }))) return false
    return !CONTROL.test(decoder.decode())
  } catch {
    return false
  }
}

/**
 * Encodings with two bytes for most characters. Nearly every text in a Western encoding is valid in one of them too, as rare characters. `isCommon`
 * knows the characters of which texts consist: in GB 18030 those of the first level of GB 2312 (3,755 characters, 99 % of a text), in
 * Big5 those of its first level, in Shift_JIS kana and the first level of kanji, in EUC-KR syllables; and their punctuation.
 */
const EAST_ASIAN = [
  {
    name: 'gb18030',
    isCommon: (lead, trail) => trail >= 0xa1 && (between(lead, 0xb0, 0xd7) || between(lead, 0xa1, 0xa3)),
  },
  { name: 'big5', isCommon: (lead) => between(lead, 0xa1, 0xc6) },
  { name: 'shift_jis', isCommon: (lead) => between(lead, 0x81, 0x83) || between(lead, 0x88, 0x97) },
  {
    name: 'euc-kr',
    isCommon: (lead, trail) => trail >= 0xa1 && (between(lead, 0xb0, 0xc8) || between(lead, 0xa1, 0xa3)),
  },
] as const satisfies readonly { name: Encoding; isCommon: (lead: number, trail: number) => boolean }[]

const between = (value: number, low: number, high: number): boolean => value >= low && value <= high

/** Of the characters outside ASCII. */
const NEARLY_ALL = 0.9
/** So many are enough for the decision. */
const SAMPLED = 50_000
/** So many of a Korean text all look like common Chinese ones, and of a Chinese text nearly never like syllables of Korean. */
const KOREAN = 12

async function legacyOf(file: Blob): Promise<FoundEncoding> {
  const plausible: Encoding[] = []
  for (const { name, isCommon } of EAST_ASIAN) {
    const { common, all } = await countCommon(file, isCommon)
    if (all > 0 && common >= all * NEARLY_ALL && (await decodes(file, name))) {
      if (name === 'euc-kr' && common === all && all >= KOREAN) plausible.unshift(name)
      else plausible.push(name)
    }
  }
  const [used, other = null] = plausible
  if (used !== undefined) return { used, certain: other === null, other }
  return westernOf(file)
}

async function countCommon(file: Blob, isCommon: (lead: number, trail: number) => boolean) {
  let [common, all, lead, skipped] = [0, 0, 0, 0]
  for await (const chunk of file.stream())
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i]!
      if (skipped > 0) skipped -= 1
      else if (lead !== 0) {
        if (isCommon(lead, byte)) common += 1
        // The first half of four bytes, in GB 18030.
        else if (between(byte, 0x30, 0x39)) skipped = 2
        lead = 0
      } else if (byte >= 0x80) {
        if (++all > SAMPLED) return { common, all: all - 1 }
        lead = byte
      }
    }
  return { common, all }
}

/** Between letters of a word these are letters of Central Europe. */
const CENTRAL = /\p{L}[¹³¿¥¼¾£œŸ]\p{Ll}|[¹³¿¼¾]\p{Ll}/u

/** Cyrillic words have no letters of ASCII, Western ones mostly have. @throws UnreadableSheet if bytes are no characters of Windows-1252 */
async function westernOf(file: Blob): Promise<FoundEncoding> {
  const decoder = decoderFor('windows-1252')
  let [ascii, others, isCentral] = [0, 0, false]
  for await (const chunk of file.stream()) {
    const text = decoder.decode(chunk, { stream: true })
    if (CONTROL.test(text)) throw new UnreadableSheet('unknown')
    if (hasMissing(text)) throw new UnreadableSheet('unknown-encoding')
    isCentral ||= CENTRAL.test(text)
    for (const word of text.match(/[^\s,;\t"]*[\u00c0-\u00ff][^\s,;\t"]*/g) ?? [])
      for (const letter of word)
        if (letter >= '\u00c0') others += 1
        else if (/[a-z]/i.test(letter)) ascii += 1
  }
  const other = others > ascii ? 'windows-1251' : isCentral ? 'windows-1250' : null
  return { used: 'windows-1252', certain: other === null, other }
}
