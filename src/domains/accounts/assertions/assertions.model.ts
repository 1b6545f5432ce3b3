import { Enum, Model, Nullable, Raw, type Static, Text, Type } from '#http/schema.ts'

/** Base64url, as browsers encode bytes in JSON. `max`: characters. */
const Bytes = (max: number, description: string, example: string) =>
  Raw(max, 1, { pattern: '^[A-Za-z0-9_-]+=*$', description, examples: [example] })

/** Authenticators use up to 1,023 bytes. */
const CredentialId = Bytes(1400, 'The id that the authenticator gave the passkey', 'Hq9m2Zt0a1b2c3d4e5f6Zw')
const CLIENT_DATA = 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0'

export const ChallengeId = Raw(200, 1, {
  description: 'As the options had it. It works once and for 5 minutes',
  examples: ['mipv3k8g.Zk3q0sJ9xW7vT2bN5yLrAeHc8uGdPmKf4iOa1nQwXEo'],
})

const common = {
  id: CredentialId,
  rawId: CredentialId,
  type: Enum(['public-key']),
  authenticatorAttachment: Type.Optional(Nullable(Raw(40, 0, { examples: ['platform'] }))),
}

/** The result of `PublicKeyCredential.toJSON()` after `navigator.credentials.get()`. */
const AssertedCredential = Model('AssertedCredential', {
  ...common,
  response: Model('AssertionResponse', {
    clientDataJSON: Bytes(8000, 'Challenge and origin, as the browser wrote them', CLIENT_DATA),
    authenticatorData: Bytes(
      8000,
      'Party, flags and counter of the authenticator',
      'SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAQ',
    ),
    signature: Bytes(4000, 'Of both', 'MEUCIQDx'),
    userHandle: Type.Optional(
      Nullable(Raw(200, 0, { description: 'Of the user', examples: ['b3JhbmdlcyBhcmUgcm91bmQ'] })),
    ),
  }),
})

export const PasskeyAssertion = Model(
  'PasskeyAssertion',
  { description: 'A passkey’s answer to a challenge of `POST /api/auth/passkey-login/options`' },
  { challengeId: ChallengeId, credential: AssertedCredential },
)
export type PasskeyAssertion = Static<typeof PasskeyAssertion>

/** The same after `navigator.credentials.create()`. */
const CreatedCredential = Model('CreatedCredential', {
  ...common,
  response: Model('AttestationResponse', {
    clientDataJSON: Bytes(8000, 'Challenge and origin, as the browser wrote them', CLIENT_DATA),
    attestationObject: Bytes(40_000, 'The public key, and what the authenticator says about itself', 'o2NmbXRkbm9uZQ'),
    transports: Type.Optional(
      Nullable(
        Type.Array(Raw(20, 1, { examples: ['internal'] }), {
          maxItems: 10,
          description: 'How the browser reaches the authenticator',
        }),
      ),
    ),
  }),
  clientExtensionResults: Type.Optional(
    Type.Object({
      credProps: Type.Optional(
        Type.Object({
          rk: Type.Optional(Type.Boolean({ description: 'Whether the authenticator keeps the passkey itself' })),
        }),
      ),
    }),
  ),
})

export const PasskeyCreation = { challengeId: ChallengeId, credential: CreatedCredential }
export interface PasskeyCreation {
  readonly challengeId: string
  readonly credential: Static<typeof CreatedCredential>
}

const Challenge = Text('nYk2vK0m5rZf9Q1cXw3aB7dE8gH4jLpS6tU0yV2iN-o', { description: '32 random bytes, base64url' })
const Verification = Enum(['required', 'preferred', 'discouraged'])
const Descriptor = Type.Object({
  id: Text('Hq9m2Zt0a1b2c3d4e5f6Zw'),
  type: Enum(['public-key']),
  transports: Type.Array(Text('internal')),
})

export const PasskeyCreationOptions = Model('PasskeyCreationOptions', {
  challengeId: ChallengeId,
  publicKey: Model(
    'PublicKeyCredentialCreationOptionsJSON',
    { description: 'For `PublicKeyCredential.parseCreationOptionsFromJSON()`' },
    {
      rp: Type.Object({ id: Text('tessera.example.org'), name: Text('Tessera') }),
      user: Type.Object({
        id: Text('b3JhbmdlcyBhcmUgcm91bmQ'),
        name: Text('lin.mei'),
        displayName: Text('Lin Mei'),
      }),
      challenge: Challenge,
      pubKeyCredParams: Type.Array(
        Type.Object({
          type: Enum(['public-key']),
          alg: Type.Integer({ description: 'COSE algorithm', examples: [-7] }),
        }),
      ),
      timeout: Type.Integer({ description: 'Milliseconds', examples: [300_000] }),
      attestation: Enum(['none']),
      excludeCredentials: Type.Array(Descriptor, { description: 'The passkeys that you have' }),
      authenticatorSelection: Type.Object({
        residentKey: Enum(['preferred']),
        requireResidentKey: Type.Boolean(),
        userVerification: Verification,
      }),
      extensions: Type.Object({ credProps: Type.Boolean() }),
    },
  ),
})
export type PasskeyCreationOptions = Static<typeof PasskeyCreationOptions>

export const PasskeyRequestOptions = Model('PasskeyRequestOptions', {
  challengeId: ChallengeId,
  publicKey: Model(
    'PublicKeyCredentialRequestOptionsJSON',
    { description: 'For `PublicKeyCredential.parseRequestOptionsFromJSON()`' },
    {
      challenge: Challenge,
      rpId: Text('tessera.example.org'),
      timeout: Type.Integer({ description: 'Milliseconds', examples: [300_000] }),
      allowCredentials: Type.Array(Descriptor, {
        description: 'Always empty: the authenticator finds the passkey by the name of the server',
      }),
      userVerification: Verification,
    },
  ),
})
export type PasskeyRequestOptions = Static<typeof PasskeyRequestOptions>
