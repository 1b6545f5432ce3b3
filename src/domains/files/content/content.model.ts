import { Id, Model, type Static, Text, Time, Type } from '#http/schema.ts'

import { Disposition, Variant } from '../files.model.ts'

/** Seconds that a signed URL can be valid. */
const MIN_SECONDS = 60
const MAX_SECONDS = 86_400
const DEFAULT_SECONDS = 3600

const variant = {
  ...Variant,
  default: 'ORIGINAL' as const,
  description: 'Images have a thumbnail, a WebP of at most 400 × 400',
}
const disposition = {
  ...Disposition,
  default: 'inline' as const,
  description: 'Whether browsers show the file or save it; files other than images are always saved',
}

export const ContentQuery = Type.Object({ variant, disposition })
export type ContentQuery = Static<typeof ContentQuery>

export const ImageQuery = Type.Object({ variant })

export const SignedUrlQuery = Type.Object({
  fileId: Id,
  variant,
  disposition,
  expiresIn: Type.Integer({
    minimum: MIN_SECONDS,
    maximum: MAX_SECONDS,
    default: DEFAULT_SECONDS,
    description: 'Seconds',
  }),
})
export type SignedUrlQuery = Static<typeof SignedUrlQuery>

export const SignedUrl = Model('SignedUrl', {
  url: Text(
    'https://qr.example.org/api/files/7/content?variant=ORIGINAL&disposition=inline&expires=1900000000&signature=s',
  ),
  expiresAt: Time,
})
export type SignedUrl = Static<typeof SignedUrl>
