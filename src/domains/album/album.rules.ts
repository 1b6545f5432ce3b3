/** Decisions about photos. Pure. */

import type { albumPhotos } from '#db/schema/album.ts'
import type { Capture } from '#db/schema/files.ts'
import { HOUR } from '#platform/clock.ts'

import type { AddPhoto, ChangePhoto, PhotosQuery } from './album.model.ts'

/** The columns of a new photo that a request decides. */
export type NewPhoto = Pick<
  typeof albumPhotos.$inferInsert,
  'qrCodeId' | 'takenAt' | 'latitude' | 'longitude' | 'address' | 'watermark'
>

/** Given values win over those of the EXIF data. The position is taken from one of them, never half of it from each. */
export function newPhoto(input: AddPhoto, capture: Capture | null): NewPhoto {
  const isGiven = input.latitude != null && input.longitude != null
  const { latitude, longitude } = isGiven ? input : (capture ?? { latitude: null, longitude: null })
  return {
    qrCodeId: input.qrCodeId ?? null,
    takenAt: input.takenAt ?? capture?.takenAt ?? null,
    latitude: latitude ?? null,
    longitude: longitude ?? null,
    address: input.address || null,
    watermark: input.watermark ?? null,
  }
}

/** The columns of a photo that a device can change. */
export type PhotoChange = Partial<NewPhoto>

/** The values of the request that the photo does not have yet. */
export function photoChange(photo: NewPhoto, { address, ...input }: ChangePhoto): PhotoChange {
  const wanted = { ...input, ...(address !== undefined && { address: address || null }) }
  return Object.fromEntries(
    Object.entries(wanted).filter(([name, value]) => {
      const before = photo[name as keyof NewPhoto]
      return value !== undefined && value !== before && !Bun.deepEquals(value, before)
    }),
  )
}

/** Whether the query asks for all photos of the list, in any order. */
export const isUnfiltered = (query: PhotosQuery): boolean =>
  query.from === undefined && query.to === undefined && query.hasLocation === undefined && !query.keyword

/**
 * Photos that a user may add. The storage quota alone would allow millions of tiny images, and each is a row in the lists of others too;
 * a camera adds a few a minute, and the first transfer of a phone's album some hundreds an hour.
 */
export const PHOTO_BUDGET = {
  name: 'album photos',
  counts: { en: 'new photos', zh: '新照片' },
  per: 'user',
  limit: 2000,
  windowMs: HOUR,
} as const
