/** Checks the mail server that an administrator enters, by the rules of `TESSERA_SMTP_URL`. */

import { X509Certificate } from 'node:crypto'

import { isLoopback, isPrivate, parseMailbox } from '#config/gateways.ts'
import type { PartValue } from '#domains/settings/index.ts'
import type { FieldProblem } from '#http/errors.ts'
import { isHostName } from '#lib/host-name.ts'
import { parseIp } from '#lib/ip.ts'
import type { Seal } from '#platform/seal.ts'

import type { MailChange } from './mail.model.ts'

type Stored = PartValue<'mail'>

const PORTS = { TLS: 465, STARTTLS: 587, NONE: 25 } as const

const problem = (field: string, en: string, zh: string): FieldProblem => ({ path: field, text: { en, zh } })

/** The stored value after a change, and its problems. The caller handles `kind: NONE`. */
export function merged(
  seal: Seal,
  before: Stored | undefined,
  change: MailChange,
): { readonly value: Stored; readonly problems: FieldProblem[] } {
  const security = change.security ?? before?.security
  const host = change.host ?? before?.host ?? ''
  const password = change.password
  const value: Stored = {
    host,
    port:
      change.port ??
      (change.port === null || change.security !== undefined ? undefined : before?.port) ??
      PORTS[security ?? 'TLS'],
    security: security ?? 'TLS',
    user: change.user === undefined ? (before?.user ?? '') : (change.user ?? ''),
    password:
      password === undefined
        ? (before?.password ?? '')
        : password === null || password === ''
          ? ''
          : seal.seal(password),
    from: change.from ?? before?.from ?? '',
    replyTo: change.replyTo === undefined ? (before?.replyTo ?? null) : change.replyTo || null,
    caPem: change.caPem === undefined ? (before?.caPem ?? null) : change.caPem || null,
  }
  return { value, problems: [...addressProblems(value, security), ...signInProblems(value)] }
}

function addressProblems(
  { host, from, replyTo, caPem }: Stored,
  security: Stored['security'] | undefined,
): FieldProblem[] {
  const problems: FieldProblem[] = []
  if (host === '')
    problems.push(problem('host', 'is required: the name of the mail server', '不能为空，须填写邮件服务器的主机名'))
  else if (!isHostName(host) && !parseIp(host))
    problems.push(
      problem(
        'host',
        'must be a name such as smtp.example.org, without a scheme or port',
        '须为主机名，例如 smtp.example.org，不含协议和端口',
      ),
    )
  if (security === undefined)
    problems.push(problem('security', 'is required: TLS, STARTTLS or NONE', '不能为空：TLS、STARTTLS 或 NONE'))
  if (parseMailbox(from) === undefined)
    problems.push(
      problem(
        'from',
        'must be an address, or a name with an address: Library <desk@example.org>',
        '须为邮箱地址，或“名称 <邮箱地址>”',
      ),
    )
  if (replyTo !== null && parseMailbox(replyTo)?.address !== replyTo)
    problems.push(problem('replyTo', 'must be an e-mail address', '须为邮箱地址'))
  if (caPem !== null && !isCertificate(caPem))
    problems.push(problem('caPem', 'must be a certificate in PEM form', '须为 PEM 格式的证书'))
  return problems
}

function signInProblems({ host, security, user, password }: Stored): FieldProblem[] {
  if (user !== '' && password === '') return [problem('password', 'is required with a user', '填写用户名时须填写密码')]
  if (user === '' && password !== '') return [problem('user', 'is required with a password', '填写密码时须填写用户名')]
  if (security !== 'NONE' || isLoopback(host)) return []
  if (!isPrivate(host))
    return [
      problem(
        'security',
        'can be NONE in a private network only: the mails would cross the internet unencrypted',
        '仅限内网使用 NONE，否则邮件将以明文经过互联网',
      ),
    ]
  return user === ''
    ? []
    : [
        problem(
          'security',
          'cannot be NONE with a password: it would cross the network unencrypted',
          '有密码时不能为 NONE，否则密码将以明文传输',
        ),
      ]
}

function isCertificate(text: string): boolean {
  try {
    void new X509Certificate(text)
    return true
  } catch {
    return false
  }
}
