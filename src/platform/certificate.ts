/** A TLS certificate and its key in two files, checked before they are used. */

import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { createSecureContext } from 'node:tls'

import { hostOf } from '#lib/host-name.ts'
import type { Localized } from '#lib/localized.ts'

import { DAY } from './clock.ts'

export interface Certificate {
  /** The certificate and those of its chain (PEM). */
  readonly cert: string
  /** The private key (PEM). */
  readonly key: string
  /** Epoch milliseconds, as the next one. */
  readonly notBefore: number
  readonly notAfter: number
}

export type CertificateStatus = 'VALID' | 'EXPIRING' | 'EXPIRED'

/** EXPIRING: by now it should have been renewed. Programs that renew certificates do so after two thirds of their time. */
export function certificateState({ notBefore, notAfter }: Pick<Certificate, 'notBefore' | 'notAfter'>, now: number) {
  const left = notAfter - now
  const soon = Math.min(7 * DAY, (notAfter - notBefore) / 5)
  const status: CertificateStatus = left < 0 ? 'EXPIRED' : left < soon ? 'EXPIRING' : 'VALID'
  return { status, daysLeft: Math.max(0, Math.floor(left / DAY)) }
}

export interface CertificateFacts {
  /** In lower case. */
  readonly names: readonly string[]
  readonly issuer: string
  /** Hexadecimal, in lower case. */
  readonly serial: string
}

/** Of the first certificate of a chain (PEM) that can be read. */
export function factsOf(chain: string): CertificateFacts {
  const parsed = new X509Certificate(chain)
  return { names: namesIn(parsed), issuer: issuerOf(parsed), serial: parsed.serialNumber.toLowerCase() }
}

/** The subject alternative names, in lower case. */
export const namesIn = ({ subjectAltName }: X509Certificate): string[] =>
  subjectAltName ? subjectAltName.split(', ').map((name) => name.replace(/^(DNS|IP Address):/, '').toLowerCase()) : []

/** `O` and `CN`, each on a line of its own in Node's form. */
export const issuerOf = ({ issuer }: X509Certificate): string =>
  issuer
    .split('\n')
    .filter((line) => /^(O|CN)=/.test(line))
    .map((line) => line.slice(line.indexOf('=') + 1))
    .join(', ')
    .slice(0, 200)

export type CertificateFault =
  'unreadable' | 'certificate' | 'key' | 'otherKey' | 'chain' | 'name' | 'expired' | 'keyInChain' | 'authority'

/** A certificate that is not used, with a sentence for the operator. */
export class BadCertificate extends Error {
  readonly sentence: Localized
  constructor(
    readonly fault: CertificateFault,
    en: string,
    zh: string,
  ) {
    super(en)
    this.sentence = { en, zh }
  }
}

interface Files {
  readonly tlsCert: string
  readonly tlsKey: string
  /** The host of this address must be a name of the certificate. */
  readonly publicUrl: string
}

/** Also one that has expired. @throws BadCertificate */
export function readCertificate({ tlsCert, tlsKey, publicUrl }: Files): Certificate {
  const cert = read(`The certificate ${tlsCert}`, `证书 ${tlsCert} `, tlsCert)
  const key = read(`The key ${tlsKey}`, `私钥 ${tlsKey} `, tlsKey)
  const host = hostOf(publicUrl)
  return readPair(cert, key, [host], { cert: ` ${tlsCert}`, key: ` ${tlsKey}` })
}

/** Where texts come from: the path of the file after a space, or nothing. */
const NO_FILES = { cert: '', key: '' }

/** Of texts (PEM), also if it has expired. It has to be for all of `names`. @throws BadCertificate */
export function readPair(cert: string, key: string, names: readonly string[], files = NO_FILES): Certificate {
  const [c, k] = [files.cert, files.key]
  const parsed = attempt(
    () => new X509Certificate(cert),
    () => new BadCertificate('certificate', `The certificate${c} is not in PEM form.`, `证书${c} 不是 PEM 格式。`),
  )
  const secret = attempt(
    () => createPrivateKey(key),
    () =>
      new BadCertificate(
        'key',
        `The key${k} is not a private key in PEM form without a password.`,
        `私钥${k} 不是无密码的 PEM 格式私钥。`,
      ),
  )
  if (!parsed.checkPrivateKey(secret))
    throw new BadCertificate(
      'otherKey',
      `The key${k} does not belong to the certificate${c}.`,
      `私钥${k} 与证书${c} 不匹配。`,
    )
  attempt(
    // Bun refuses a chain of which a later certificate is damaged, for example because the file is still being written.
    () => createSecureContext({ cert, key }),
    () =>
      new BadCertificate('chain', `The certificate${c} or its chain is not complete.`, `证书${c} 或其证书链不完整。`),
  )
  const missing = names.find((name) => !isFor(parsed, name))
  if (missing !== undefined) throw forOthers(namesIn(parsed), missing, c)
  return { cert, key, notBefore: parsed.validFromDate.getTime(), notAfter: parsed.validToDate.getTime() }
}

function isFor(parsed: X509Certificate, name: string): boolean {
  if (name.startsWith('*')) return namesIn(parsed).includes(name)
  return (isIP(name) === 0 ? parsed.checkHost(name) : parsed.checkIP(name)) !== undefined
}

function forOthers(names: readonly string[], missing: string, file: string): BadCertificate {
  const help = file && ': set TESSERA_PUBLIC_URL to an address with one of its names'
  const tip = file && '：请将 TESSERA_PUBLIC_URL 设为使用其中某个名称的地址'
  return new BadCertificate(
    'name',
    `The certificate${file} is for ${names.join(', ') || 'no name'}, and not for ${missing}${help}.`,
    `证书${file} 适用于${names.join('、') || '空名称'}，不适用于 ${missing}${tip}。`,
  )
}

/** Checks a pair that an administrator sends, which has to be for all of `names`. Undefined if it can be used. */
export function checkPair(
  chain: string,
  key: string,
  names: readonly string[],
  now: number,
): BadCertificate | undefined {
  // The chain is stored and shown as public.
  if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(chain))
    return new BadCertificate(
      'keyInChain',
      'The text of the certificate contains a private key, which belongs in the other field.',
      '证书内容中含有私钥，私钥只能填写在另一栏。',
    )
  try {
    const { notAfter } = readPair(chain, key, names)
    if (notAfter > now) return undefined
    const date = new Date(notAfter).toISOString().slice(0, 10)
    return new BadCertificate('expired', `The certificate expired on ${date}.`, `证书已于 ${date} 过期。`)
  } catch (error) {
    if (error instanceof BadCertificate) return error
    throw error
  }
}

function read(en: string, zh: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const reason =
      code === 'ENOENT'
        ? { en: 'there is no such file', zh: '文件不存在' }
        : code === 'EACCES'
          ? { en: 'this user has no permission', zh: '当前用户没有权限' }
          : { en: message, zh: message }
    throw new BadCertificate('unreadable', `${en} cannot be read: ${reason.en}.`, `${zh}无法读取：${reason.zh}。`)
  }
}

function attempt<T>(parse: () => T, problem: () => BadCertificate): T {
  try {
    return parse()
  } catch {
    throw problem()
  }
}
