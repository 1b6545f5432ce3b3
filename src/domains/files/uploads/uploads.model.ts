import { FILE_TYPES } from '#db/schema/files.ts'
import {
  AnyCaseEnum,
  AnyText,
  Enum,
  Id,
  Latitude,
  Longitude,
  Model,
  Nullable,
  Raw,
  type Static,
  Text,
  Time,
  Type,
} from '#http/schema.ts'

import { FileView } from '../files.model.ts'

/** Longest name that a client may send, in UTF-16 units. It is shortened to the 255 bytes of most file systems. */
export const GIVEN_NAME_MAX = 1000
const GivenName = AnyText(GIVEN_NAME_MAX, {
  description: 'Shown to users. The server cleans it, and gives it the extension of the stored type',
  examples: ['Floor plan.txt'],
})

const FileTypeField = Type.Optional(
  AnyCaseEnum(FILE_TYPES, {
    default: 'other',
    description:
      '`avatar`, `album`, `qr_code`, `activity` and `org` take images only (JPEG, PNG, WebP, GIF, HEIC), the others what ' +
      '`uploadTypes` of the quotas lists',
  }),
)

/** Uploads take the organization in the query or in the body. The query counts if both are given. */
const OrgId = Type.Optional(Nullable(Id))

export const UploadForm = Model('UploadFile', {
  type: FileTypeField,
  name: Type.Optional(Nullable(GivenName)),
  orgId: OrgId,
  requestId: Type.Optional(
    Nullable(
      Raw(64, 8, {
        description: 'Chosen by the client. Another upload of yours with the same one is answered with the first file',
        examples: ['0f8fad5b-d9cb-469f-a165-70867728950e'],
      }),
    ),
  ),
})
export type UploadForm = Static<typeof UploadForm>

export const CaptureView = Model('Capture', {
  takenAt: Nullable(Time),
  latitude: Nullable(Latitude),
  longitude: Nullable(Longitude),
})

export const UploadedFile = Model('UploadedFile', {
  ...FileView.properties,
  capture: Nullable(CaptureView),
})
export type UploadedFile = Static<typeof UploadedFile>

export const AskForUpload = Model('AskForUpload', {
  name: GivenName,
  size: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Bytes', examples: [483_112] }),
  type: FileTypeField,
  mime: Type.Optional(
    Nullable(Raw(200, 0, { description: 'Ignored: the type is decided from the bytes', examples: ['image/jpeg'] })),
  ),
  sha256: Type.Optional(
    Nullable(
      Type.String({
        pattern: '^[0-9a-fA-F]{64}$',
        description: 'In hex. The bytes are then checked against it',
        examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
      }),
    ),
  ),
  orgId: OrgId,
})
export type AskForUpload = Static<typeof AskForUpload>

const UploadId = Type.String({ minLength: 1, maxLength: 64, examples: ['m4v0q8x2c6z1b5n9k3j7h0g4'] })

export const UploadTicket = Model('UploadTicket', {
  uploadId: UploadId,
  provider: Enum(['LOCAL', 'S3'] as const),
  method: Enum(['PUT'] as const),
  url: Text('https://qr.example.org/api/files/uploads/m4v0q8x2c6z1b5n9k3j7h0g4?expires=1900000000&signature=s', {
    description: 'Takes the bytes without a token',
  }),
  headers: Type.Record(Type.String(), Type.String(), { description: 'Send them with the bytes' }),
  maxBytes: Type.Integer({ minimum: 1 }),
  expiresAt: Time,
})
export type UploadTicket = Static<typeof UploadTicket>

export const ByUploadId = Type.Object({ uploadId: UploadId })
export const SignedUpload = Type.Object({
  expires: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'Epoch seconds' }),
  signature: Text('Zm9vYmFyYmF6cXV4MTIzNA', { minLength: 1, maxLength: 100 }),
})
export type SignedUpload = Static<typeof SignedUpload>

export const FinishUpload = Model('FinishUpload', {
  uploadId: UploadId,
  name: Type.Optional(Nullable(GivenName)),
})
