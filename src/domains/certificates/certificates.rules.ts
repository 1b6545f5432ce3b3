/** When a certificate is renewed, when a failed order is tried again, and what its failure means in plain words. */

import type { OrderFault } from '#db/schema/certificates.ts'
import type { Localized } from '#lib/localized.ts'
import type { AcmeError } from '#platform/acme/request.ts'
import { DAY, HOUR, MINUTE } from '#platform/clock.ts'

/** After the first, second, third and every further failure in a row. */
const PAUSES = [MINUTE, 10 * MINUTE, HOUR, 6 * HOUR] as const
/** Nobody waits for longer because an authority says so. */
const LONGEST_PAUSE = DAY
/** A server whose clock is wrong must not order one certificate after the other. */
const LEAST_BETWEEN = HOUR

/** `failures`: those in a row, with this one. `asked`: the pause that the authority asks for. Milliseconds. */
export const pauseAfter = (failures: number, asked: number | undefined): number =>
  asked === undefined
    ? PAUSES[Math.min(failures, PAUSES.length) - 1]!
    : Math.min(LONGEST_PAUSE, Math.max(PAUSES[0], asked))

interface Lifetime {
  readonly notBefore: number
  readonly notAfter: number
}

/** At two thirds of the lifetime, and up to a quarter of an hour later, so that not all servers come at once. `chance`: from 0 to 1. */
export function renewalTime({ notBefore, notAfter }: Lifetime, chance: number): number {
  const lifetime = notAfter - notBefore
  return Math.floor(notBefore + (lifetime * 2) / 3 + chance * Math.min(HOUR / 4, lifetime / 20))
}

/** The pause after a success; milliseconds. */
export const pauseAfterSuccess = ({ notBefore, notAfter }: Lifetime): number =>
  Math.min(LEAST_BETWEEN, (notAfter - notBefore) / 6)

/** Whether the same order can be continued after this failure, which is not about the order itself. */
export const mayContinue = ({ type, more: { status = 0 } }: AcmeError): boolean =>
  ['unreachable', 'late', 'dnsCommand', 'dnsService', 'badNonce', 'rateLimited'].includes(type) || status >= 500

/** How often to ask the authority when to renew; milliseconds. */
export const askAfter = (asked: number | undefined, chance: number): number =>
  Math.min(LONGEST_PAUSE, Math.max(HOUR, asked ?? 0)) + Math.floor((chance * HOUR) / 4)

/** A time in the window that the authority suggests: the planned one if it is in it. */
export function timeInWindow(
  { start, end }: { readonly start: number; readonly end: number },
  planned: number,
  chance: number,
): number {
  return planned >= start && planned <= end ? planned : Math.floor(start + chance * (end - start))
}

export const targetOf = ({ acmeDirectory, domain }: { acmeDirectory: string; domain: readonly string[] }): string =>
  `${acmeDirectory} ${domain.toSorted().join(',')}`

/** Whether a certificate for `names` is one for all of `wanted`. */
export const covers = (names: readonly string[], wanted: readonly string[]): boolean =>
  wanted.every((name) => names.includes(name))

/** Plain words for a failure. */
export function sentenceOf({ type, name, detail }: OrderFault, nextAt: number): Localized {
  const words = WORDS[type] ?? WORDS['other']!
  const host = name ?? ''
  const at = new Date(nextAt).toISOString().slice(0, 16).replace('T', ' ')
  const fill = (text: string): string => text.replaceAll('{name}', host).replaceAll('{at}', `${at} UTC`)
  return {
    en: `${fill(words.en)} (${type}: ${detail})`,
    zh: `${fill(words.zh)}（${type}：${detail}）`,
  }
}

const ELSEWHERE: Localized = {
  en: 'Another program answers at {name}: its DNS record does not lead to this server, or a router or proxy leads port 80 elsewhere.',
  zh: '{name} 由另一个程序应答：DNS 记录没有指向此服务器，或路由器、代理把 80 端口转到了别处。',
}

const WORDS: Readonly<Record<string, Localized>> = {
  dns: {
    en: 'The name {name} does not lead here: its DNS has no address, or cannot be read. Set an A or AAAA record with the address of this server.',
    zh: '域名 {name} 没有指向这里：DNS 中没有地址或无法查询。请添加指向此服务器地址的 A 或 AAAA 记录。',
  },
  connection: {
    en: 'The authority cannot reach {name} at port 80. Open the port in the firewall, and let the router lead it to this server.',
    zh: '证书颁发机构无法连接 {name} 的 80 端口。请在防火墙中放行该端口，并让路由器转发到此服务器。',
  },
  unauthorized: ELSEWHERE,
  incorrectResponse: ELSEWHERE,
  rateLimited: {
    en: 'The authority has received too many requests for these names. The server tries again at {at}.',
    zh: '证书颁发机构收到的此域名请求过多。服务器将在 {at} 重试。',
  },
  caa: {
    en: 'A CAA record in the DNS of {name} forbids this authority to issue certificates. Remove it, or add the authority to it.',
    zh: '{name} 的 DNS 中有 CAA 记录禁止该机构颁发证书。请删除该记录，或把该机构加入其中。',
  },
  rejectedIdentifier: {
    en: 'The authority issues no certificates for one of these names.',
    zh: '该机构不为其中某个域名颁发证书。',
  },
  invalidContact: {
    en: 'The authority does not accept the address in TESSERA_ACME_EMAIL.',
    zh: '该机构不接受 TESSERA_ACME_EMAIL 中的地址。',
  },
  externalAccountRequired: {
    en: 'The authority demands an account that is made at its website, which this server does not support. Choose another authority.',
    zh: '该机构要求在其网站上注册账户，此服务器不支持。请选择其他机构。',
  },
  unreachable: {
    en: 'The authority does not answer. Check the internet connection of this server and TESSERA_ACME_DIRECTORY.',
    zh: '证书颁发机构没有应答。请检查此服务器的网络连接和 TESSERA_ACME_DIRECTORY。',
  },
  badAnswer: {
    en: 'The authority answers in a way that this server does not understand. Check TESSERA_ACME_DIRECTORY.',
    zh: '证书颁发机构的应答无法识别。请检查 TESSERA_ACME_DIRECTORY。',
  },
  badCertificate: {
    en: 'The authority sent a certificate that is not for this server. It is not used.',
    zh: '证书颁发机构发来的证书不属于此服务器，未被使用。',
  },
  dnsCommand: {
    en: 'The program of TESSERA_ACME_DNS_COMMAND failed.',
    zh: 'TESSERA_ACME_DNS_COMMAND 的程序失败。',
  },
  dnsService: {
    en: 'The DNS service did not set the record. Check its data and rights.',
    zh: 'DNS 服务未能设置记录。请检查其配置和权限。',
  },
  late: {
    en: 'The authority did not complete the order in time.',
    zh: '证书颁发机构未能及时完成订单。',
  },
  other: { en: 'The authority refused the order.', zh: '证书颁发机构拒绝了请求。' },
}
