/** The texts that the cells of a workbook refer to by number, in few large strings: a million texts cost 4 bytes each beside their characters. */

import { UnreadableSheet } from './sheet.ts'
import { unescapeCharacters } from './xlsx-text.ts'
import type { XmlHandler } from './xml-scanner.ts'

/** Characters of all texts together, up to 100 MB in memory. */
const MAX_CHARACTERS = 50_000_000
/** 16 for each of the 200 columns of 100,000 rows would not fit into the workbook. */
const MAX_TEXTS = 4_000_000
/** Texts are joined when so many characters have come. */
const BLOCK = 1_000_000

export class SharedStrings implements XmlHandler {
  /** Joined texts, and the number of the first text of each. */
  readonly #blocks: { readonly first: number; readonly texts: string; readonly ends: Uint32Array }[] = []
  #texts: string[] = []
  #ends: number[] = []
  #length = 0
  #count = 0
  #total = 0
  #text = ''
  #inPhonetic = false
  wantsText = false

  open(name: string): void {
    if (name === 'si') this.#text = ''
    else if (name === 'rPh') this.#inPhonetic = true
    else if (name === 't') this.wantsText = !this.#inPhonetic
  }

  close(name: string): void {
    if (name === 't') this.wantsText = false
    else if (name === 'rPh') this.#inPhonetic = false
    else if (name === 'si') this.#add(unescapeCharacters(this.#text))
    else if (name === 'sst') this.#join()
  }

  text(text: string): void {
    this.#total += text.length
    if (this.#total > MAX_CHARACTERS) throw new UnreadableSheet('too-large')
    this.#text = this.#text === '' ? text : this.#text + text
  }

  #add(text: string): void {
    if (++this.#count > MAX_TEXTS) throw new UnreadableSheet('too-large')
    this.#texts.push(text)
    this.#length += text.length
    this.#ends.push(this.#length)
    if (this.#length >= BLOCK) this.#join()
  }

  #join(): void {
    if (this.#texts.length === 0) return
    const first = this.#count - this.#texts.length
    this.#blocks.push({ first, texts: this.#texts.join(''), ends: Uint32Array.from(this.#ends) })
    this.#texts = []
    this.#ends = []
    this.#length = 0
  }

  /** Undefined if there is no text with this number. */
  get(index: number): string | undefined {
    if (!(index >= 0 && index < this.#count)) return undefined
    let [low, high] = [0, this.#blocks.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.#blocks[middle]!.first <= index) low = middle
      else high = middle - 1
    }
    const { first, texts, ends } = this.#blocks[low]!
    const at = index - first
    return texts.slice(at === 0 ? 0 : ends[at - 1], ends[at])
  }
}
