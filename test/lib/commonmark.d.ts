/** As much as the tests use of the specification's examples and of its reference implementation. */
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
    /** Writes markup as it is. */
    lit(markup: string): void
    /** Begins a line, unless one begins here. */
    cr(): void
    html_inline(node: Node): void
    html_block(node: Node): void
    link(node: Node, entering: boolean): void
  }
}
