/** The signing key: generated once and kept in `keys/`, or derived from the configured secret. */

import { hkdfSync } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { writeDurably } from './files.ts'
import { secret as randomSecret } from './ids.ts'

const KEY_BYTES = 32

export class BadKey extends Error {
  override name = 'BadKey'
}

/** Separates this use of the secret from later ones. */
const PURPOSE = 'tessera access tokens v1'

function derive(secret: string): Uint8Array {
  return new Bun.CryptoHasher('sha256', secret).update(PURPOSE).digest()
}

export const signingKeyFile = (dataDir: string): string => join(dataDir, 'keys', 'signing.key')

/**
 * 32 bytes for signing tokens. Derived from `secret` (HMAC-SHA-256) if it is set, so that tokens stay valid on another machine;
 * otherwise read from `keys/signing.key`, which is generated at the first start (mode 0600, on disk before it is used).
 * @throws BadKey if the file does not contain a key: a new key would sign out all users without an explanation.
 */
export async function signingKey(config: { dataDir: string; secret: string }): Promise<Uint8Array> {
  if (config.secret !== '') return derive(config.secret)
  const path = signingKeyFile(config.dataDir)
  const kept = read(path)
  if (kept) return kept
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const created = randomSecret()
  await writeDurably(path, created + '\n', 0o600)
  return new Uint8Array(Buffer.from(created, 'base64url'))
}

function read(path: string): Uint8Array | undefined {
  if (!statSync(path, { throwIfNoEntry: false })) return undefined
  const key = new Uint8Array(Buffer.from(readFileSync(path, 'utf8').trim(), 'base64url'))
  if (key.length === KEY_BYTES) return key
  throw new BadKey(
    `${path} does not contain a signing key. Restore it from a backup, or delete it to generate a new one; all users must then sign in again.`,
  )
}

/** Derives 32 bytes for another use of the signing key (HKDF-SHA-256). One derived key reveals nothing about the others. */
export const deriveKey = (signingKey: Uint8Array, purpose: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', signingKey, '', `tessera ${purpose}`, KEY_BYTES))
