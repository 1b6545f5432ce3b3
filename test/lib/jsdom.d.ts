/**
 * The little of jsdom that tests use. Its published types bring the browser's library into the whole program, where it hides Bun's
 * own types of workers and streams.
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
