/**
 * Signatures of release files in the format of minisign (https://jedisct1.github.io/minisign/), so that they can also be checked by that program:
 * Ed25519 over the BLAKE2b-512 of the file, and a second signature that covers the first and its comment.
 */

import { createHash, createPrivateKey, createPublicKey, sign, verify } from 'node:crypto'

/** The reason, to be said after a colon: "the signature does not fit the file". */
export class BadSignature extends Error {}

const notMinisign = (what: string) => new BadSignature(`the ${what} is not one of minisign`)

interface PublicKey {
  readonly id: Buffer
  /** 32 bytes. */
  readonly key: Buffer
}

export interface SecretKey extends PublicKey {
  readonly seed: Buffer
}

// The constant heads of the DER forms of Ed25519 keys (RFC 8410).
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')
const SPKI = Buffer.from('302a300506032b6570032100', 'hex')

const blake = (bytes: Uint8Array): Buffer => createHash('blake2b512').update(bytes).digest()

/** Returns the bytes of line `n`, which must have `length` of them. */
function bytesOf(text: string, n: number, length: number, what: string): Buffer {
  const bytes = Buffer.from(text.split(/\r?\n/)[n]?.trim() ?? '', 'base64')
  if (bytes.length !== length) throw notMinisign(what)
  return bytes
}

/** Reads a public key: the file that minisign makes, or its second line alone. @throws BadSignature */
export function readPublicKey(text: string): PublicKey {
  const trimmed = text.trim()
  const bytes = bytesOf(trimmed, trimmed.includes('\n') ? 1 : 0, 42, 'public key')
  if (bytes.toString('latin1', 0, 2) !== 'Ed') throw notMinisign('public key')
  return { id: bytes.subarray(2, 10), key: bytes.subarray(10) }
}

/** Reads a secret key that has no password (`minisign -G -W`). @throws BadSignature */
export function readSecretKey(text: string): SecretKey {
  const bytes = bytesOf(text, 1, 158, 'secret key')
  if (bytes.toString('latin1', 0, 2) !== 'Ed') throw notMinisign('secret key')
  if (bytes.readUInt16LE(2) !== 0)
    throw new BadSignature('the secret key has a password: make one without by "minisign -G -W"')
  return { id: bytes.subarray(54, 62), seed: bytes.subarray(62, 94), key: bytes.subarray(94, 126) }
}

/** The public key as one line. */
export const publicKeyOf = ({ id, key }: PublicKey): string =>
  Buffer.concat([Buffer.from('Ed'), id, key]).toString('base64')

/** Returns the content of the signature file of `bytes`. The same input gives the same signature. */
export function signRelease(bytes: Uint8Array, secret: SecretKey, comment: string): string {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8, secret.seed]), format: 'der', type: 'pkcs8' })
  const signature = sign(null, blake(bytes), key)
  const second = sign(null, Buffer.concat([signature, Buffer.from(comment)]), key)
  return [
    'untrusted comment: signature of a Tessera release',
    Buffer.concat([Buffer.from('ED'), secret.id, signature]).toString('base64'),
    `trusted comment: ${comment}`,
    second.toString('base64'),
    '',
  ].join('\n')
}

/** Returns the comment that was signed with `bytes`. @throws BadSignature */
export function verifyRelease(bytes: Uint8Array, signatureFile: string, publicKey: string): string {
  const { id, key } = readPublicKey(publicKey)
  const first = bytesOf(signatureFile, 1, 74, 'signature')
  if (first.toString('latin1', 0, 2) !== 'ED') throw notMinisign('signature')
  if (!first.subarray(2, 10).equals(id)) throw new BadSignature('the signature was made with another key')
  const comment = signatureFile.split(/\r?\n/)[2]?.match(/^trusted comment: (.*)$/)?.[1]
  if (comment === undefined) throw notMinisign('signature')
  const second = bytesOf(signatureFile, 3, 64, 'signature')
  const publicObject = createPublicKey({ key: Buffer.concat([SPKI, key]), format: 'der', type: 'spki' })
  const signature = first.subarray(10)
  const isRight =
    verify(null, blake(bytes), publicObject, signature) &&
    verify(null, Buffer.concat([signature, Buffer.from(comment)]), publicObject, second)
  if (!isRight) throw new BadSignature('the signature does not fit the file')
  return comment
}
