/** E-mails, calls and text messages that a content prepares, with links that open them. */

import { fieldsOf, lastOf } from './fields.ts'

export interface Mail {
  readonly type: 'mail'
  readonly to: string
  readonly subject: string
  readonly body: string
  /** `mailto:` with everything. */
  readonly href: string
}
export interface Phone {
  readonly type: 'phone'
  readonly number: string
  readonly href: string
}
export interface Sms {
  readonly type: 'sms'
  readonly number: string
  readonly body: string
  /** `sms:` with everything. */
  readonly href: string
}
export type Message = Mail | Phone | Sms

export const readMessage = (text: string): Message | undefined => readMail(text) ?? readPhone(text) ?? readSms(text)

const ADDRESS = /^[^\s@:/?&]{1,64}@[^\s@:/?&.]+(?:\.[^\s@:/?&.]+)+$/

function readMail(text: string): Mail | undefined {
  if (ADDRESS.test(text)) return mailOf(text, '', '')
  if (/^MATMSG:/i.test(text)) {
    const fields = fieldsOf(text.slice('MATMSG:'.length))
    return fields && mailOf(lastOf(fields, 'TO'), lastOf(fields, 'SUB'), lastOf(fields, 'BODY'))
  }
  if (/^SMTP:/i.test(text)) {
    const [to = '', subject = '', ...body] = text.slice('SMTP:'.length).split(':')
    return mailOf(to, subject, body.join(':'))
  }
  const url = /^mailto:/i.test(text) ? URL.parse(text) : null
  const to = url && decode(url.pathname)
  if (url === null || to === null || to === '') return undefined
  return { type: 'mail', to, subject: parameterOf(url, 'subject'), body: parameterOf(url, 'body'), href: url.href }
}

/** The parameter, whose name may be written in any case. A plus is a plus (RFC 6068). */
const parameterOf = ({ search }: URL, name: string): string => {
  for (const [key, value] of new URLSearchParams(search.replaceAll('+', '%2B')))
    if (key.toLowerCase() === name) return value
  return ''
}

function mailOf(to: string, subject: string, body: string): Mail | undefined {
  if (!ADDRESS.test(to)) return undefined
  const query = [...(subject ? [`subject=${encoded(subject)}`] : []), ...(body ? [`body=${encoded(body)}`] : [])].join(
    '&',
  )
  return { type: 'mail', to, subject, body, href: `mailto:${encoded(to).replace('%40', '@')}${query && `?${query}`}` }
}

function readPhone(text: string): Phone | undefined {
  if (/^tel:[+\d\s().*#-]{3,32}$/i.test(text))
    return { type: 'phone', number: text.slice('tel:'.length).trim(), href: text }
  return /^\+(?:[ ().-]{0,2}\d){7,15}$/.test(text)
    ? { type: 'phone', number: text, href: `tel:${text.replace(/[^+\d]/g, '')}` }
    : undefined
}

const SMS = /^(?:sms|mms)(to)?:([+\d\s().*#,-]{0,100})(?:([:?])([^]*))?$/i

/** `smsto:number:text`, `sms:number?body=text` (RFC 5724), and mixtures of them. */
function readSms(text: string): Sms | undefined {
  const [, , given, separator, rest = ''] = SMS.exec(text) ?? []
  if (given === undefined) return undefined
  const number = given.trim()
  const body = separator === '?' ? parameterOf(new URL(`sms:?${rest}`), 'body') : rest
  if (number === '' && body === '') return undefined
  const href = `sms:${number.replace(/[^+\d*#,]/g, '').replaceAll('#', '%23')}${body && `?body=${encoded(body)}`}`
  return { type: 'sms', number, body, href }
}

/** Never throws: lone surrogates are replaced. */
const encoded = (text: string): string => encodeURIComponent(text.toWellFormed())

/** Null if a percent sign is not followed by UTF-8. */
function decode(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
