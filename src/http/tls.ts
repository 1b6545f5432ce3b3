/** The certificate with which this process serves HTTPS, and the next one as soon as its source has one. */

import { type AppContext, perContext } from '#context'
import { BadCertificate, type Certificate, factsOf, readCertificate } from '#platform/certificate.ts'
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

/** A certificate that is not used, since `at` (epoch milliseconds). */
export interface CertificateProblem {
  readonly fault: BadCertificate['fault']
  readonly sentence: BadCertificate['sentence']
  readonly at: number
}

const inUse = perContext(() => ({
  certificate: undefined as Certificate | undefined,
  /** When this process began to use it. */
  since: null as number | null,
  problem: undefined as CertificateProblem | undefined,
}))

/** Undefined if this process serves plain HTTP, or has no certificate yet. */
export const certificateInUse = (ctx: AppContext): Certificate | undefined => inUse(ctx).certificate

/** Why this process does not use the newest certificate. */
export const certificateProblem = (ctx: AppContext): CertificateProblem | undefined => inUse(ctx).problem

/** The serial number of the certificate of this process, for the other processes. */
export function servedHere(ctx: AppContext): { readonly serial: string | null; readonly since: number | null } {
  const { certificate, since } = inUse(ctx)
  return { serial: certificate === undefined ? null : factsOf(certificate.cert).serial, since }
}

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
  use(first)
  if (first && first.notAfter < clock.now()) log.warn('the certificate has expired: browsers warn of this server')
  const read = (): Certificate | undefined => {
    try {
      const next = source.read()
      state.problem = undefined
      return next ?? state.certificate
    } catch (error) {
      // Also while a program that renews certificates has written one of the files only.
      const { message } = error as Error
      const { fault = 'unreadable', sentence = { en: message, zh: message } } =
        error instanceof BadCertificate ? error : {}
      if (sentence.en === state.problem?.sentence.en) return state.certificate
      log.warn('the new certificate is not used', { reason: message })
      state.problem = { fault, sentence, at: clock.now() }
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
      use(next)
      log.info('the certificate was exchanged', { expires: new Date(next.notAfter).toISOString() })
    } catch (error) {
      log.error('the port of HTTPS could not be opened: the server tries again', { error })
    }
  }
  function use(next: Certificate | undefined): void {
    state.certificate = next
    state.since = next === undefined ? null : clock.now()
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
