/** Markdown parsed by Bun into elements, and a walk over them that needs no stack of its own however deep they nest. */

export interface Element {
  /** The name of the HTML element it stands for; `html` is raw HTML, line by line. */
  readonly type: string
  readonly props: {
    readonly children?: readonly Node[]
    /** As written: entities and backslashes are not resolved yet. */
    readonly href?: string
    readonly src?: string
    readonly title?: string
    readonly language?: string
    readonly alt?: string
    readonly start?: number
    readonly align?: 'left' | 'center' | 'right'
    readonly checked?: boolean
  }
}
/** Text comes with its entities resolved. */
export type Node = string | Element

export interface Visitor {
  text(text: string): void
  enter(element: Element): void
  leave(element: Element): void
}

/** GitHub's tables, strikethrough and task lists, and its links from bare addresses (spec §1). */
const OPTIONS = { autolinks: { url: true, www: true } }

export function parse(source: string): readonly Node[] {
  const options = { ...OPTIONS, tables: cellsAtMost(source) <= MAX_CELLS }
  const tree = Bun.markdown.react(source, undefined, options) as unknown as Element
  return tree.props.children ?? []
}

/** Short rows are filled up to the width of their table: 100 KB of them would become millions of cells. Larger tables stay text. */
const MAX_CELLS = 10_000

/** What a table's second row is made of, whatever it stands in: dashes, colons and bars, and what begins quotes and items. */
const DELIMITERS = /^[\s>*+\d.)|:-]*$/

/** An upper bound of the cells that tables in `source` have. A table ends at an empty line. */
function cellsAtMost(source: string): number {
  if (!source.includes('|')) return 0
  let cells = 0
  let rows = 0
  let columns = 0
  for (const line of source.split(/\r\n?|\n/)) {
    if (/^[\s>]*$/.test(line)) {
      cells += rows * columns
      rows = columns = 0
      continue
    }
    rows++
    if (DELIMITERS.test(line)) columns = Math.max(columns, line.split('|').length)
  }
  return cells + rows * columns
}

export function walk(nodes: readonly Node[], visitor: Visitor): void {
  const open: { element: Element | undefined; children: readonly Node[]; next: number }[] = [
    { element: undefined, children: nodes, next: 0 },
  ]
  for (let at = open.at(-1); at !== undefined; at = open.at(-1)) {
    const node = at.children[at.next++]
    if (node === undefined) {
      open.pop()
      if (at.element) visitor.leave(at.element)
    } else if (typeof node === 'string') visitor.text(node)
    else {
      visitor.enter(node)
      open.push({ element: node, children: node.props.children ?? [], next: 0 })
    }
  }
}

/**
 * Lists and quotes that begin inside one another on one line: each character would become a pair of tags and a level of the tree.
 * A hundred levels are more than anybody reads.
 */
const TOO_DEEP = /^(?:[ \t]*(?:>|[*+-](?=[ \t])|\d{1,9}[.)](?=[ \t]))){100}/m

/** Elements of a long text of 100 KB: about 8,000. With twice as many, hardly a word is left between them. */
const MAX_ELEMENTS = 16_000
/** Attributes cost as much as elements. */
const WEIGHTS = new Map([
  ['a', 1.5],
  ['img', 4],
])

function isOvergrown(nodes: readonly Node[]): boolean {
  let weight = 0
  const enter = ({ type }: Element): void => void (weight += WEIGHTS.get(type) ?? 1)
  walk(nodes, { enter, text: () => undefined, leave: () => undefined })
  return weight > MAX_ELEMENTS
}

/** Undefined for what nobody wrote to be read: it nests too deep, or is all markup. Then the source is the text. */
export function parseReadable(source: string): readonly Node[] | undefined {
  if (TOO_DEEP.test(source)) return undefined
  const nodes = parse(source)
  return isOvergrown(nodes) ? undefined : nodes
}
