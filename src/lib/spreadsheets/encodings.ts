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
  if (used === undefined) return westernOf(file)
  if (other === null && (used === 'shift_jis' || used === 'big5')) return orMacintosh(file, used)
  return { used, certain: other === null, other }
}

/** Letters of the Macintosh are first bytes of these encodings, and a letter of ASCII can follow: `Sillón` and `Straße` are valid in them. */
async function orMacintosh(file: Blob, used: 'shift_jis' | 'big5'): Promise<FoundEncoding> {
  const mac = new Reading('macintosh')
  for await (const chunk of file.stream()) mac.take(chunk)
  if (mac.wrong > 0) return certainly(used)
  const isWithinWords = mac.following === mac.seen
  return isWithinWords
    ? { used: 'macintosh', certain: false, other: used }
    : { used, certain: false, other: 'macintosh' }
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

/** One of these has more wrong letters than the other by this factor if a text is in the other. */
const CLEARLY = 4

/**
 * Windows-1252, unless the file has bytes that it lacks, or is wrong in it and right in the encoding of the Macintosh, whose `Schülerpult` is
 * `SchŸlerpult` in it. Cyrillic words have no letters of ASCII, Western ones mostly have some.
 * @throws UnreadableSheet if the text is wrong in every encoding
 */
async function westernOf(file: Blob): Promise<FoundEncoding> {
  const [windows, mac, central, cyrillic] = [
    new Reading('windows-1252'),
    new Reading('macintosh'),
    new Reading('windows-1250'),
    new Reading('windows-1251'),
  ]
  let [ascii, others, isCentral] = [0, 0, false]
  for await (const chunk of file.stream()) {
    for (const reading of [mac, central, cyrillic]) reading.take(chunk)
    const text = windows.take(chunk)
    if (CONTROL.test(text)) throw new UnreadableSheet('unknown')
    isCentral ||= CENTRAL.test(text)
    for (const word of text.match(/[^\s,;\t"]*[\u00c0-\u00ff][^\s,;\t"]*/g) ?? [])
      for (const letter of word)
        if (/[a-z]/i.test(letter)) ascii += 1
        else if (LETTER.test(letter)) others += 1
  }
  if (windows.lacksBytes) return likeliest([mac, central, cyrillic].filter(({ lacksBytes }) => !lacksBytes))
  if (windows.wrong > mac.wrong * CLEARLY)
    return { used: 'macintosh', certain: mac.wrong === 0, other: mac.wrong === 0 ? null : 'windows-1252' }
  const isMac = mac.wrong === 0 && mac.letters > 0 && windows.letters > 0
  const other = others > ascii ? 'windows-1251' : isCentral ? 'windows-1250' : isMac ? 'macintosh' : null
  return { used: 'windows-1252', certain: other === null, other }
}

/** @throws UnreadableSheet if most characters are wrong */
function likeliest(readings: readonly Reading[]): FoundEncoding {
  const [best, second] = readings.toSorted((a, b) => a.wrong - b.wrong)
  if (best === undefined || best.wrong * 2 > best.seen) throw new UnreadableSheet('unknown-encoding')
  const isOnly = second === undefined || second.wrong > best.wrong * CLEARLY
  return { used: best.encoding, certain: isOnly, other: isOnly ? null : second.encoding }
}

/** A text as one encoding reads it, with the number of characters outside ASCII that no word has there. */
class Reading {
  lacksBytes = false
  /** Characters in or beside words, those of them that are letters, and those that follow one of ASCII. */
  seen = 0
  letters = 0
  following = 0
  wrong = 0
  readonly #decoder: TextDecoder

  constructor(readonly encoding: Encoding) {
    this.#decoder = decoderFor(encoding)
  }

  take(bytes: Uint8Array): string {
    const text = this.#decoder.decode(bytes, { stream: true })
    this.lacksBytes ||= hasMissing(text)
    if (this.seen >= SAMPLED) return text
    // oxlint-disable-next-line no-control-regex -- all of ASCII
    for (const { 0: char, index } of text.matchAll(/[^\u0000-\u007f]/g)) {
      const [before, after] = [text[index - 1] ?? ' ', text[index + 1] ?? ' ']
      if (!LETTER.test(before + char + after)) continue
      this.seen += 1
      if (LETTER.test(char)) this.letters += 1
      if (/[a-z]/i.test(before)) this.following += 1
      if (isWrong(before, char, after)) this.wrong += 1
    }
    return text
  }
}

const LETTER = /\p{L}/u
const UPPER = /\p{Lu}/u
const LOWER = /\p{Ll}/u
const LATIN = /\p{Script=Latin}/u
/** Letters of no usual word, and symbols that do not stand beside a letter. */
const RARE = /[ƒﬁﬂ]/
const APART = /[ˆ˜¨´¸¯˙˚˝˛ˇ†‡‰¬¦¥¢√∞≤≥≠∑∏∫≈∆◊]/
/** Characters that stand between letters too. */
const JOINING = /[\p{Pd}\p{M}’‘'…]/u

/** Whether no word has the character there: a capital inside it, or a symbol between letters. */
function isWrong(before: string, char: string, after: string): boolean {
  const [follows, precedes] = [LETTER.test(before), LETTER.test(after)]
  if (!LETTER.test(char)) return APART.test(char) ? follows || precedes : follows && precedes && !JOINING.test(char)
  if (RARE.test(char) || (follows && isMixed(before, char)) || (precedes && isMixed(char, after))) return true
  if (UPPER.test(char)) return LOWER.test(before) || (follows && LOWER.test(after))
  if (LOWER.test(char)) return char !== 'ß' && UPPER.test(before) && UPPER.test(after)
  return follows && precedes
}

const isMixed = (one: string, next: string): boolean => LATIN.test(one) !== LATIN.test(next)
