/** The certificate with which this process serves HTTPS, and the next one as soon as its source has one. */

import { type AppContext, perContext } from '#context'
import { type Certificate, readCertificate } from '#platform/certificate.ts'
import { SECOND } from '#platform/clock.ts'

/** Where certificates come from. */
export interface CertificateSource {
  /**
   * The certificate to use now. Called at the start, every ten seconds, and after `changed`. Undefined if there is none yet, which only a source
   * with `waiting` may return.
   * @throws BadCertificate if there is none to use: the server then keeps the one that it has
   */
  read(): Certificate | undefined
  /** Calls `changed` as soon as there is another certificate. */
  onChange?(changed: () => void): void
  /** The server uses another source from now on. */
  stop?(): void
  /**
   * The page for visitors over plain HTTP while there is no certificate. The port for HTTPS is closed then, and a port on the loopback address
   * lets the administrator in.
   */
  waiting?(request: Request): Response
}

export const certificateFiles = (config: AppContext['config']): CertificateSource => ({
  read: () => readCertificate(config),
})

/** Files are small, and their times of change do not show all changes: they are read and compared. */
const LOOK_EVERY_MS = 10 * SECOND

const EXPIRY = {
  name: 'tessera_certificate_expires_seconds',
  help: 'Seconds until the certificate of this server ends.',
}

const inUse = perContext(() => ({ certificate: undefined as Certificate | undefined }))

/** Undefined if this process serves plain HTTP, or has no certificate yet. */
export const certificateInUse = (ctx: AppContext): Certificate | undefined => inUse(ctx).certificate

export interface Watched {
  /** Undefined if there is none yet. */
  readonly first: Certificate | undefined
  stop(): void
}

/**
 * Reads the certificate of `source`; undefined if there is none. `exchange` is called with each new one until `stop`.
 * @throws BadCertificate
 */
export function watchCertificate(
  ctx: AppContext,
  source: CertificateSource | undefined,
  exchange: (next: Certificate) => void,
): Watched | undefined {
  const { clock, log } = ctx
  const state = inUse(ctx)
  ctx.metrics.gauge(EXPIRY, () =>
    state.certificate === undefined ? [] : (state.certificate.notAfter - clock.now()) / SECOND,
  )
  state.certificate = undefined
  if (source === undefined) return undefined
  const first = source.read()
  state.certificate = first
  if (first && first.notAfter < clock.now()) log.warn('the certificate has expired: browsers warn of this server')
  let problem = ''
  const read = (): Certificate | undefined => {
    try {
      const next = source.read()
      problem = ''
      return next ?? state.certificate
    } catch (error) {
      // Also while a program that renews certificates has written one of the files only.
      const { message } = error as Error
      if (message !== problem) log.warn('the new certificate is not used', { reason: message })
      problem = message
      return state.certificate
    }
  }
  let isOpen = true
  const look = (): void => {
    const next = read()
    const { certificate } = state
    if (next === undefined || (isOpen && next.cert === certificate?.cert && next.key === certificate.key)) return
    try {
      isOpen = false
      exchange(next)
      isOpen = true
      state.certificate = next
      log.info('the certificate was exchanged', { expires: new Date(next.notAfter).toISOString() })
    } catch (error) {
      log.error('the port of HTTPS could not be opened: the server tries again', { error })
    }
  }
  const timer = setInterval(look, LOOK_EVERY_MS)
  let isStopped = false
  source.onChange?.(() => {
    if (!isStopped) look()
  })
  const stop = (): void => {
    isStopped = true
    clearInterval(timer)
    source.stop?.()
  }
  return { first, stop }
}
