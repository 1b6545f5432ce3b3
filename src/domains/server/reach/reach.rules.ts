/** Checks how people are to reach the server. */

import { parseOrigin } from '#config/addresses.ts'
import type { Config, Mode } from '#config/config.ts'
import { isPrivateIp, isPrivateName } from '#config/machine.ts'
import type { StoredReach } from '#config/reach.ts'
import type { PartValue } from '#domains/settings/index.ts'
import { clash, doorsOf, listOf } from '#http/doors.ts'
import type { FieldProblem } from '#http/errors.ts'
import { hostOf, isHostName, parseName } from '#lib/host-name.ts'
import { parseIp } from '#lib/ip.ts'

import type { ReachChange } from './reach.model.ts'

type Stored = PartValue<'reach'>
type Kind = PartValue<'certificate'>['kind']

const problem = (field: string, en: string, zh: string): FieldProblem => ({ path: `body.${field}`, text: { en, zh } })

const NOTHING: Omit<Stored, 'mode'> = {
  names: [],
  publicUrl: null,
  host: null,
  httpsPort: null,
  httpPort: null,
  loopback: true,
}

/** The stored value after a change, and its problems. */
export function merged(
  before: StoredReach | undefined,
  mode: Mode,
  change: Omit<ReachChange, 'aliases'>,
): { readonly value: Stored; readonly problems: FieldProblem[] } {
  const problems: FieldProblem[] = []
  const names = (change.names ?? []).map(parseName)
  names.forEach((name, i) => {
    if (name === undefined)
      problems.push(
        problem(
          `names.${i}`,
          'must be a name such as qr.example.org, or an IP address',
          '须为域名（例如 qr.example.org）或 IP 地址',
        ),
      )
  })
  const url = change.publicUrl == null ? change.publicUrl : parseOrigin(change.publicUrl)
  if (change.publicUrl != null && url === undefined)
    problems.push(
      problem(
        'publicUrl',
        'must be an address such as https://qr.example.org, without a path',
        '须为地址，例如 https://qr.example.org，不含路径',
      ),
    )
  if (change.host != null && !parseIp(change.host) && !isHostName(change.host))
    problems.push(problem('host', 'must be an IP address or a host name', '须为 IP 地址或主机名'))
  const value = {
    ...NOTHING,
    mode,
    ...(before && { ...before, names: [...before.names] }),
    ...Object.fromEntries(Object.entries(change).filter(([, given]) => given !== undefined)),
    ...(change.names && { names: [...new Set(names.filter((name) => name !== undefined))] }),
    ...(change.publicUrl !== undefined && { publicUrl: url ?? null }),
  }
  return { value, problems }
}

/** Contradictions of a value. `next`: the configuration that follows from it. */
export function contradictions(value: Stored, kind: Kind, next: Config): FieldProblem[] {
  const problems = {
    LOCAL: () => [],
    NETWORK: () => networkProblems(value, kind, next),
    DOMAIN: () => domainProblems(value, next),
    PROXY: () =>
      value.publicUrl === null
        ? [problem('publicUrl', 'is required: the address of the proxy', '不能为空：须填写代理的地址')]
        : [],
  }[value.mode]()
  return [...problems, ...portProblems(value, next)]
}

const isPrivateHost = (host: string): boolean => isPrivateIp(host) || isPrivateName(host)

function networkProblems({ names, publicUrl }: Stored, kind: Kind, next: Config): FieldProblem[] {
  const problems = names.flatMap((name, i) =>
    name.startsWith('*')
      ? [problem(`names.${i}`, 'cannot have an asterisk in a private network', '内网中不能使用通配符')]
      : kind === 'LOCAL_CA' && !isPrivateHost(name)
        ? [
            problem(
              `names.${i}`,
              'is not a name or address of a private network, for which alone the local authority issues certificates',
              '不是内网的名称或地址，本地证书颁发机构只能为内网颁发证书',
            ),
          ]
        : [],
  )
  if (publicUrl !== null && kind === 'LOCAL_CA' && !isPrivateHost(hostOf(publicUrl)))
    problems.push(problem('publicUrl', 'must have a name or an address of a private network', '须使用内网的名称或地址'))
  return [...problems, ...schemeProblems(publicUrl, next)]
}

function domainProblems({ names, publicUrl }: Stored, next: Config): FieldProblem[] {
  if (names.length === 0)
    return [problem('names', 'is required: a name such as qr.example.org', '不能为空：须填写域名，例如 qr.example.org')]
  const problems = names.flatMap((name, i) =>
    parseIp(name) || !name.includes('.')
      ? [
          problem(
            `names.${i}`,
            'must be a name of the internet such as qr.example.org: in your own network, choose NETWORK',
            '须为互联网域名，例如 qr.example.org；内网请选择 NETWORK',
          ),
        ]
      : [],
  )
  if (names[0]!.startsWith('*'))
    problems.push(problem('names.0', 'cannot have an asterisk: it is the public name', '是公开域名，不能使用通配符'))
  if (publicUrl !== null) {
    const host = hostOf(publicUrl)
    if (!names.includes(host) && !names.includes(host.replace(/^[^.]+/, '*')))
      problems.push(
        problem('publicUrl', `must have one of the names ${names.join(', ')}`, `须使用域名 ${names.join('、')} 之一`),
      )
  }
  return [...problems, ...schemeProblems(publicUrl, next)]
}

function schemeProblems(publicUrl: string | null, next: Config): FieldProblem[] {
  if (publicUrl === null) return []
  const isHttps = doorsOf(next).main.scheme === 'https'
  if (publicUrl.startsWith('https:') === isHttps) return []
  return isHttps
    ? [problem('publicUrl', 'must begin with https://', '须以 https:// 开头')]
    : [problem('publicUrl', 'must begin with http:// while there is no certificate', '没有证书时须以 http:// 开头')]
}

/** Two listeners that need the same port. */
function portProblems({ httpPort }: Stored, next: Config): FieldProblem[] {
  const doors = listOf(doorsOf(next))
  const isTwice = doors.some((door, i) => doors.slice(i + 1).some((other) => clash(door, other)))
  if (!isTwice) return []
  const field = httpPort ? 'httpPort' : 'httpsPort'
  return [
    problem(
      field,
      'is used twice: choose different ports for HTTPS, plain HTTP and this computer',
      '端口重复：HTTPS、HTTP 和本机访问须使用不同的端口',
    ),
  ]
}
