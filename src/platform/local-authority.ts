/**
 * The certificate authority of a server in a private network, and the certificates that it issues to the server. A critical name constraint
 * binds the authority: devices that trust it refuse its certificates for all other names and addresses.
 */

import { createHash, createPrivateKey, X509Certificate } from 'node:crypto'

import { parseIp, parseRange } from '#lib/ip.ts'

import type { Certificate } from './certificate.ts'
import { DAY, HOUR } from './clock.ts'
import { bytes } from './ids.ts'
import { loadX509 } from './x509.ts'

export interface LocalAuthority {
  /** PEM, as the next one. */
  readonly certificate: string
  /** PKCS #8. */
  readonly key: string
}

export interface Names {
  /** As ASCII, in lower case. */
  readonly dns: readonly string[]
  readonly addresses: readonly string[]
}

const AUTHORITY_DAYS = 3652
const SERVER_DAYS = 90
/** The clocks of devices may be behind. */
const BACKDATED_MS = HOUR
const CURVE = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

/**
 * Valid for ten years. Its certificates are accepted for the names of `dns`, those below them, and the addresses of `ranges` only. Its common
 * name ends with the first four hex digits of the fingerprint of its key, because a certificate cannot contain a fingerprint of itself. Without a
 * common name, iPhones would not list it in their trust settings.
 */
export async function createAuthority(
  serverName: string,
  allowed: { readonly dns: readonly string[]; readonly ranges: readonly string[] },
  now: number,
): Promise<LocalAuthority> {
  if (allowed.dns.length === 0) throw new Error('without a name, the authority would be valid for all names')
  const x509 = await loadX509()
  const keys = await crypto.subtle.generateKey(CURVE, true, ['sign', 'verify'])
  const spki = new Uint8Array(await crypto.subtle.exportKey('spki', keys.publicKey))
  const commonName = `${shortened(serverName)} local authority ${createHash('sha256').update(spki).digest('hex').slice(0, 4)}`
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: new x509.Name([{ CN: [commonName] }]),
    notBefore: new Date(now - BACKDATED_MS),
    notAfter: new Date(now + AUTHORITY_DAYS * DAY),
    signingAlgorithm: CURVE,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      // Names say nothing about mail and programs: without this, its certificates could sign them where it is trusted.
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      new x509.Extension('2.5.29.30', true, nameConstraints(allowed)),
    ],
  })
  return { certificate: certificate.toString('pem'), key: await pkcs8(keys.privateKey) }
}

/** A certificate for 90 days with a key of its own. */
export async function issueCertificate(
  serverName: string,
  authority: LocalAuthority,
  names: Names,
  now: number,
): Promise<Certificate> {
  const x509 = await loadX509()
  const issuer = new x509.X509Certificate(authority.certificate)
  const der = createPrivateKey(authority.key).export({ format: 'der', type: 'pkcs8' })
  const signingKey = await crypto.subtle.importKey('pkcs8', der, CURVE, false, ['sign'])
  const keys = await crypto.subtle.generateKey(CURVE, true, ['sign', 'verify'])
  const [notBefore, notAfter] = [now - BACKDATED_MS, Math.min(now + SERVER_DAYS * DAY, issuer.notAfter.getTime())]
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: new x509.Name([{ CN: [shortened(serverName)] }]),
    issuer: issuer.subjectName,
    notBefore: new Date(notBefore),
    notAfter: new Date(notAfter),
    signingAlgorithm: CURVE,
    publicKey: keys.publicKey,
    signingKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([
        ...names.dns.map((value) => ({ type: 'dns' as const, value })),
        ...names.addresses.map((value) => ({ type: 'ip' as const, value })),
      ]),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  })
  return { cert: certificate.toString('pem'), key: await pkcs8(keys.privateKey), notBefore, notAfter }
}

export interface AuthorityFacts {
  readonly name: string
  /** SHA-256 of the certificate, as hex in groups of four, which people compare. */
  readonly fingerprint: string
  readonly der: Uint8Array
  readonly pem: string
  /** Epoch milliseconds. */
  readonly notAfter: number
}

export function readAuthority(certificate: string): AuthorityFacts {
  const parsed = new X509Certificate(certificate)
  const hex = createHash('sha256').update(parsed.raw).digest('hex').toUpperCase()
  return {
    name: parsed.subject.replace(/^CN=/, ''),
    fingerprint: hex.match(/.{4}/g)!.join(' '),
    der: parsed.raw,
    pem: certificate.trim(),
    notAfter: parsed.validToDate.getTime(),
  }
}

/** A common name has at most 64 characters (RFC 5280, appendix A), with the 21 that follow. */
const shortened = (serverName: string): string => [...serverName].slice(0, 43).join('')

/** Positive, 16 bytes (RFC 5280 §4.1.2.2). */
function serialNumber(): string {
  const random = Buffer.from(bytes(16))
  random[0] = (random[0]! & 0x3f) | 0x40
  return random.toString('hex')
}

async function pkcs8(key: CryptoKey): Promise<string> {
  const der = Buffer.from(await crypto.subtle.exportKey('pkcs8', key))
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }).export({ format: 'pem', type: 'pkcs8' }) as string
}

/** The DER form of RFC 5280 §4.2.1.10, for which the library has no class. */
function nameConstraints({ dns, ranges }: { readonly dns: readonly string[]; readonly ranges: readonly string[] }) {
  const subtrees = [
    ...dns.map((name) => der(0x82, Buffer.from(name, 'latin1'))),
    ...ranges.map((range) => der(0x87, addressAndMask(range))),
  ].map((generalName) => der(0x30, generalName))
  return new Uint8Array(der(0x30, der(0xa0, Buffer.concat(subtrees))))
}

function addressAndMask(range: string): Buffer {
  const { bits } = parseRange(range)!
  const address = Buffer.from(parseIp(range.split('/')[0]!)!)
  const mask = address.map((_, at) => 0xff & ~(0xff >> Math.min(8, Math.max(0, bits - 8 * at))))
  return Buffer.concat([address, mask])
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}
