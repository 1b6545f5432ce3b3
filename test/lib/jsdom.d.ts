/**
 * The parts of jsdom that tests use. Its published types add the browser's types to the whole program, where they hide Bun's types of
 * workers and streams.
 */
declare module 'jsdom' {
  import type { WindowLike } from 'dompurify'

  interface Element {
    readonly tagName: string
    readonly attributes: Iterable<{ name: string; value: string }>
    readonly textContent: string
    readonly innerHTML: string
    readonly firstChild: Element | null
    isEqualNode(other: Element): boolean
    getAttribute(name: string): string | null
    querySelector(selector: string): Element | null
    querySelectorAll(selector: string): Iterable<Element>
  }
  export class JSDOM {
    static fragment(html: string): Element
    constructor(html: string)
    readonly window: WindowLike & {
      DOMParser: new () => { parseFromString(html: string, type: 'text/html'): { readonly body: Element } }
    }
  }
}
