/** Which devices can open an address of this server, and what their browsers then allow. */

import { ipTest, isPublicIp, parseIp } from './ip.ts'

/**
 * Why an address is a bad one to print: only the machine itself opens it (LOOPBACK), only its network does (PRIVATE, SINGLE_LABEL), or browsers
 * allow its pages neither camera nor position (PLAIN_HTTP).
 */
export const REACH_PROBLEMS = ['LOOPBACK', 'PRIVATE', 'SINGLE_LABEL', 'PLAIN_HTTP'] as const
export type ReachProblem = (typeof REACH_PROBLEMS)[number]

const isLoopbackIp = ipTest(['127.0.0.0/8', '0.0.0.0/8', '::/127'])
/** Private domains (RFC 6761, RFC 6762, RFC 8375, ICANN `.internal`). */
const PRIVATE_NAME = /\.(?:local|lan|internal|home\.arpa)$/

/** `hostname` as in `URL`: in lower case, IPv6 in brackets. */
function hostProblem(hostname: string): ReachProblem | undefined {
  const host = hostname.replace(/^\[|\]$|\.$/g, '')
  if (host === 'localhost' || host.endsWith('.localhost') || isLoopbackIp(host)) return 'LOOPBACK'
  if (parseIp(host) !== undefined) return isPublicIp(host) ? undefined : 'PRIVATE'
  if (!host.includes('.')) return 'SINGLE_LABEL'
  return PRIVATE_NAME.test(host) ? 'PRIVATE' : undefined
}

/** Empty for an address that everybody can open over HTTPS, and for a text that is not an address. */
export function reachProblems(address: string): ReachProblem[] {
  const url = URL.parse(address)
  if (url === null) return []
  const problem = hostProblem(url.hostname)
  // Browsers trust the loopback address without HTTPS.
  const isPlain = url.protocol === 'http:' && problem !== 'LOOPBACK'
  return [...(problem === undefined ? [] : [problem]), ...(isPlain ? (['PLAIN_HTTP'] as const) : [])]
}

/** Whether only the machine itself opens the address. */
export const isLoopbackAddress = (address: string): boolean => reachProblems(address).includes('LOOPBACK')
