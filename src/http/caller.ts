/** Lazily parsed request metadata: client address, locale, device headers. */

import type { Server } from 'bun'

import { clientIp } from '#lib/ip.ts'
import type { Locale } from '#lib/localized.ts'
import { uuid } from '#platform/ids.ts'

import type { Caller } from './endpoint.ts'

/** Request ids of a proxy are kept if they match: they are written to logs and headers. */
const GIVEN_ID = /^[\w-]{8,64}$/

let sequence = 0
const processPart = uuid().slice(0, 8)

export class RequestCaller implements Caller {
  readonly requestId: string
  #ip: string | undefined

  constructor(
    private readonly request: Request,
    private readonly server: Server<unknown> | null,
    private readonly trusted: (ip: string) => boolean,
  ) {
    const given = request.headers.get('x-request-id')
    this.requestId = given !== null && GIVEN_ID.test(given) ? given : `${processPart}-${(++sequence).toString(36)}`
  }

  get ip(): string {
    return (this.#ip ??= clientIp(
      this.server?.requestIP(this.request)?.address ?? '',
      this.request.headers.get('x-forwarded-for') ?? undefined,
      this.trusted,
    ))
  }
  get locale(): Locale {
    return localeOf(this.request)
  }
  get userAgent(): string {
    return (this.request.headers.get('user-agent') ?? '').slice(0, 500)
  }
  get deviceId(): string | undefined {
    return this.request.headers.get('x-device-id') ?? undefined
  }
  /** Clients percent-encode names outside Latin-1. */
  get deviceName(): string | undefined {
    const given = this.request.headers.get('x-device-name')
    if (given === null) return undefined
    try {
      return decodeURIComponent(given).slice(0, 100)
    } catch {
      return given.slice(0, 100)
    }
  }
}

/** The token of `Authorization: Bearer`, or undefined. */
export function bearerToken(request: Request): string | undefined {
  const header = request.headers.get('authorization')
  return header !== null && /^Bearer ./i.test(header) ? header.slice('Bearer '.length) : undefined
}

/** Chinese if it is the first language of `Accept-Language` (conventions §1), otherwise English. */
export const localeOf = (request: Request): Locale =>
  /^\s*zh\b/i.test(request.headers.get('accept-language') ?? '') ? 'zh' : 'en'
