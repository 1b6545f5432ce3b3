/** Reads time, position and orientation from the EXIF data of JPEG, PNG, WebP and HEIC. */

import { type ExpandedTags, type IncludeTagsOptions, loadView } from 'exifreader'

import type { Capture } from './port.ts'

const TAGS: IncludeTagsOptions = {
  exif: [
    'DateTimeOriginal',
    'OffsetTimeOriginal',
    'Orientation',
    'GPSLatitude',
    'GPSLatitudeRef',
    'GPSLongitude',
    'GPSLongitudeRef',
  ],
  gps: true,
}

/** Empty if there is no EXIF data. Damaged EXIF data does not make an image unusable. */
function tagsOf(bytes: Uint8Array): ExpandedTags {
  try {
    return loadView(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), {
      expanded: true,
      includeTags: TAGS,
    })
  } catch {
    return {}
  }
}

/** Null if the file names neither a time nor a position. */
export function captureOf(bytes: Uint8Array): Capture | null {
  const { exif, gps } = tagsOf(bytes)
  const takenAt = timeOf(text(exif?.DateTimeOriginal), text(exif?.OffsetTimeOriginal))
  const latitude = within(gps?.Latitude, 90)
  const longitude = within(gps?.Longitude, 180)
  if (latitude !== null && longitude !== null) return { takenAt, latitude, longitude }
  return takenAt === null ? null : { takenAt, latitude: null, longitude: null }
}

/** 1 to 8, as in EXIF. */
export function orientationOf(bytes: Uint8Array): number {
  const value = tagsOf(bytes).exif?.Orientation?.value
  return typeof value === 'number' && value >= 1 && value <= 8 ? value : 1
}

const text = (tag: { readonly description: string } | undefined): string =>
  typeof tag?.description === 'string' ? tag.description : ''

const within = (degrees: unknown, limit: number): number | null =>
  typeof degrees === 'number' && Math.abs(degrees) <= limit ? degrees : null

const TIME = /^(\d{4}):(\d\d):(\d\d) (\d\d:\d\d:\d\d)/
const OFFSET = /^[+-]\d\d:\d\d$/

/** Epoch milliseconds; null if it is not a time since 1970. Cameras without an offset write the local time, which is read as UTC. */
function timeOf(time: string, offset: string): number | null {
  const found = TIME.exec(time)
  if (found === null) return null
  const [, year, month, day, clock] = found
  const ms = Date.parse(`${year}-${month}-${day}T${clock}${OFFSET.test(offset) ? offset : 'Z'}`)
  return ms >= 0 ? ms : null
}
