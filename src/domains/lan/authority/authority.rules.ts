/** The names and addresses of the authority and of its certificates. */

import type { Config } from '#config/config.ts'
import { isLinkLocalIpv6, isPrivateIp, isPrivateName, type Machine } from '#config/machine.ts'
import { hostOf } from '#lib/host-name.ts'
import type { Certificate } from '#platform/certificate.ts'
import type { Names } from '#platform/local-authority.ts'

/** Of one certificate. */
const MAX_NAMES = 50

/** The page from which devices learn to trust the server: over plain http if there is a port for it, because browsers do not warn there. */
export function trustUrl({ publicUrl, httpPort }: Pick<Config, 'publicUrl' | 'httpPort'>, hostname?: string): string {
  const url = new URL('/trust', publicUrl)
  if (httpPort !== null) Object.assign(url, { protocol: 'http:', port: String(httpPort) })
  if (hostname !== undefined) url.hostname = hostname
  return url.href
}

/** The names of a new authority: those of this machine, that of the public address, and others of the operator. */
export const authorityNames = (machine: Machine, publicUrl: string, others: readonly string[] = []): string[] => [
  ...new Set([...machine.names, ...[hostOf(publicUrl), ...others].filter(isPrivateName)]),
]

/** Whether an authority for `names` may issue certificates for this host. */
export const covers = (names: readonly string[], host: string): boolean =>
  isPrivateIp(host) || names.some((name) => host === name || host.endsWith(`.${name}`))

/** The names of a certificate: those of the authority, the public address and the private addresses of this machine. */
export function certificateNames(names: readonly string[], machine: Machine, publicUrl: string): Names {
  const host = hostOf(publicUrl)
  const dns = [...new Set([...names, ...(isPrivateIp(host) || !covers(names, host) ? [] : [host])])]
  const addresses = [...new Set([...(isPrivateIp(host) ? [host] : []), ...machine.addresses])]
  return { dns, addresses: addresses.slice(0, MAX_NAMES - dns.length) }
}

/** Link-local IPv6 addresses come and go with each container, and no browser opens them. */
export const sameNames = (a: Names, b: Names): boolean => key(a) === key(b)

const key = ({ dns, addresses }: Names): string =>
  [...dns, ...addresses.filter((address) => !isLinkLocalIpv6(address))].toSorted().join()

/** At two thirds of its time. */
export const lanRenewalTime = ({ notBefore, notAfter }: Pick<Certificate, 'notBefore' | 'notAfter'>): number =>
  Math.floor(notBefore + ((notAfter - notBefore) * 2) / 3)

/** After two thirds of its time, or before it, because the clock was corrected. */
export const isDue = (certificate: Certificate, now: number): boolean =>
  now < certificate.notBefore || now > lanRenewalTime(certificate)
