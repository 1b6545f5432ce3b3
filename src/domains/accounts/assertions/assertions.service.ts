/** Challenges for passkeys, and the answers of authenticators to them (WebAuthn level 3). */

import type { AppContext } from '#context'
import { siteOf } from '#http/site.ts'
import { secret } from '#platform/ids.ts'

import { passkeyCopied, passkeysUnavailable } from '../accounts.errors.ts'
import type { LoginEvent } from '../login-records/login-records.model.ts'
import { notifyAccountHolder } from '../login-records/login-records.service.ts'
import type {
  PasskeyAssertion,
  PasskeyCreation,
  PasskeyCreationOptions,
  PasskeyRequestOptions,
} from './assertions.model.ts'
import {
  ALGORITHMS,
  answeredChallenge,
  type Challenge,
  CHALLENGE_MS,
  challengeIdOf,
  type Purpose,
  type RelyingParty,
  relyingParty,
} from './assertions.rules.ts'
import {
  findByCredential,
  markSuspect,
  type PasskeyRow,
  passkeysOf,
  recordUse,
  takeChallenge,
} from './assertions.store.ts'

/** Loaded when it is first needed: most servers start more often than somebody uses a passkey for the first time. */
async function webauthn() {
  // Its parts for certificates need it, and in an executable nothing else has loaded it before.
  await import('reflect-metadata')
  return import('@simplewebauthn/server')
}

/** @throws AppError 400 if browsers offer no passkeys at the public URL */
function partyOf(ctx: AppContext): RelyingParty {
  const party = relyingParty(ctx.config.publicUrl)
  if (typeof party === 'string') throw passkeysUnavailable(party)
  return party
}

function newChallenge(ctx: AppContext, purpose: Purpose): { challengeId: string; challenge: string } {
  const challenge = secret()
  return { challenge, challengeId: challengeIdOf(ctx.seal.mac, purpose, challenge, ctx.clock.now() + CHALLENGE_MS) }
}

/** The same for everybody, so that they do not show who has an account. */
export function requestOptions(ctx: AppContext): PasskeyRequestOptions {
  const { id: rpId } = partyOf(ctx)
  const { challengeId, challenge } = newChallenge(ctx, { kind: 'sign-in' })
  const publicKey = {
    challenge,
    rpId,
    timeout: CHALLENGE_MS,
    allowCredentials: [],
    userVerification: 'required',
  } as const
  return { challengeId, publicKey: { ...publicKey, allowCredentials: [] } }
}

/** The id of the user that authenticators keep. It must not show who the user is. */
const userHandleOf = (ctx: AppContext, userId: number): string => ctx.seal.mac(JSON.stringify(['passkey user', userId]))

/** Whose authenticator registers a passkey, in which session. */
interface Registrant {
  readonly userId: number
  readonly sessionId: number
}

export async function creationOptions(
  ctx: AppContext,
  { userId, sessionId }: Registrant,
  { name, displayName }: { readonly name: string; readonly displayName: string },
): Promise<PasskeyCreationOptions> {
  const { id } = partyOf(ctx)
  const { challengeId, challenge } = newChallenge(ctx, { kind: 'registration', userId, sessionId })
  const existing = await passkeysOf(ctx.db.read, userId)
  return {
    challengeId,
    publicKey: {
      rp: { id, name: siteOf(ctx).name },
      user: { id: userHandleOf(ctx, userId), name, displayName },
      challenge,
      pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
      timeout: CHALLENGE_MS,
      attestation: 'none',
      excludeCredentials: existing.map((row) => ({
        id: row.credentialId,
        type: 'public-key',
        transports: row.transports,
      })),
      authenticatorSelection: {
        residentKey: 'preferred',
        requireResidentKey: false,
        userVerification: 'preferred',
      },
      extensions: { credProps: true },
    },
  }
}

/** A verified registration. `challenge` has to be taken in the write that inserts the passkey. */
export interface Registration {
  readonly challenge: Challenge
  readonly passkey: Pick<
    PasskeyRow,
    'credentialId' | 'userHandle' | 'publicKey' | 'counter' | 'transports' | 'backedUp' | 'userVerified'
  >
}

/** Undefined for every answer that is not one to a challenge for this user and session. */
export async function verifyRegistration(
  ctx: AppContext,
  { userId, sessionId }: Registrant,
  { challengeId, credential }: PasskeyCreation,
): Promise<Registration | undefined> {
  const party = partyOf(ctx)
  const clientData = credential.response.clientDataJSON
  const purpose = { kind: 'registration', userId, sessionId } as const
  const challenge = answeredChallenge(ctx.seal.mac, purpose, { challengeId, clientData, now: ctx.clock.now() })
  if (challenge === undefined) return undefined
  const { verifyRegistrationResponse } = await webauthn()
  const { id, rawId, type, response } = credential
  const transports = response.transports ?? []
  const { clientDataJSON, attestationObject } = response
  const found = await orUndefined(
    verifyRegistrationResponse({
      response: { id, rawId, type, response: { clientDataJSON, attestationObject }, clientExtensionResults: {} },
      expectedChallenge: challenge.challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: false,
      supportedAlgorithmIDs: ALGORITHMS,
    }),
  )
  if (!found?.verified || !(await isWholeKey(found.registrationInfo.credential.publicKey))) return undefined
  const { registrationInfo: info } = found
  return {
    challenge,
    passkey: {
      credentialId: info.credential.id,
      userHandle: userHandleOf(ctx, userId),
      publicKey: Buffer.from(info.credential.publicKey).toString('base64url'),
      counter: info.credential.counter,
      transports: [...new Set(transports)],
      backedUp: info.credentialBackedUp,
      userVerified: info.userVerified,
    },
  }
}

/** Whether the key is of the kind that its algorithm needs, which the library finds out only when it has to check a signature. */
async function isWholeKey(publicKey: Uint8Array<ArrayBuffer>): Promise<boolean> {
  const { cose, decodeCredentialPublicKey } = await import('@simplewebauthn/server/helpers')
  const key = decodeCredentialPublicKey(publicKey)
  const alg = key.get(cose.COSEKEYS.alg)
  if (cose.isCOSEPublicKeyOKP(key)) return alg === cose.COSEALG.EdDSA
  return cose.isCOSEPublicKeyEC2(key) ? alg === cose.COSEALG.ES256 : alg === cose.COSEALG.RS256
}

/** The library throws for everything that does not fit. */
const orUndefined = <T>(answer: Promise<T>): Promise<T | undefined> => answer.catch(() => undefined)

/** A passkey of this user answered a challenge, which is used up. */
export interface Assertion {
  readonly userId: number
  readonly passkeyId: number
}

interface Asked {
  /** Only passkeys of this user. */
  readonly userId?: number
  /** Whether the authenticator must have checked its user, as it has to if the passkey is the only factor. */
  readonly userVerification: boolean
}

/**
 * Uses up the challenge, and stores the new counter of the passkey. Undefined for every answer that is not one to a challenge of
 * `requestOptions`, or to one that was used before; then nothing changes.
 * @throws AppError 400 (code 4033) if the counter did not grow: the passkey is suspect from then on, and its user is notified
 */
export async function useAssertion(
  ctx: AppContext,
  { challengeId, credential }: PasskeyAssertion,
  { userId, userVerification }: Asked,
  event: LoginEvent,
): Promise<Assertion | undefined> {
  const now = ctx.clock.now()
  const clientData = credential.response.clientDataJSON
  const challenge = answeredChallenge(ctx.seal.mac, { kind: 'sign-in' }, { challengeId, clientData, now })
  const row = await findByCredential(ctx.db.read, credential.id)
  if (challenge === undefined || row === undefined || (userId !== undefined && row.userId !== userId)) return undefined
  const handle = credential.response.userHandle
  if (handle && handle !== row.userHandle) return undefined
  const signed = await verifySignature(ctx, row, challenge, credential, userVerification)
  if (signed === undefined) return undefined
  const outcome = await ctx.db.write('accounts.useAssertion', async (tx) => {
    if (!(await takeChallenge(tx, challenge))) return 'replayed'
    if (await recordUse(tx, row.id, { ...signed, now })) return 'used'
    if (row.suspect) return 'copied'
    if (!(await markSuspect(tx, row.id))) return 'removed'
    await notifyAccountHolder(ctx, tx, row.userId, event, { kind: 'PASSKEY_SUSPECT', about: { passkey: row.name } })
    return 'copied'
  })
  if (outcome === 'copied') throw passkeyCopied()
  return outcome === 'used' ? { userId: row.userId, passkeyId: row.id } : undefined
}

async function verifySignature(
  ctx: AppContext,
  row: PasskeyRow,
  { challenge }: Challenge,
  { id, rawId, type, response }: PasskeyAssertion['credential'],
  requireUserVerification: boolean,
): Promise<{ counter: number; backedUp: boolean; userVerified: boolean } | undefined> {
  const party = partyOf(ctx)
  const { clientDataJSON, authenticatorData, signature } = response
  const { verifyAuthenticationResponse } = await webauthn()
  const found = await orUndefined(
    verifyAuthenticationResponse({
      response: {
        id,
        rawId,
        type,
        response: { clientDataJSON, authenticatorData, signature },
        clientExtensionResults: {},
      },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      // `recordUse` compares counters. The library would too, but its error does not tell a wrong counter from other faults.
      credential: { id: row.credentialId, publicKey: Buffer.from(row.publicKey, 'base64url'), counter: 0 },
      requireUserVerification,
    }),
  )
  if (!found?.verified) return undefined
  const { newCounter: counter, credentialBackedUp: backedUp, userVerified } = found.authenticationInfo
  return { counter, backedUp, userVerified }
}
