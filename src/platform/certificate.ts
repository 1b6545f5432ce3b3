/** A TLS certificate and its key in two files, checked before they are used. */

import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { createSecureContext } from 'node:tls'

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

/** A sentence for the operator. */
export class BadCertificate extends Error {}

interface Files {
  readonly tlsCert: string
  readonly tlsKey: string
  /** The host of this address must be a name of the certificate. */
  readonly publicUrl: string
}

/** @throws BadCertificate */
export function readCertificate({ tlsCert, tlsKey, publicUrl }: Files): Certificate {
  const cert = read('certificate', tlsCert)
  const key = read('key', tlsKey)
  const parsed = attempt(() => new X509Certificate(cert), `The certificate ${tlsCert} is not in PEM form.`)
  const secret = attempt(
    () => createPrivateKey(key),
    `The key ${tlsKey} is not a private key in PEM form without a password.`,
  )
  if (!parsed.checkPrivateKey(secret)) throw new BadCertificate(`The key ${tlsKey} does not belong to ${tlsCert}.`)
  // Bun refuses a chain of which a later certificate is damaged, for example because the file is still being written.
  attempt(() => createSecureContext({ cert, key }), `The certificate ${tlsCert} or its chain is not complete.`)
  const host = new URL(publicUrl).hostname.replace(/^\[|\]$/g, '')
  if ((isIP(host) === 0 ? parsed.checkHost(host) : parsed.checkIP(host)) === undefined)
    throw new BadCertificate(
      `The certificate ${tlsCert} is for ${namesOf(parsed)}, and not for ${host}: set TESSERA_PUBLIC_URL to an address with one of its names.`,
    )
  return { cert, key, notBefore: parsed.validFromDate.getTime(), notAfter: parsed.validToDate.getTime() }
}

const namesOf = ({ subjectAltName }: X509Certificate): string =>
  subjectAltName?.replaceAll(/DNS:|IP Address:/g, '') ?? 'no name'

function read(what: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const reason =
      code === 'ENOENT' ? 'there is no such file' : code === 'EACCES' ? 'this user has no permission' : message
    throw new BadCertificate(`The ${what} ${path} cannot be read: ${reason}.`)
  }
}

function attempt<T>(parse: () => T, problem: string): T {
  try {
    return parse()
  } catch {
    throw new BadCertificate(problem)
  }
}
