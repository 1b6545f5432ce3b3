/**
 * How people reach the server: the configuration with which the program was started, and the values that administrators have set in the
 * browser. The former win.
 */

import { parseIp } from '#lib/ip.ts'
import { isLoopbackAddress } from '#lib/reach.ts'

import { type Config, DOMAIN_HTTP_PORT, DOMAIN_PORT, hasTls, isShared, LAN_PORT, type Mode } from './config.ts'
import { isLoopback } from './gateways.ts'
import { isPrivateName, type Machine, networkHost } from './machine.ts'

export const LOOPBACK = '127.0.0.1'

/** Whether a host stands for all addresses. */
export const isAll = (host: string): boolean => host === '::' || host === '0.0.0.0'

export const allAddresses = ({ hasIpv6 }: Pick<Machine, 'hasIpv6'>): string => (hasIpv6 ? '::' : '0.0.0.0')

/** `host`: with brackets if it is an IPv6 address. */
export const originOf = (scheme: 'http' | 'https', host: string, port: number): string =>
  `${scheme}://${host}${port === { http: 80, https: 443 }[scheme] ? '' : `:${port}`}`

/** The mode of a server that is set up by its start values only. */
export function modeOf(config: Config): Mode {
  if (config.lan) return 'NETWORK'
  if (hasTls(config)) return 'DOMAIN'
  // A public address that this server does not answer itself.
  if (config.publicUrl.startsWith('https:')) return 'PROXY'
  if (!isLoopback(config.host)) return 'NETWORK'
  return isLoopbackAddress(config.publicUrl) ? 'LOCAL' : 'PROXY'
}

/** As the database keeps it. */
export interface StoredReach {
  readonly mode: Mode
  readonly names: readonly string[]
  readonly publicUrl: string | null
  readonly host: string | null
  readonly httpsPort: number | null
  /** 0: none. */
  readonly httpPort: number | null
  readonly loopback: boolean
}

export interface StoredCertificate {
  readonly kind: 'NONE' | 'ACME' | 'FILES' | 'LOCAL_CA'
  readonly names: readonly string[]
  readonly email: string | null
  readonly directory: string | null
}

export interface StoredAlias {
  readonly origin: string
  /** Its name is not part of the certificate. */
  readonly isLeftOut?: true | undefined
}

export interface StoredValues {
  readonly aliases?: readonly StoredAlias[] | undefined
  readonly reach?: StoredReach | undefined
  readonly certificate?: StoredCertificate | undefined
}

export type Origins = ReadonlyMap<string, string>

/** Start values that say how people reach the server. If one of them is given, nothing of it is changed in the browser. */
const REACH_KEYS = ['domain', 'lan', 'tlsCert', 'publicUrl', 'host'] as const
/** Start values with a certificate. */
const CERTIFICATE_KEYS = ['domain', 'lan', 'tlsCert'] as const

/** The key of the start value that sets how people reach the server. */
export const reachKey = (origins: Origins) => REACH_KEYS.find((key) => origins.has(key))

/** The name of the start value that sets the certificate, such as `--domain`. */
export const certificateIsSetBy = (origins: Origins): string | undefined =>
  origins.get(CERTIFICATE_KEYS.find((key) => origins.has(key)) ?? '')

/** The certificates that suit a mode. */
export const KINDS: Readonly<Record<Mode, readonly StoredCertificate['kind'][]>> = {
  LOCAL: ['NONE'],
  NETWORK: ['NONE', 'LOCAL_CA', 'FILES'],
  DOMAIN: ['NONE', 'ACME', 'FILES'],
  PROXY: ['NONE', 'ACME', 'FILES'],
}

/** The configuration in force: `start` with the stored values, where it leaves them open. */
export function effectiveConfig(
  start: Config,
  origins: Origins,
  { reach, certificate, aliases = [] }: StoredValues,
  machine: Machine,
): Config {
  const acme = acmeOf(start, origins, certificate)
  if (hasTls(start))
    return start.domain.length > 0
      ? { ...start, ...acme, domain: [...start.domain, ...aliasNames(start.domain, aliases)] }
      : start
  const isLocked = reachKey(origins) !== undefined
  const mode = isLocked ? start.mode : (reach?.mode ?? start.mode)
  // Each process of several has its own address, port and certificate.
  if (isShared(start))
    return isLocked || mode !== 'PROXY' ? start : { ...start, mode, publicUrl: reach?.publicUrl ?? start.publicUrl }
  const asked = certificate?.kind ?? 'NONE'
  const kind = KINDS[mode].includes(asked) ? asked : 'NONE'
  if (kind === 'NONE' && (isLocked || reach === undefined)) return start
  return {
    ...start,
    mode,
    ...addressOf(start, { mode, kind, isLocked, reach, certificate, aliases, machine }),
    ...acme,
  }
}

function acmeOf(start: Config, origins: Origins, certificate: StoredCertificate | undefined) {
  return {
    acmeEmail: origins.has('acmeEmail') ? start.acmeEmail : (certificate?.email ?? start.acmeEmail),
    acmeDirectory: origins.has('acmeDirectory') ? start.acmeDirectory : (certificate?.directory ?? start.acmeDirectory),
  }
}

/** Names of the internet that were public ones: printed codes lead to them by HTTPS. */
function aliasNames(names: readonly string[], aliases: readonly StoredAlias[]): string[] {
  const hosts = aliases.flatMap(({ origin, isLeftOut }) => (isLeftOut ? [] : [new URL(origin).hostname]))
  const isOther = (host: string) => !names.includes(host) && !names.includes(host.replace(/^[^.]+/, '*'))
  const isPublic = (host: string) => host.includes('.') && !isPrivateName(host) && parseIp(host) === undefined
  return [...new Set(hosts.filter((host) => isOther(host) && isPublic(host) && !host.startsWith('[')))]
}

interface Wanted extends StoredValues {
  readonly mode: Mode
  readonly kind: StoredCertificate['kind']
  readonly isLocked: boolean
  readonly machine: Machine
}

function addressOf(start: Config, wanted: Wanted): Partial<Config> {
  const { mode, kind, reach, machine, isLocked } = wanted
  if (mode === 'LOCAL') return {}
  const host = isLocked ? start.host : (reach?.host ?? (mode === 'PROXY' ? start.host : allAddresses(machine)))
  const httpPort = reach?.httpPort ?? null
  if (kind === 'NONE' && mode !== 'DOMAIN') {
    const port = httpPort || start.port
    const own = originOf('http', reach?.names[0] ?? networkHost(machine), port)
    const isBeside = port !== start.port || !(isLoopback(host) || isAll(host))
    const publicUrl = isLocked ? start.publicUrl : (reach?.publicUrl ?? own)
    return { host, port, publicUrl, beside: isBeside ? besideOf(start, reach) : null }
  }
  const port = reach?.httpsPort ?? (mode === 'NETWORK' ? LAN_PORT : DOMAIN_PORT)
  return { ...tlsOf(start, wanted, port), host, port, ...plainOf(start, wanted, host) }
}

function tlsOf(
  start: Config,
  { mode, kind, isLocked, reach, certificate, aliases = [], machine }: Wanted,
  port: number,
): Partial<Config> {
  const names = reach?.names.length ? reach.names : (certificate?.names ?? [])
  const first = names.find((name) => !name.startsWith('*')) ?? networkHost(machine)
  const own = certificate?.names.length && mode === 'PROXY' ? certificate.names : names
  const domain = mode === 'DOMAIN' ? [...own, ...aliasNames(own, aliases)] : [...own]
  return {
    publicUrl:
      isLocked && start.publicUrl.startsWith('https:')
        ? start.publicUrl
        : (reach?.publicUrl ?? originOf('https', first, port)),
    lan: kind === 'LOCAL_CA',
    domain: kind === 'ACME' ? domain : [],
    browserTls: kind === 'FILES' ? 'FILES' : kind === 'NONE' ? 'AWAITED' : null,
  }
}

/** The ports for plain HTTP: one that leads to HTTPS, and one on which the whole server answers. */
function plainOf(start: Config, { mode, reach }: Wanted, host: string): Pick<Config, 'httpPort' | 'beside'> {
  const { port } = start
  if (mode === 'PROXY') return { httpPort: null, beside: { host, port: reach?.httpPort || port, orAny: false } }
  const httpPort = reach?.httpPort ?? (mode === 'DOMAIN' ? DOMAIN_HTTP_PORT : 0)
  return { httpPort: httpPort === 0 ? null : httpPort, beside: besideOf(start, reach) }
}

/** Where this computer reaches the server, whatever the mode is. */
const besideOf = ({ host, port }: Config, reach: StoredReach | undefined): Config['beside'] =>
  (reach?.loopback ?? true) ? { host: isLoopback(host) ? host : LOOPBACK, port, orAny: false } : null
