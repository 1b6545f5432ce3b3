/**
 * The fonts of our PDF files. None is embedded: Helvetica is one of the fonts that every viewer has, and for Chinese and Korean the file
 * names a font of Adobe and a standard encoding, and viewers take a similar font of the system (ADR 0023).
 */

/** The name of a font in the content of pages. */
export type FontName = 'Latin' | 'Chinese' | 'Korean'

/** A character in a font of the file. */
export interface Glyph {
  readonly font: FontName
  /** Its code in the encoding of the font, in hex digits. */
  readonly hex: string
  /** Thousandths of the font size. */
  readonly width: number
  /** Whether a line may be broken after it. */
  readonly isSpace: boolean
}

/** Characters of Helvetica by their width in thousandths of the font size: Adobe's Core14 AFM, for the encoding WinAnsi. */
const HELVETICA: readonly (readonly [width: number, characters: string])[] = [
  [191, "'"],
  [222, 'ijl‚‘’'],
  [260, '|¦'],
  [278, ' !,./:;I[\\]ft·ÌÍÎÏìíîï'],
  [333, '()-`r„ˆ‹“”˜›¡¨¯²³´¸¹'],
  [334, '{}'],
  [350, '•'],
  [355, '"'],
  [365, 'º'],
  [370, 'ª'],
  [389, '*'],
  [400, '°'],
  [469, '^'],
  [500, 'JcksvxyzšžŸçýÿ'],
  [537, '¶'],
  [556, '#$0123456789?L_abdeghnopqu€ƒ†‡–¢£¤¥§«µ»àáâãäåèéêëðñòóôõöùúûüþ'],
  [584, '+<=>~¬±×÷'],
  [611, 'FTZŽ¿ßø'],
  [667, '&ABEKPSVXYŠÀÁÂÃÄÅÈÉÊËÝÞ'],
  [722, 'CDHNRUwÇÐÑÙÚÛÜ'],
  [737, '©®'],
  [778, 'GOQÒÓÔÕÖØ'],
  [833, 'Mm'],
  [834, '¼½¾'],
  [889, '%æ'],
  [944, 'Wœ'],
  [1000, '…‰Œ—™Æ'],
  [1015, '@'],
]

/** The characters of WinAnsi from 0x80 to 0x9F; a space stands for a code without a character. The others are those of Latin-1. */
const WIN_ANSI_80 = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ'

const LATIN: ReadonlyMap<string, Glyph> = new Map(
  HELVETICA.flatMap(([width, characters]) =>
    Array.from(characters, (character): [string, Glyph] => {
      const at = character === ' ' ? -1 : WIN_ANSI_80.indexOf(character)
      const code = at < 0 ? character.charCodeAt(0) : 0x80 + at
      return [character, { font: 'Latin', hex: code.toString(16).padStart(2, '0'), width, isSpace: character === ' ' }]
    }),
  ),
)

/**
 * Characters of the collection Adobe-GB1: Greek, Cyrillic, circled numbers, punctuation, kana, bopomofo, ideographs and wide forms.
 * Only those that the encoding UniGB-UCS2-H contains, since viewers show nothing for the others.
 */
const CHINESE =
  /[\u0391-\u03a1\u03a3-\u03a9\u03b1-\u03c1\u03c3-\u03c9\u0401\u0410-\u044f\u0451\u2103\u2116\u2160-\u216b\u2190-\u2193\u2460-\u2469\u25a0\u25a1\u25cb\u25cf\u2605\u2606\u3000-\u3003\u3005-\u3017\u3041-\u3094\u309b-\u309e\u30a1-\u30fe\u3105-\u3129\u3400-\u4db5\u4e00-\u9fa5\uff01-\uff5e\uffe0-\uffe5]/
/** Adobe-Korea1, whose encoding is UniKS-UCS2-H: letters and all syllables of Hangul. */
const KOREAN = /[\u3131-\u3163\u3165-\u318e\uac00-\ud7a3]/

/** Letters that Unicode does not take apart into a letter of Helvetica and a mark. */
const SIMILAR: Readonly<Record<string, string>> = { đ: 'd', Đ: 'D', ħ: 'h', Ħ: 'H', ı: 'i', ł: 'l', Ł: 'L', ẞ: 'ß' }

/** Marks of the letter before, controls of the reading direction, joiners, and skin tones of emoji. */
const WITHOUT_WIDTH = /[\p{M}\p{Cf}\p{Emoji_Modifier}]/u
const BLANK = /[\p{Cc}\p{Z}]/u

const SPACE = LATIN.get(' ')!
const UNKNOWN = LATIN.get('?')!
export const ELLIPSIS = LATIN.get('…')!

/**
 * The characters of a text in the fonts of the file, one after the other, so that the reader can stop early. Line breaks become
 * spaces. A letter that no font has loses its marks (`ő` becomes `o`); other characters become `?`, because nothing would be shown.
 */
export function* glyphsOf(text: string): Generator<Glyph, void, undefined> {
  for (const character of text.normalize('NFC')) {
    const glyph = glyphOf(character)
    if (glyph !== undefined) yield glyph
    else if (BLANK.test(character)) yield SPACE
    else if (!WITHOUT_WIDTH.test(character)) yield similarTo(character) ?? UNKNOWN
  }
}

function glyphOf(character: string): Glyph | undefined {
  const latin = LATIN.get(character)
  if (latin !== undefined) return latin
  const font = CHINESE.test(character) ? 'Chinese' : KOREAN.test(character) ? 'Korean' : undefined
  if (font === undefined) return undefined
  return { font, hex: character.charCodeAt(0).toString(16).padStart(4, '0'), width: 1000, isSpace: false }
}

/** With as many of its marks as Helvetica has: `ễ` becomes `ê`. */
function similarTo(character: string): Glyph | undefined {
  const [letter, mark = ''] = character.normalize('NFD')
  const base = SIMILAR[letter!] ?? letter!
  return glyphOf((base + mark).normalize('NFC')) ?? glyphOf(base)
}

/** Of the codes 32 to 255. Viewers know them, but PDFium on a machine without such a font takes those of another font. */
function widths(): string {
  const byCode = new Map(Array.from(LATIN.values(), ({ hex, width }) => [Number.parseInt(hex, 16), width]))
  return Array.from({ length: 224 }, (_, i) => byCode.get(32 + i) ?? 0).join(' ')
}

/** Three objects with consecutive ids, of which the first is the font. */
const cidFont = (
  id: number,
  name: string,
  encoding: string,
  ordering: string,
  supplement: number,
  bbox: string,
): string[] => [
  `<</Type/Font/Subtype/Type0/BaseFont/${name}-${encoding}/Encoding/${encoding}/DescendantFonts[${id + 1} 0 R]>>`,
  `<</Type/Font/Subtype/CIDFontType0/BaseFont/${name}/DW 1000/FontDescriptor ${id + 2} 0 R` +
    `/CIDSystemInfo<</Registry(Adobe)/Ordering(${ordering})/Supplement ${supplement}>>>>`,
  `<</Type/FontDescriptor/FontName/${name}/Flags 6/FontBBox[${bbox}]/ItalicAngle 0/Ascent 752/Descent -271/CapHeight 737/StemV 93>>`,
]

/** The objects of the fonts (ISO 32000-1, 9.6.2.2 and 9.7.5.2), whose ids begin with `id`, and the dictionary of the fonts. */
export const fontObjects = (id: number): { objects: readonly string[]; fonts: string } => ({
  objects: [
    `<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding/FirstChar 32/LastChar 255/Widths[${widths()}]>>`,
    ...cidFont(id + 1, 'STSong-Light', 'UniGB-UCS2-H', 'GB1', 4, '-25 -254 1000 880'),
    ...cidFont(id + 4, 'HYSMyeongJo-Medium', 'UniKS-UCS2-H', 'Korea1', 1, '0 -148 1001 880'),
  ],
  fonts: `<</Latin ${id} 0 R/Chinese ${id + 1} 0 R/Korean ${id + 4} 0 R>>`,
})
