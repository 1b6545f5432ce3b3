/** Checks the certificate that an administrator asks for. */

import type { Config } from '#config/config.ts'
import { isPrivateIp, isPrivateName } from '#config/machine.ts'
import { KINDS } from '#config/reach.ts'
import type { PartValue } from '#domains/settings/index.ts'
import type { FieldProblem } from '#http/errors.ts'
import { hostOf, parseName } from '#lib/host-name.ts'
import { parseIp } from '#lib/ip.ts'
import { checkPair } from '#platform/certificate.ts'
import type { Seal } from '#platform/seal.ts'

import type { CertificateChange } from './change.model.ts'

export type Stored = PartValue<'certificate'>
type Dns = Stored['dns']

export const NO_CERTIFICATE: Stored = {
  kind: 'NONE',
  names: [],
  email: null,
  directory: null,
  agreedTo: null,
  challenge: 'HTTP_01',
  dns: null,
  chain: null,
  key: null,
}

export const problem = (field: string, en: string, zh: string): FieldProblem => ({
  path: `body.${field}`,
  text: { en, zh },
})

const isHttps = (text: string): boolean =>
  /^https:\/\//i.test(text) && URL.canParse(text) && new URL(text).username === ''

/** The stored value after a change, and the problems of single fields. */
export function merged(
  seal: Seal,
  before: Stored,
  change: CertificateChange,
  fallbackDirectory: string,
): { readonly value: Stored; readonly problems: FieldProblem[] } {
  if (change.kind === 'NONE') return { value: NO_CERTIFICATE, problems: [] }
  const problems: FieldProblem[] = []
  const names = (change.names ?? []).map(parseName)
  names.forEach((name, i) => {
    if (name === undefined)
      problems.push(problem(`names.${i}`, 'must be a name such as qr.example.org', '须为域名，例如 qr.example.org'))
  })
  if (change.directory != null && !isHttps(change.directory))
    problems.push(problem('directory', 'must begin with https://', '须以 https:// 开头'))
  if (change.email != null && !/^[^\s@,?&]+@[^\s@,?&]+$/.test(change.email))
    problems.push(problem('email', 'must be an e-mail address', '须为邮箱地址'))
  const { dns, problems: ofDns } = mergedDns(seal, before.dns, change.dns)
  const directory = change.directory === undefined ? before.directory : change.directory
  const value: Stored = {
    kind: change.kind ?? before.kind,
    names: change.names ? [...new Set(names.filter((name) => name !== undefined))] : before.names,
    email: change.email === undefined ? before.email : change.email,
    directory,
    agreedTo: change.agreedToTerms ? (directory ?? fallbackDirectory) : before.agreedTo,
    challenge: change.challenge ?? before.challenge,
    dns,
    chain: change.chain === undefined ? before.chain : change.chain,
    key: change.key === undefined ? before.key : change.key === null ? null : seal.seal(change.key),
  }
  return { value, problems: [...problems, ...ofDns] }
}

function mergedDns(
  seal: Seal,
  before: Dns,
  change: CertificateChange['dns'],
): { readonly dns: Dns; readonly problems: FieldProblem[] } {
  if (change === undefined) return { dns: before, problems: [] }
  if (change === null) return { dns: null, problems: [] }
  const { kind, url = '', username = '', password, subdomain = '', token, zoneId = '' } = change
  const required = (field: string, given: string | undefined) =>
    given ? [] : [problem(`dns.${field}`, 'is required', '不能为空')]
  // The stored secret is for the stored service only: an administrator who names another one must not learn it.
  if (kind === 'CLOUDFLARE') {
    const kept = before?.kind === kind ? before.token : ''
    const dns = { kind, token: token === undefined ? kept : seal.seal(token), zoneId }
    return { dns, problems: [...required('token', dns.token), ...required('zoneId', zoneId)] }
  }
  const kept = before?.kind === kind && before.url === url ? before.password : ''
  const dns = { kind, url, username, password: password === undefined ? kept : seal.seal(password), subdomain }
  const problems = [
    ...(isHttps(url) ? [] : [problem('dns.url', 'must begin with https://', '须以 https:// 开头')]),
    ...required('username', username),
    ...required('password', dns.password),
    ...required('subdomain', subdomain),
  ]
  return { dns, problems }
}

const SUITS: Readonly<Record<Stored['kind'], readonly [en: string, zh: string]>> = {
  NONE: ['', ''],
  ACME: [
    'ACME needs a name of the internet: set the address to DOMAIN or PROXY first',
    'ACME 需要互联网域名：请先将访问方式设为 DOMAIN 或 PROXY',
  ],
  FILES: [
    'FILES needs others who reach the server: set the address to NETWORK, DOMAIN or PROXY first',
    'FILES 需要其他人能访问服务器：请先将访问方式设为 NETWORK、DOMAIN 或 PROXY',
  ],
  LOCAL_CA: [
    'LOCAL_CA is for a private network: set the address to NETWORK first',
    'LOCAL_CA 用于内网：请先将访问方式设为 NETWORK',
  ],
}

export interface Situation {
  readonly seal: Seal
  readonly now: number
  readonly present: Config
  /** The configuration that follows from the value. */
  readonly next: Config
  /** Whether a program of the start sets DNS records. */
  readonly hasDnsCommand: boolean
}

/** Contradictions to the address or to another field. */
export function contradictions(value: Stored, situation: Situation): FieldProblem[] {
  const { present } = situation
  if (!KINDS[present.mode].includes(value.kind)) return [problem('kind', ...SUITS[value.kind])]
  return {
    NONE: () =>
      present.mode !== 'PROXY' && present.publicUrl.startsWith('https:')
        ? [
            problem(
              'kind',
              'cannot be NONE while the public address is https: change the address first',
              '公开地址为 https 时不能没有证书：请先更改访问地址',
            ),
          ]
        : [],
    ACME: () => acmeProblems(value, situation),
    FILES: () => fileProblems(value, situation),
    LOCAL_CA: () => localProblems(value, situation),
  }[value.kind]()
}

function acmeProblems({ challenge, dns, agreedTo }: Stored, { next, hasDnsCommand }: Situation): FieldProblem[] {
  const { domain, acmeDirectory } = next
  const problems: FieldProblem[] = []
  if (domain.length === 0) problems.push(problem('names', 'is required', '不能为空'))
  const wrong = domain.find((name) => parseIp(name) || !name.includes('.'))
  if (wrong !== undefined)
    problems.push(
      problem('names', `cannot contain ${wrong}, which is not a name of the internet`, `${wrong} 不是互联网域名`),
    )
  if (challenge === 'HTTP_01' && !hasDnsCommand && domain.some((name) => name.startsWith('*')))
    problems.push(problem('challenge', 'must be DNS_01 for a name with an asterisk', '通配符域名须使用 DNS_01'))
  if (challenge === 'DNS_01' && dns === null && !hasDnsCommand)
    problems.push(problem('dns', 'is required with DNS_01', '使用 DNS_01 时不能为空'))
  if (agreedTo !== acmeDirectory)
    problems.push(
      problem('agreedToTerms', 'must be true: the authority demands it', '须为 true：证书颁发机构要求同意其条款'),
    )
  return problems
}

function fileProblems({ chain, key }: Stored, { seal, now, next }: Situation): FieldProblem[] {
  if (chain === null) return [problem('chain', 'is required', '不能为空')]
  const opened = key === null ? undefined : seal.open(key)
  if (opened === undefined) return [problem('key', 'is required', '不能为空')]
  const fault = checkPair(chain, opened, [hostOf(next.publicUrl)], now)
  if (fault === undefined) return []
  const field = ['key', 'otherKey'].includes(fault.fault) ? 'key' : 'chain'
  return [problem(field, fault.sentence.en, fault.sentence.zh)]
}

function localProblems({ names }: Stored, { next }: Situation): FieldProblem[] {
  const isPrivate = (host: string) => isPrivateIp(host) || isPrivateName(host)
  const problems = names.flatMap((name, i) =>
    isPrivate(name)
      ? []
      : [problem(`names.${i}`, 'is not a name of a private network: use ACME for it', '不是内网名称：请使用 ACME')],
  )
  const host = hostOf(next.publicUrl)
  if (!isPrivate(host))
    problems.push(
      problem(
        'kind',
        `LOCAL_CA is for private names and addresses, and the public address has ${host}`,
        `LOCAL_CA 仅用于内网名称和地址，而公开地址使用 ${host}`,
      ),
    )
  if (!next.publicUrl.startsWith('https:'))
    problems.push(
      problem(
        'kind',
        'needs a public address with https://: change the address first',
        '公开地址须以 https:// 开头：请先更改访问地址',
      ),
    )
  return problems
}
