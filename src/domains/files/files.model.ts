import { type Static, Type } from '@sinclair/typebox'

import { FILE_ENTITIES, FILE_TYPES } from '#db/schema/files.ts'
import { Enum, Id, Model, Nullable, Text, Time } from '#http/schema.ts'

/** Seconds that the addresses in answers are valid at least; they end at the next full hour after that, so that lists repeat them. */
export const URL_SECONDS = 3600

export const Variant = Enum(['ORIGINAL', 'THUMBNAIL'] as const)
export type Variant = Static<typeof Variant>

/** `inline` holds for images only; every other file is an attachment. */
export const Disposition = Enum(['inline', 'attachment'] as const)
export type Disposition = Static<typeof Disposition>

/** `File` would be `java.io.File` in Kotlin and Java. */
export const FileView = Model('StoredFile', {
  id: Id,
  type: Enum(FILE_TYPES),
  name: Text('receipt.pdf'),
  mime: Text('image/jpeg'),
  size: Type.Integer({ minimum: 0, description: 'Bytes' }),
  width: Nullable(Type.Integer({ description: 'Pixels, for images' })),
  height: Nullable(Type.Integer()),
  sha256: Type.String({
    examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
    description: 'Of the stored bytes, in hex',
  }),
  url: Text(
    'https://qr.example.org/api/files/7/content?variant=ORIGINAL&disposition=inline&expires=1900000000&signature=s',
  ),
  thumbnailUrl: Nullable(
    Text(
      'https://qr.example.org/api/files/7/content?variant=THUMBNAIL&disposition=inline&expires=1900000000&signature=s',
    ),
  ),
  storage: Enum(['LOCAL', 'OSS'] as const),
  entityType: Nullable(Enum(FILE_ENTITIES)),
  entityId: Nullable(Id),
  orgId: Nullable(Id),
  uploaderId: Id,
  createdAt: Time,
})
export type FileView = Static<typeof FileView>

/** A field of users and organizations. */
export const AvatarFileId = {
  ...Id,
  description:
    'An image that you have uploaded, as `type` `avatar` for yourself or `org` for an organization; null clears the picture',
}
