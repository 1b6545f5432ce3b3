/** HTML templates that escape every value except HTML made by the `html` tag or `rawHtml`. */

import { escapeHtml } from './text.ts'

/** Markup that is safe to put into a page. */
export class Html {
  constructor(readonly text: string) {}
  toString(): string {
    return this.text
  }
}

/** `null`, `undefined` and booleans write nothing, which allows `${condition && html`…`}`. */
export type HtmlValue = Html | string | number | boolean | null | undefined | readonly HtmlValue[]

/** `html`<b>${name}</b>`` escapes `name`; nested `html` and lists of it are inserted unchanged. Quote every attribute. */
export function html(parts: TemplateStringsArray, ...values: HtmlValue[]): Html {
  let text = parts[0]!
  for (let i = 0; i < values.length; i++) text += render(values[i]) + parts[i + 1]!
  return new Html(text)
}

/** For markup that is already safe: our own pictures, style sheets and rendered Markdown. Never for a user's text. */
export const rawHtml = (text: string): Html => new Html(text)

function render(value: HtmlValue): string {
  if (value instanceof Html) return value.text
  if (value === null || value === undefined || typeof value === 'boolean') return ''
  if (Array.isArray(value)) return value.map(render).join('')
  return escapeHtml(String(value))
}
