import { type Element, type Node, walk } from './tree.ts'

/** Parts of a line; everything else stands on lines of its own. */
const INLINE = new Set(['strong', 'em', 'del', 'code', 'a'])

class PlainWriter {
  plain = ''
  #lineBegins = true

  text(text: string): void {
    if (text === '') return
    this.plain += text
    this.#lineBegins = text.endsWith('\n')
  }

  enter({ type, props }: Element): void {
    if (type === 'img') this.text(props.alt ?? '')
    else if (type === 'br') this.text('\n')
    else if (type === 'th' || type === 'td') this.text(this.#lineBegins ? '' : ' ')
    else if (!INLINE.has(type)) this.#newLine()
  }

  leave({ type }: Element): void {
    if (!INLINE.has(type) && !['img', 'br', 'th', 'td'].includes(type)) this.#newLine()
  }

  #newLine(): void {
    if (!this.#lineBegins) this.text('\n')
  }
}

/** The text without any markup, a line for each paragraph, item and row. */
export function toPlain(nodes: readonly Node[]): string {
  const writer = new PlainWriter()
  walk(nodes, writer)
  return writer.plain.trim()
}
