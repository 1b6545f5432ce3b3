/** Parses Markdown with Bun into a tree of elements, refuses unreadable input, and walks the tree without recursion. */

export interface Element {
  /** The name of the HTML element; `html` is raw HTML, line by line. */
  readonly type: string
  readonly props: {
    readonly children?: readonly Node[]
    /** As written: entities and backslash escapes are not resolved yet. */
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
/** Entities in text are resolved. */
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

/** The parser fills short rows up to the width of their table: 100 KB could become millions of cells. Larger tables stay text. */
const MAX_CELLS = 10_000

/** A table's delimiter row: dashes, colons and bars, with the markers of the quotes and list items around it. */
const DELIMITERS = /^[\s>*+\d.)|:-]*$/

/** An upper bound of the number of table cells in `source`. An empty line ends a table. */
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
 * A hundred lists and quotes nested on one line: each character would become a pair of tags and a level of the tree. No readable
 * text nests that deep.
 */
const TOO_DEEP = /^(?:[ \t]*(?:>|[*+-](?=[ \t])|\d{1,9}[.)](?=[ \t]))){100}/m

/** An ordinary text of 100 KB has about 8,000 elements. With twice as many there is hardly a word between them. */
const MAX_ELEMENTS = 16_000
/** Attributes cost as much time as elements. */
const WEIGHTS = new Map([
  ['a', 1.5],
  ['img', 4],
])

function hasTooManyElements(nodes: readonly Node[]): boolean {
  let weight = 0
  const enter = ({ type }: Element): void => void (weight += WEIGHTS.get(type) ?? 1)
  walk(nodes, { enter, text: () => undefined, leave: () => undefined })
  return weight > MAX_ELEMENTS
}

/** Undefined if the source nests too deep or is nearly all markup: then it is shown as plain text. */
export function parseReadable(source: string): readonly Node[] | undefined {
  if (TOO_DEEP.test(source)) return undefined
  const nodes = parse(source)
  return hasTooManyElements(nodes) ? undefined : nodes
}
