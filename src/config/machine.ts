/** Names and addresses of this machine in its own network, and which names and addresses are private. */

import { hostname, networkInterfaces } from 'node:os'

import { ipTest, isPublicIp, parseIp } from '#lib/ip.ts'
import { isTopLevelDomain } from '#lib/top-level-domains.ts'

import { isPrivate } from './gateways.ts'

/** Of RFC 1918, RFC 3927, RFC 1122, RFC 4193 and RFC 4291. */
export const PRIVATE_RANGES = [
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '169.254.0.0/16',
  '127.0.0.0/8',
  'fc00::/7',
  'fe80::/10',
] as const

export const isPrivateIp = ipTest(PRIVATE_RANGES)
/** Browsers cannot open them, because they are valid only together with an interface. */
export const isLinkLocalIpv6 = ipTest(['fe80::/10'])

const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/
/** Names below which others have names: `local` is every machine of a network. */
const SHARED = ['local', 'localhost', 'lan', 'internal', 'arpa', 'home.arpa']

/**
 * Whether a DNS name, in lower case and as ASCII, and all names below it belong to a private network. A name of one label may be a top-level
 * domain, such as `dev`, and one that is a number is an address for browsers.
 */
export function isPrivateName(name: string): boolean {
  const labels = name.split('.')
  if (name.length > 253 || !labels.every((label) => LABEL.test(label))) return false
  if (SHARED.includes(name) || parseIp(name) !== undefined) return false
  return isPrivate(name) && !isTopLevelDomain(name) && URL.parse(`http://${name}`)?.hostname === name
}

export interface Machine {
  readonly hasIpv6: boolean
  /** Its host name and `<host name>.local`; the first only if it is a private name. */
  readonly names: readonly string[]
  /** Private ones, the most useful first. Empty if this process may not read them. */
  readonly addresses: readonly string[]
  /** Public ones of its interfaces. Empty behind a router. */
  readonly publicAddresses: readonly string[]
}

/** Interfaces of containers, virtual machines and tunnels. */
const VIRTUAL = /^(?:docker|br-|veth|virbr|vboxnet|vmnet|lxc|lxd|cni|podman|flannel|tun|tap|utun|wg|zt|vEthernet)/
const RANKS = [['192.168.0.0/16'], ['10.0.0.0/8'], ['172.16.0.0/12'], ['fc00::/7'], ['169.254.0.0/16'], ['127.0.0.0/8']]
const RANK_TESTS = RANKS.map((ranges) => ipTest(ranges))

export interface Sources {
  readonly hostname: string
  /** The addresses of each interface, by its name. */
  readonly interfaces: Readonly<Record<string, readonly string[]>>
}

export const thisMachine = (): Machine => machineOf({ hostname: hostname(), interfaces: interfaceAddresses() })

export function machineOf(sources: Sources): Machine {
  const first = sources.hostname.split('.')[0]!
  const ascii = URL.parse(`http://${first}`)?.hostname ?? ''
  // Without a name, an authority would be valid for all names.
  const host = LABEL.test(ascii) ? ascii : 'tessera'
  const addresses = Object.entries(sources.interfaces).flatMap(([name, found]) =>
    found.filter(isPrivateIp).map((address) => ({ address, rank: rankOf(name, address) })),
  )
  const all = Object.values(sources.interfaces).flat()
  return {
    publicAddresses: [...new Set(all.filter(isPublicIp))],
    hasIpv6: all.some((address) => address.includes(':')),
    names: [host, `${host}.local`].filter(isPrivateName),
    addresses: [...new Set(addresses.toSorted((a, b) => a.rank - b.rank).map(({ address }) => address))],
  }
}

function rankOf(name: string, address: string): number {
  const rank = RANK_TESTS.findIndex((test) => test(address))
  return (VIRTUAL.test(name) ? RANKS.length : 0) + (rank < 0 ? 2 * RANKS.length : rank)
}

function interfaceAddresses(): Sources['interfaces'] {
  try {
    return Object.fromEntries(
      Object.entries(networkInterfaces()).map(([name, found = []]) => [name, found.map(({ address }) => address)]),
    )
  } catch {
    // A service whose socket families are restricted: reading them takes AF_NETLINK.
    return {}
  }
}

/** The host by which others of the network reach this machine: an address, as few networks resolve its name. */
export function networkHost({ names, addresses }: Machine): string {
  const [address] = addresses.filter((each) => !each.startsWith('127.') && !isLinkLocalIpv6(each))
  const host = address ?? names.at(-1)!
  return parseIp(host)?.length === 16 ? `[${host}]` : host
}
