/** The way in which the names of the server are proved, and the DNS service that sets the records for it. */

import { type AppContext, perContext } from '#context'
import { type PartValue, serverValues } from '#domains/settings/index.ts'
import { changeRecord, type DnsService, PUBLIC_NETWORK } from '#platform/acme/dns-service.ts'
import type { DnsProof } from '#platform/acme/obtain.ts'
import { AcmeError } from '#platform/acme/request.ts'
import { SECOND } from '#platform/clock.ts'

/** For a clean-up, which also happens after a failure and when the server stops. */
const CLEAN_UP_MS = { usually: 30 * SECOND, atTheEnd: 5 * SECOND } as const

/** Public addresses; tests set those of services of their own. */
export const dnsNetwork = perContext(() => ({ ...PUBLIC_NETWORK }))

/** The program of the start values wins. */
export const challengeOf = (ctx: AppContext): 'HTTP_01' | 'DNS_01' =>
  ctx.config.acmeDnsCommand !== '' || serverValues(ctx).certificate?.challenge === 'DNS_01' ? 'DNS_01' : 'HTTP_01'

/** By the DNS service of the server values. `stop`: the server stops, or the attempt is given up. */
export const dnsChanges =
  (ctx: AppContext, stop: AbortSignal): DnsProof['change'] =>
  async (...change) => {
    const service = opened(ctx, serverValues(ctx).certificate?.dns ?? null)
    const [action, name] = change
    if (action === 'present') return changeRecord(service, change, dnsNetwork(ctx), stop)
    const late = AbortSignal.timeout(stop.aborted ? CLEAN_UP_MS.atTheEnd : CLEAN_UP_MS.usually)
    try {
      await changeRecord(service, change, dnsNetwork(ctx), late)
    } catch (error) {
      // The certificate needs it no longer, and it is of no use to others.
      ctx.log.warn('a DNS record of a challenge could not be removed', { name, reason: (error as Error).message })
    }
  }

/** @throws AcmeError */
function opened(ctx: AppContext, dns: PartValue<'certificate'>['dns']): DnsService {
  if (dns === null) throw new AcmeError('dnsService', 'none is set')
  const secretOf = (sealed: string): string => {
    const secret = ctx.seal.open(sealed)
    if (secret === undefined) throw new AcmeError('dnsService', 'its secret was sealed by another server: set it again')
    return secret
  }
  return dns.kind === 'CLOUDFLARE'
    ? { ...dns, token: secretOf(dns.token) }
    : { ...dns, password: secretOf(dns.password) }
}
