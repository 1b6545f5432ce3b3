/** Passkeys of this browser (WebAuthn): the interface has bytes as base64url in JSON, browsers have them as buffers. */

import { call } from '../api/client.ts'
import type { BodyOf } from '../api/types.ts'

/** Browsers offer passkeys to pages by https, and to those of this computer, if their host is a name and not an address. */
export const canUsePasskeys = (): boolean =>
  'PublicKeyCredential' in window && window.isSecureContext && !/^[\d.]+$|:/.test(location.hostname)

/** Whether the browser can offer passkeys in a field of a page. */
export const canOfferInField = async (): Promise<boolean> =>
  canUsePasskeys() && (await PublicKeyCredential.isConditionalMediationAvailable?.()) === true

const bytes = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.codePointAt(0)!)
const encoded = (buffer: ArrayBuffer): string =>
  btoa(String.fromCodePoint(...new Uint8Array(buffer)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

/** The user closed the question of the browser, took too long, or has no fitting passkey: browsers do not say which. */
export const wasDismissed = (error: unknown): boolean =>
  error instanceof DOMException && (error.name === 'NotAllowedError' || error.name === 'AbortError')

export type PasskeyAnswer = NonNullable<BodyOf<'auth.confirm'>['passkey']>

interface Question {
  /** Offers passkeys in the field for the name instead of asking at once. */
  readonly inField?: AbortSignal
  /** False for a second factor: the authenticator need not check its user. */
  readonly isAlone?: boolean
}

/** Asks the user for a passkey. @throws DOMException if the user has none or does not want to (`wasDismissed`) */
export async function askPasskey({ inField, isAlone = false }: Question = {}): Promise<PasskeyAnswer> {
  const { challengeId, publicKey } = await call('auth.passkeyOptions')
  const asked = {
    challenge: bytes(publicKey.challenge),
    rpId: publicKey.rpId,
    timeout: publicKey.timeout,
    userVerification: isAlone ? publicKey.userVerification : ('preferred' as const),
  }
  const found = (await navigator.credentials.get({
    publicKey: asked,
    ...(inField && { mediation: 'conditional' as const, signal: inField }),
  })) as PublicKeyCredential
  const response = found.response as AuthenticatorAssertionResponse
  return {
    challengeId,
    credential: {
      id: found.id,
      rawId: found.id,
      type: 'public-key',
      response: {
        clientDataJSON: encoded(response.clientDataJSON),
        authenticatorData: encoded(response.authenticatorData),
        signature: encoded(response.signature),
        userHandle: response.userHandle === null ? null : encoded(response.userHandle),
      },
    },
  }
}

/** Makes a passkey on this device, or on another one that the browser offers. */
export async function makePasskey(): Promise<BodyOf<'passkeys.create'>> {
  const { challengeId, publicKey } = await call('passkeys.options')
  const made = (await navigator.credentials.create({
    publicKey: {
      ...publicKey,
      challenge: bytes(publicKey.challenge),
      user: { ...publicKey.user, id: bytes(publicKey.user.id) },
      excludeCredentials: publicKey.excludeCredentials.map(({ id, type, transports }) => ({
        id: bytes(id),
        type,
        transports: transports as AuthenticatorTransport[],
      })),
    },
  })) as PublicKeyCredential
  const response = made.response as AuthenticatorAttestationResponse
  const { credProps } = made.getClientExtensionResults()
  return {
    challengeId,
    credential: {
      id: made.id,
      rawId: made.id,
      type: 'public-key',
      response: {
        clientDataJSON: encoded(response.clientDataJSON),
        attestationObject: encoded(response.attestationObject),
        transports: response.getTransports?.() ?? [],
      },
      ...(credProps?.rk !== undefined && { clientExtensionResults: { credProps: { rk: credProps.rk } } }),
    },
  }
}
