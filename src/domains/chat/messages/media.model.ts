import { Enum, type Static, Type } from '#http/schema.ts'

export const MediaQuery = Type.Object({
  variant: {
    ...Enum(['ORIGINAL', 'THUMBNAIL'] as const),
    default: 'ORIGINAL' as const,
    description: 'Images, and videos that were sent with one, have a thumbnail, a WebP of at most 400 × 400',
  },
})
export type MediaQuery = Static<typeof MediaQuery>
