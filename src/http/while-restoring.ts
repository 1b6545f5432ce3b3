/** Answers on the port of the server while its data is replaced and the server itself is closed. */

import type { Config } from '#config/config.ts'
import type { Locale } from '#lib/localized.ts'
import type { Certificate } from '#platform/certificate.ts'
import { uuid } from '#platform/ids.ts'

import { addressOf, localeOf } from './caller.ts'
import { unavailable } from './errors.ts'
import { reloadingPage } from './pages.ts'
import { bare, failure } from './respond.ts'

/** CHECKING: the backup is read. REPLACING: it takes the place of the data. STARTING: the server opens it. */
export type RestoreStep = 'CHECKING' | 'REPLACING' | 'STARTING'

/** Seconds after which clients may ask again. */
const RELOAD_SECONDS = 3

const WORDS = {
  en: { title: 'The data is being replaced', text: 'This takes some minutes. The page loads again by itself.' },
  zh: { title: '正在替换数据', text: '这需要几分钟，页面会自动重新加载。' },
} as const
const restoring = unavailable('A backup is being restored', '正在恢复备份', { retryAfter: RELOAD_SECONDS })

export interface RestoreListener {
  step: RestoreStep
  stop(): Promise<void>
}

/** `language`: of people whose browser asks for neither English nor Chinese. */
export function listenWhileRestoring(
  { host, port }: Config,
  tls: Certificate | undefined,
  language: Locale,
): RestoreListener {
  const listener: RestoreListener = { step: 'CHECKING', stop: () => server.stop(true) }
  const server = Bun.serve({
    hostname: host,
    port,
    ...(tls && { tls }),
    reusePort: false,
    development: false,
    fetch(request) {
      const { pathname } = addressOf(request)
      const requestId = uuid()
      // A supervisor would kill a program that does not live.
      if (pathname === '/actuator/health/live') return bare(Response.json({ status: 'UP' }), requestId)
      if (pathname.startsWith('/actuator/health'))
        return bare(
          Response.json({ status: 'DOWN', reason: 'RESTORE', step: listener.step }, { status: 503 }),
          requestId,
        )
      const isForPeople = (request.headers.get('accept') ?? '').includes('text/html')
      const locale = localeOf(request, language)
      return isForPeople
        ? bare(reloadingPage({ ctx: undefined, ...WORDS[locale], locale, status: 503 }), requestId)
        : failure(restoring, requestId, locale)
    },
  })
  return listener
}
