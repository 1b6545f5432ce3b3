/** What pages are made of. Every text is escaped here; `Html` is kept. */

import { type Html, html, type HtmlValue, rawHtml } from '#lib/html.ts'

/** A white sheet with an optional heading (level 1 unless the page has one already). */
export const card = (body: HtmlValue, heading?: { title: string; level?: 1 | 2 }): Html =>
  html`<section class="card">
    ${heading && (heading.level === 2 ? html`<h2>${heading.title}</h2>` : html`<h1>${heading.title}</h1>`)}${body}
  </section>`

/** Paths of this server and what a phone opens safely. Never `javascript:` or `data:`, whatever a user's code holds. */
const SAFE_LINK = /^(?:\/(?!\/)|https?:\/\/|mailto:|tel:)/i

/** With `href` a link that looks like a button (nothing at all if it is not safe to follow), else the button that sends its form. */
export function button(label: string, options: { href?: string; kind?: 'primary' | 'plain' } = {}): Html {
  const look = options.kind === 'plain' ? 'button plain' : 'button'
  if (options.href === undefined) return html`<button class="${look}" type="submit">${label}</button>`
  return SAFE_LINK.test(options.href) ? html`<a class="${look}" href="${options.href}">${label}</a>` : html``
}

export interface Field {
  label: string
  name: string
  type?: 'text' | 'password' | 'email' | 'tel' | 'number' | 'textarea'
  value?: string
  hint?: string
  /** What is wrong with the value; shown in place of the hint. */
  error?: string
  autocomplete?: string
  required?: boolean
  minLength?: number
  maxLength?: number
  pattern?: string
  autofocus?: boolean
}

/** One labelled input. Passwords never get their value back. */
export function field(f: Field): Html {
  const { name, type = 'text', error, value } = f
  const note = error ?? f.hint
  const given = attributes({
    id: `f-${name}`,
    name,
    autocomplete: f.autocomplete,
    required: f.required,
    minlength: f.minLength,
    maxlength: f.maxLength,
    pattern: f.pattern,
    autofocus: f.autofocus,
    autocapitalize: type === 'textarea' ? undefined : 'none',
    'aria-invalid': error && 'true',
    'aria-describedby': note && `n-${name}`,
  })
  const input =
    type === 'textarea'
      ? html`<textarea ${given}>${value}</textarea>`
      : html`<input ${attributes({ type, value: type === 'password' ? undefined : value })} ${given} />`
  const remark = note && html`<p class="${error ? 'hint bad' : 'hint'}" id="n-${name}">${note}</p>`
  return html`<div class="field"><label for="f-${name}">${f.label}</label>${input}${remark}</div>`
}

/** `name="value"` for each that is given; `true` writes the bare name. */
const attributes = (values: Record<string, string | number | boolean | undefined>): Html[] =>
  Object.entries(values).flatMap(([name, value]) =>
    value === undefined || value === false || value === ''
      ? []
      : [value === true ? html` ${rawHtml(name)}` : html` ${rawHtml(name)}="${value}"`],
  )

export const hiddenField = (name: string, value: string): Html =>
  html`<input type="hidden" name="${name}" value="${value}" />`

/** Sends its fields urlencoded by POST; the endpoint needs `acceptsForm`. */
export const form = (action: string, body: HtmlValue): Html =>
  html`<form method="post" action="${action}" accept-charset="utf-8">${body}</form>`

/** A short remark above a page's content. */
export const notice = (message: string, kind: 'info' | 'bad' = 'info'): Html =>
  html`<div class="${kind === 'bad' ? 'notice bad' : 'notice'}" role="${kind === 'bad' ? 'alert' : 'status'}">
    ${message}
  </div>`

/** Name and value, one pair a line; pairs without a value are left out. */
export type Facts = readonly (readonly [name: string, value: HtmlValue])[]
export function facts(pairs: Facts): Html {
  const shown = pairs.filter(([, value]) => value !== null && value !== undefined && value !== '')
  return html`<dl class="facts">
    ${shown.map(
      ([name, value]) =>
        html`<dt>${name}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`
}

/** A text with its own line breaks. */
export const text = (value: string): Html => html`<p class="text">${value}</p>`

/** `src` is a path on this server, such as `/api/qrcode/render?content=…&size=640`. */
export const qrPicture = (src: string, alt: string): Html =>
  html`<img class="qr" src="${src}" alt="${alt}" width="320" height="320" decoding="async" />`
