/** Names and start values, as the forms of this page show them. */

import type { ServerCertificate, ServerReach } from '../../api/types.ts'
import { texts } from '../../i18n/words.ts'

export const lockWords = texts({
  en: { locked: (name: string) => `Set by ${name} at the start of the server, and can only be changed there.` },
  zh: { locked: (name: string) => `由启动服务器时的 ${name} 设定，只能在该处更改。` },
})

export type Mode = ServerReach['mode']

export const isStart = (source: string | undefined): boolean =>
  source !== undefined && source !== 'DEFAULT' && source !== 'DATABASE'

/** Names are typed with commas, spaces or lines between them. */
export const namesIn = (text: string): string[] => text.split(/[\s,;，；、]+/).filter((name) => name !== '')

const MAX_NAMES = 20

/** Where the server has the problems of names. */
export const NAME_PATHS: readonly string[] = ['names', ...Array.from({ length: MAX_NAMES }, (_, i) => `names.${i}`)]

export const hostOf = (url: string): string => new URL(url).hostname.replace(/^\[|\]$/g, '')

/** The page from which devices learn to trust the server: without HTTPS if there is a port for that, because browsers do not warn there. */
export function trustUrl({ publicUrl, httpPort }: ServerReach): string {
  const url = new URL('/trust', publicUrl)
  if (httpPort) Object.assign(url, { protocol: 'http:', port: String(httpPort) })
  return url.href
}

/** Milliseconds between two looks at a certificate that is being ordered. */
export const EVERY = 3000
export const isSettled = ({ certificate }: { certificate: ServerCertificate }): boolean =>
  certificate.status !== 'PENDING' && certificate.status !== 'FAILED'
