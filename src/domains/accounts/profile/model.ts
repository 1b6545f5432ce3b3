import { Line, Model, Nullable, Raw, type Static, Type } from '#http/schema.ts'

import { NICKNAME_MAX, SIGNATURE_MAX } from '../limits.ts'

export const ProfileChange = Model('UpdateProfile', {
  nickname: Type.Optional(
    Nullable(
      Line(NICKNAME_MAX, 0, {
        description: 'null leaves it unchanged, an empty text clears it',
        examples: ['Lin Mei'],
      }),
    ),
  ),
  signature: Type.Optional(
    Nullable(
      Line(SIGNATURE_MAX, 0, {
        description: 'null leaves it unchanged, an empty text clears it',
        examples: ['Paper, tiles and tea'],
      }),
    ),
  ),
  avatarUrl: Type.Optional(
    Nullable(
      Line(500, 0, {
        pattern: '^$|^https?://[^\\s"<>]+$|^/[^/\\s"<>][^\\s"<>]*$',
        description: 'http, https or a path on this server; null or an empty text clears it',
        examples: ['https://example.com/mei.png'],
      }),
    ),
  ),
})
export type ProfileChange = Static<typeof ProfileChange>

/** Checked by the service: too long or empty is answered like any other bad username. */
export const Username = Model('SetUsername', { username: Raw(200, 0, { examples: ['lin.mei'] }) })

const Count = Type.Integer({ minimum: 0 })
const Quota = (description: string) =>
  Type.Object({ used: Count, limit: Type.Integer({ minimum: 0, description: '0 = unlimited' }) }, { description })

export const Quotas = Model('Quotas', {
  storage: Quota('Bytes of one’s own files'),
  qrCodes: Quota('One’s own QR codes'),
  uploadMaxBytes: Type.Integer({ minimum: 1 }),
  uploadTypes: Type.Array(Type.String({ examples: ['image/png'] })),
})
export type Quotas = Static<typeof Quotas>
