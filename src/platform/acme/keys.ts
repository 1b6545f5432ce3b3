/** Keys, certificate requests, and the checks of an issued certificate. */

import { createPrivateKey, createPublicKey, generateKeyPairSync, X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'

import { issuerOf, namesIn } from '../certificate.ts'
import { loadX509 } from '../x509.ts'
import { AcmeError } from './request.ts'

const P256 = { name: 'ECDSA', namedCurve: 'P-256' } as const

/** A new P-256 key (PKCS #8, PEM). */
export const newKey = (): string =>
  generateKeyPairSync('ec', { namedCurve: P256.namedCurve }).privateKey.export({
    type: 'pkcs8',
    format: 'pem',
  }) as string

/** A certificate request for the names (PKCS #10, DER). */
export async function certificateRequest(keyPem: string, names: readonly string[]): Promise<Uint8Array> {
  const key = createPrivateKey(keyPem)
  const { subtle } = crypto
  const x509 = await loadX509()
  const [privateKey, publicKey] = await Promise.all([
    subtle.importKey('pkcs8', new Uint8Array(key.export({ type: 'pkcs8', format: 'der' })), P256, false, ['sign']),
    subtle.importKey(
      'spki',
      new Uint8Array(createPublicKey(keyPem).export({ type: 'spki', format: 'der' })),
      P256,
      true,
      ['verify'],
    ),
  ])
  const made = await x509.Pkcs10CertificateRequestGenerator.create({
    keys: { privateKey, publicKey },
    signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
    extensions: [new x509.SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns' as const, value })))],
  })
  return new Uint8Array(made.rawData)
}

export interface Issued {
  /** The certificate and those of its chain (PEM). */
  readonly chain: string
  /** Epoch milliseconds, as the next one. */
  readonly notBefore: number
  readonly notAfter: number
  readonly issuer: string
  /** Hexadecimal. */
  readonly serial: string
}

/** Reads a chain as the authority sent it. @throws AcmeError unless it is a valid certificate of this key for all of the names */
export function checkIssued(chain: string, keyPem: string, names: readonly string[], now: number): Issued {
  const bad = (why: string): AcmeError => new AcmeError('badCertificate', `the certificate of the authority ${why}`)
  let leaf: X509Certificate
  try {
    leaf = new X509Certificate(chain)
    createSecureContext({ cert: chain, key: keyPem })
    if (!leaf.checkPrivateKey(createPrivateKey(keyPem))) throw new Error('another key')
  } catch {
    throw bad('cannot be read, or is for another key')
  }
  const missing = names.find((name) => !namesIn(leaf).includes(name))
  if (missing !== undefined) throw bad(`is not for ${missing}`)
  const [notBefore, notAfter] = [leaf.validFromDate.getTime(), leaf.validToDate.getTime()]
  if (notAfter <= now) throw bad('has expired')
  return { chain, notBefore, notAfter, issuer: issuerOf(leaf), serial: leaf.serialNumber.toLowerCase() }
}

/** The name of a certificate in requests for renewal information (RFC 9773); undefined if it does not name the key of its issuer. */
export async function renewalIdOf(chain: string): Promise<string | undefined> {
  const x509 = await loadX509()
  const leaf = new X509Certificate(chain)
  const issuerKey = new x509.X509Certificate(new Uint8Array(leaf.raw)).getExtension(
    x509.AuthorityKeyIdentifierExtension,
  )?.keyId
  if (issuerKey === undefined) return undefined
  const serial = Buffer.from(
    leaf.serialNumber.padStart(leaf.serialNumber.length + (leaf.serialNumber.length % 2), '0'),
    'hex',
  )
  // As in DER: a number whose first bit is set would be negative.
  const positive = serial[0]! >= 0x80 ? Buffer.concat([Buffer.of(0), serial]) : serial
  return `${Buffer.from(issuerKey, 'hex').toString('base64url')}.${positive.toString('base64url')}`
}
