/** Keys that sign passes: made at first use, and replaced once a year or by the command `tessera rotate-pass-key`. */

import { createPrivateKey, createPublicKey, type KeyObject, sign as signBytes } from 'node:crypto'

import { type AppContext, perContext } from '#context'
import type { passes } from '#db/schema/passes.ts'
import type { Tx } from '#db/store.ts'
import type { Job } from '#domains/domain.ts'
import { unavailable } from '#http/errors.ts'
import { DAY } from '#platform/clock.ts'
import { bytes } from '#platform/ids.ts'

import type { PassKeys } from './pass-keys.model.ts'
import { type DecodedToken, encodeToken, MAX_KEY_ID, PASS_PATH } from './pass-keys.rules.ts'
import * as store from './pass-keys.store.ts'

export interface SigningKey {
  readonly id: number
  /** Returns the 64 bytes of an Ed25519 signature, the same for the same bytes. Takes about 30 µs. */
  sign(bytes: Uint8Array): Uint8Array
}

/** The keys of rows, by id. Rows never change except for `retiredAt`, which is not kept here. */
const opened = perContext(() => ({
  /** Undefined for keys whose seeds cannot be opened, because the server's secret has changed. */
  signing: new Map<number, SigningKey | undefined>(),
  verifying: new Map<number, CryptoKey>(),
}))

/** The key that signs new passes. It is read each time, so that a rotation on the command line takes effect at once. */
export async function currentKey(ctx: AppContext): Promise<SigningKey> {
  for (;;) {
    const current = openFirst(ctx, await store.liveKeys(ctx.db.read))
    if (current !== undefined) return current
    await createKey(ctx)
  }
}

/** The same in a write, which makes no key: undefined if there is none. */
export const existingKey = async (ctx: AppContext, tx: Tx): Promise<SigningKey | undefined> =>
  openFirst(ctx, await store.liveKeys(tx))

const openFirst = (ctx: AppContext, rows: readonly store.PassKeyRow[]): SigningKey | undefined => {
  for (const row of rows) {
    const key = openKey(ctx, row)
    if (key !== undefined) return key
  }
  return undefined
}

function openKey(ctx: AppContext, { id, sealedSeed }: store.PassKeyRow): SigningKey | undefined {
  const { signing } = opened(ctx)
  if (!signing.has(id)) {
    const seed = ctx.seal.open(sealedSeed)
    signing.set(id, seed === undefined ? undefined : signingKey(id, privateKeyOf(Buffer.from(seed, 'base64url'))))
  }
  return signing.get(id)
}

const signingKey = (id: number, key: KeyObject): SigningKey => ({ id, sign: (bytes) => signBytes(null, bytes, key) })

/** A PKCS #8 document of an Ed25519 key (RFC 8410) up to the 32 bytes of the seed. */
const PKCS8_START = Buffer.from('302e020100300506032b657004220420', 'hex')

const privateKeyOf = (seed: Uint8Array): KeyObject =>
  createPrivateKey({ key: Buffer.concat([PKCS8_START, seed]), format: 'der', type: 'pkcs8' })

/** Does nothing if another process has just made the key. */
async function createKey(ctx: AppContext): Promise<void> {
  const seed = bytes(32)
  const publicKey = createPublicKey(privateKeyOf(seed)).export({ format: 'jwk' }).x!
  await ctx.db.write('passes.createKey', async (tx) => {
    if (openFirst(ctx, await store.liveKeys(tx)) !== undefined) return
    const id = (await store.newestKeyId(tx)) + 1
    if (id > MAX_KEY_ID)
      throw unavailable('All key ids for passes have been used', '通行证密钥编号已用完', {
        log: { maxKeyId: MAX_KEY_ID },
      })
    const sealedSeed = ctx.seal.seal(Buffer.from(seed).toString('base64url'))
    await store.insertKey(tx, { id, publicKey, sealedSeed, createdAt: ctx.clock.now() })
  })
}

/** Signs texts that do not begin like the signed bytes of passes, all with the same key. `signatures` are base64url. */
export async function signAll(
  ctx: AppContext,
  texts: readonly string[],
): Promise<{ readonly keyId: number; readonly signatures: string[] }> {
  const key = await currentKey(ctx)
  return {
    keyId: key.id,
    signatures: texts.map((text) => Buffer.from(key.sign(Buffer.from(text))).toString('base64url')),
  }
}

/** Whether a key of this server has signed the token. Runs outside the thread of the event loop and takes about 100 µs. */
export async function verifyToken(ctx: AppContext, { keyId, signature, signed }: DecodedToken): Promise<boolean> {
  const key = await verifyingKey(ctx, keyId)
  return key !== undefined && crypto.subtle.verify('Ed25519', key, signature, signed)
}

async function verifyingKey(ctx: AppContext, keyId: number): Promise<CryptoKey | undefined> {
  const { verifying } = opened(ctx)
  const known = verifying.get(keyId)
  if (known !== undefined) return known
  const row = await store.findKey(ctx.db.read, keyId)
  if (row === undefined) return undefined
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: row.publicKey }
  const key = await crypto.subtle.importKey('jwk', jwk, 'Ed25519', false, ['verify'])
  verifying.set(keyId, key)
  return key
}

export type SignedPass = Pick<
  typeof passes.$inferSelect,
  'uuid' | 'keyId' | 'activityId' | 'validFrom' | 'validTo' | 'followsActivity'
>

/**
 * The link in the QR code of a pass, in upper case. It stays the same as long as the validity does and the server can use the key that the pass
 * was issued with; after a change of the server's secret it is signed with the current key, and earlier prints stay valid. A pass that follows
 * its activity has no end in it.
 */
export async function contentOf(ctx: AppContext, pass: SignedPass): Promise<string> {
  const { signing } = opened(ctx)
  let key = signing.get(pass.keyId)
  if (!signing.has(pass.keyId)) {
    const row = await store.findKey(ctx.db.read, pass.keyId)
    key = row && openKey(ctx, row)
  }
  return contentSignedBy(ctx, pass, key ?? (await currentKey(ctx)))
}

function contentSignedBy(ctx: AppContext, pass: SignedPass, key: SigningKey): string {
  const payload = { ...pass, keyId: key.id, validTo: pass.followsActivity ? null : pass.validTo }
  return ctx.config.publicUrl.toUpperCase() + PASS_PATH + encodeToken(payload, (bytes) => key.sign(bytes))
}

/** Makes a key if there is none, so that an offline gate which reads the keys before the first pass is issued can check it. */
export async function publishedKeys(ctx: AppContext): Promise<PassKeys> {
  await currentKey(ctx)
  const rows = await store.listKeys(ctx.db.read)
  return {
    keys: rows.map(({ id, publicKey, createdAt, retiredAt }) => ({
      keyId: id,
      algorithm: 'Ed25519',
      publicKey,
      createdAt,
      retiredAt,
    })),
  }
}

const KEY_LIFETIME_MS = 365 * DAY

/** Retires keys after a year and makes the next one at once, so that offline gates learn of it. Retired keys still verify. */
async function rotateOldKeys(ctx: AppContext): Promise<void> {
  const before = ctx.clock.now() - KEY_LIFETIME_MS
  const live = await store.liveKeys(ctx.db.read)
  if (live.every((key) => key.createdAt >= before)) return
  await ctx.db.write('passes.retireKeys', (tx) => store.retireKeysBefore(tx, before, ctx.clock.now()))
  await currentKey(ctx)
}

export const rotationJob: Job = { name: 'passes.rotateKey', every: DAY, run: rotateOldKeys }
