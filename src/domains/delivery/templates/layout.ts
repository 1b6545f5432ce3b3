/** The layout of all e-mails: plain text, and HTML without scripts, images or other resources to load. */

import type { AppContext } from '#context'
import { PRODUCT, siteOf } from '#http/site.ts'
import { type Html, html, type HtmlValue } from '#lib/html.ts'
import type { Locale } from '#lib/localized.ts'

/** The server that sends a message. */
export interface Sender {
  readonly name: string
  /** At most 12 characters, for SMS. */
  readonly shortName: string
  readonly publicUrl: string
}

/** As recipients know this server. */
export function senderOf(ctx: AppContext): Sender {
  const { name, shortName } = siteOf(ctx)
  return { name, shortName, publicUrl: ctx.config.publicUrl }
}

/** Whether recipients know the server by a name of its own, which then begins the subjects of notices. */
export const isOwnName = ({ name }: Sender): boolean => name !== PRODUCT

export interface Letter {
  readonly subject: string
  readonly text: string
  readonly html: string
}

export interface Content {
  readonly subject: string
  /** The first sentence. */
  readonly lead: string
  /** A verification code, shown in large type. */
  readonly code?: string
  /** A text that somebody wrote, after the first sentence: safe HTML, and the same in plain text. */
  readonly body?: { readonly html: Html; readonly text: string }
  readonly facts?: readonly (readonly [name: string, value: string])[]
  /** Paragraphs after the facts. */
  readonly advice: readonly string[]
  /** An address on this server, after the paragraphs. */
  readonly link?: string
  /** Addresses with a name of their own, after the paragraphs. */
  readonly links?: readonly (readonly [label: string, href: string])[]
  /** Small, before the signature. */
  readonly foot?: readonly [text: string, href: string]
}

const PAGE = 'margin:0;padding:24px 12px;background:#f4f5f7'
const CARD =
  'max-width:480px;margin:0 auto;padding:28px;border-radius:12px;background:#ffffff;color:#1c1e21;font:16px/1.6 system-ui,-apple-system,"Segoe UI","PingFang SC","Microsoft YaHei",sans-serif'
const CODE = 'margin:20px 0;font:700 32px/1.2 ui-monospace,Menlo,Consolas,monospace;letter-spacing:6px'
const NAME = 'padding:2px 16px 2px 0;color:#606770;vertical-align:top;white-space:nowrap'
const SMALL = 'margin:24px 0 0;color:#606770;font-size:13px'

/** The signature contains the address of the server, so that recipients know which one sent the e-mail. */
export function letter(content: Content, locale: Locale, { name, publicUrl }: Sender): Letter {
  const { subject, lead, code, body: written, facts = [], advice, link, links = [], foot } = content
  const signature = `${name} · ${publicUrl}`
  const colon = locale === 'zh' ? '：' : ': '
  const text = [
    lead,
    ...(code === undefined ? [] : [code]),
    ...(written === undefined || written.text === '' ? [] : [written.text]),
    ...(facts.length === 0 ? [] : [facts.map(([what, value]) => what + colon + value).join('\n')]),
    ...advice,
    ...(link === undefined ? [] : [link]),
    ...links.map(([label, href]) => `${label}${colon}${href}`),
    `-- \n${[...(foot === undefined ? [] : [`${foot[0]}${colon}${foot[1]}`]), signature].join('\n')}`,
  ]
  const paragraph = (line: HtmlValue): HtmlValue => html`<p style="margin:0 0 12px">${line}</p>`
  const body = html`<!doctype html>
    <html lang="${locale === 'zh' ? 'zh-CN' : 'en'}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <meta name="color-scheme" content="light" />
        <title>${subject}</title>
      </head>
      <body style="${PAGE}">
        <div style="${CARD}">
          ${paragraph(lead)}
          ${code !== undefined && html`<p style="${CODE}">${code}</p> `}${written?.html}${
            facts.length > 0 &&
            html`<table role="presentation" style="margin:0 0 16px;border-collapse:collapse;font-size:15px">
              ${facts.map(
                ([what, value]) =>
                  html`<tr>
                    <td style="${NAME}">${what}</td>
                    <td style="padding:2px 0">${value}</td>
                  </tr>`,
              )}
            </table> `
          }${advice.map(paragraph)}${link !== undefined && paragraph(html`<a href="${link}">${link}</a>`)}${links.map(
            ([label, href]) => paragraph(html`<a href="${href}">${label}</a>`),
          )}
          <p style="${SMALL}">
            ${foot !== undefined && html`<a href="${foot[1]}" style="color:#606770">${foot[0]}</a><br />`}${signature}
          </p>
        </div>
      </body>
    </html> `
  return { subject, text: text.join('\n\n') + '\n', html: body.text }
}
