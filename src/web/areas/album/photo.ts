/** Facts of a photo as pages show them. */

import type { AlbumPhoto } from '../../api/types.ts'

/** The time by which the list is sorted. */
export const timeOf = (photo: AlbumPhoto): number => photo.takenAt ?? photo.createdAt

/** The texts of the watermark, in their order. Other values are for the app that drew it. */
export const watermarkTexts = (photo: AlbumPhoto): string[] =>
  Object.values(photo.watermark ?? {}).filter((value): value is string => typeof value === 'string' && value !== '')
