/** The parts of the CommonMark examples and reference implementation that the tests use. */
declare module 'commonmark-spec' {
  export const tests: readonly { markdown: string; html: string; section: string; number: number }[]
}

declare module 'commonmark' {
  export interface Node {
    readonly literal: string | null
    destination: string | null
  }
  export class Parser {
    parse(source: string): Node
  }
  export class HtmlRenderer {
    render(root: Node): string
    /** Writes markup unchanged. */
    lit(markup: string): void
    /** Begins a new line unless the output is at the start of one. */
    cr(): void
    html_inline(node: Node): void
    html_block(node: Node): void
    link(node: Node, entering: boolean): void
  }
}
