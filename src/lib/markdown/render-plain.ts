/** Writes the plain text of a Markdown tree. */

import { type Element, type Node, walk } from './tree.ts'

/** Elements inside a line; all others are on lines of their own. */
const INLINE = new Set(['strong', 'em', 'del', 'code', 'a'])

class PlainWriter {
  plain = ''
  #atLineStart = true

  text(text: string): void {
    if (text === '') return
    this.plain += text
    this.#atLineStart = text.endsWith('\n')
  }

  enter({ type, props }: Element): void {
    if (type === 'img') this.text(props.alt ?? '')
    else if (type === 'br') this.text('\n')
    else if (type === 'th' || type === 'td') this.text(this.#atLineStart ? '' : ' ')
    else if (!INLINE.has(type)) this.#newLine()
  }

  leave({ type }: Element): void {
    if (!INLINE.has(type) && !['img', 'br', 'th', 'td'].includes(type)) this.#newLine()
  }

  #newLine(): void {
    if (!this.#atLineStart) this.text('\n')
  }
}

/** The text without markup: one line for each paragraph, list item and table row. */
export function toPlain(nodes: readonly Node[]): string {
  const writer = new PlainWriter()
  walk(nodes, writer)
  return writer.plain.trim()
}
