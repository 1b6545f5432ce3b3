import { Enum, Model, Nullable, type Static, Text, Time, Type } from '#http/schema.ts'

export const PassKeys = Model('PassKeys', {
  keys: Type.Array(
    Model('PassKey', {
      keyId: Type.Integer({ minimum: 1, maximum: 255, description: 'The second byte of the tokens it signed' }),
      algorithm: Enum(['Ed25519']),
      publicKey: Text('11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo', { description: '32 bytes as base64url' }),
      createdAt: Time,
      retiredAt: Nullable({ ...Time, description: 'When it was replaced. Passes that it signed stay valid' }),
    }),
    { description: 'Oldest first' },
  ),
})
export type PassKeys = Static<typeof PassKeys>
