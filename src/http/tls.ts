/** The certificate with which this process serves HTTPS, and the next one as soon as its files have changed. */

import { type AppContext, perContext } from '#context'
import { type Certificate, readCertificate } from '#platform/certificate.ts'
import { SECOND } from '#platform/clock.ts'

/** The files are small, and their times of change do not show all changes: they are read and compared. */
const LOOK_EVERY_MS = 10 * SECOND

const EXPIRY = {
  name: 'tessera_certificate_expires_seconds',
  help: 'Seconds until the certificate of this server ends.',
}

const inUse = perContext(() => ({ certificate: undefined as Certificate | undefined }))

/** Undefined if this process serves plain HTTP. */
export const certificateInUse = (ctx: AppContext): Certificate | undefined => inUse(ctx).certificate

export interface Watched {
  readonly first: Certificate
  stop(): void
}

/**
 * Reads the certificate of the configuration; undefined if there is none. `exchange` is called with each new one until `stop`.
 * @throws BadCertificate
 */
export function watchCertificate(ctx: AppContext, exchange: (next: Certificate) => void): Watched | undefined {
  const { config, clock, log } = ctx
  const state = inUse(ctx)
  ctx.metrics.gauge(EXPIRY, () =>
    state.certificate === undefined ? [] : (state.certificate.notAfter - clock.now()) / SECOND,
  )
  if (config.tlsCert === '') return undefined
  const first = readCertificate(config)
  state.certificate = first
  if (first.notAfter < clock.now()) log.warn('the certificate has expired: browsers warn of this server')
  let problem = ''
  const read = (): Certificate => {
    try {
      const next = readCertificate(config)
      problem = ''
      return next
    } catch (error) {
      // Also while a program that renews certificates has written one of the files only.
      const { message } = error as Error
      if (message !== problem) log.warn('the new certificate is not used', { reason: message })
      problem = message
      return state.certificate!
    }
  }
  let isOpen = true
  const look = (): void => {
    const next = read()
    if (isOpen && next.cert === state.certificate!.cert && next.key === state.certificate!.key) return
    try {
      isOpen = false
      exchange(next)
      isOpen = true
      state.certificate = next
      log.info('the certificate was exchanged', { expires: new Date(next.notAfter).toISOString() })
    } catch (error) {
      log.error('the port of HTTPS could not be opened again: the server tries again', { error })
    }
  }
  const timer = setInterval(look, LOOK_EVERY_MS)
  return { first, stop: () => clearInterval(timer) }
}
