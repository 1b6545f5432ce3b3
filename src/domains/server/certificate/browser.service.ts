/** HTTPS that was set up in the browser: with an uploaded certificate, or still without one. */

import { type AppContext, perContext } from '#context'
import { waitingPage } from '#domains/certificates/index.ts'
import { onServerValues, type PartValue, serverValues } from '#domains/settings/index.ts'
import type { CertificateSource } from '#http/tls.ts'
import { type Certificate, readPair } from '#platform/certificate.ts'

type Stored = PartValue<'certificate'>

const uploaded = perContext(() => ({
  of: undefined as Stored | undefined,
  certificate: undefined as Certificate | undefined,
  changed: (): void => undefined,
}))

/** Undefined if there is none, or one that was sealed with the key of another server. @throws BadCertificate */
export function uploadedCertificate(ctx: AppContext): Certificate | undefined {
  const { certificate: stored } = serverValues(ctx)
  const held = uploaded(ctx)
  if (held.of === stored) return held.certificate
  const key = stored?.kind === 'FILES' && stored.key !== null ? ctx.seal.open(stored.key) : undefined
  const chain = stored?.chain ?? undefined
  held.certificate = key === undefined || chain === undefined ? undefined : readPair(chain, key, [])
  held.of = stored
  return held.certificate
}

export function certificatesFromBrowser(ctx: AppContext): CertificateSource {
  const held = uploaded(ctx)
  onServerValues(ctx, () => held.changed())
  return {
    read: () => (ctx.config.browserTls === 'FILES' ? uploadedCertificate(ctx) : undefined),
    onChange(changed) {
      held.changed = changed
    },
    stop() {
      held.changed = () => undefined
    },
    waiting: (request) => waitingPage(ctx, request),
  }
}
