/** GEO: a place in degrees (WGS 84), with an address and the accuracy in metres if they are known. */

import { filledFilter, isProblem, line, part, type Problem, type TypeRules } from './types.model.ts'

interface Place {
  readonly latitude: number
  readonly longitude: number
  readonly address?: string
  readonly accuracy?: number
}

const MAX_ADDRESS = 200
/** Half of the equator, in metres. */
const MAX_ACCURACY = 20_037_509

const notAPlace: Problem = {
  en: 'must be an object with latitude and longitude',
  zh: '必须是包含 latitude 和 longitude 的对象',
}
const outside = (name: string, max: number): Problem => ({
  en: `must have a ${name} between -${max} and ${max}`,
  zh: `${name} 须在 -${max} 至 ${max} 之间`,
})
const badAccuracy: Problem = { en: 'must have an accuracy in metres, from 0', zh: 'accuracy 须为不小于 0 的米数' }

const isWithin = (value: unknown, max: number): value is number =>
  typeof value === 'number' && Number.isFinite(value) && Math.abs(value) <= max

function placeOf(value: unknown): Place | Problem {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return notAPlace
  const { latitude, longitude, address, accuracy } = value as Record<string, unknown>
  if (latitude == null || longitude == null) return notAPlace
  if (!isWithin(latitude, 90)) return outside('latitude', 90)
  if (!isWithin(longitude, 180)) return outside('longitude', 180)
  const text = address == null || address === '' ? '' : line(MAX_ADDRESS)(address)
  if (isProblem(text)) return { en: `has an address that ${text.en}`, zh: `address ${text.zh}` }
  if (accuracy != null && (!isWithin(accuracy, MAX_ACCURACY) || accuracy < 0)) return badAccuracy
  return {
    // Without negative zero.
    latitude: latitude + 0,
    longitude: longitude + 0,
    ...(text !== '' && { address: text as string }),
    ...(accuracy != null && { accuracy: (accuracy as number) + 0 }),
  }
}

const DEGREES = String.raw`([+-]?\d{1,3}(?:\.\d{1,25})?(?:e-\d{1,3})?)`
const COORDINATES = new RegExp(`^${DEGREES}\\s*[,，;]\\s*${DEGREES}$`, 'i')

export const GEO: TypeRules = {
  config: {},
  stores: 'text',
  parse(_, value) {
    const place = placeOf(value)
    return isProblem(place) ? place : [part({ text: JSON.stringify(place) })]
  },
  value: (_, [stored]) => JSON.parse(stored!.text!) as Place,
  toText(_, value) {
    const { latitude, longitude } = value as Place
    return `${latitude}, ${longitude}`
  },
  fromText(_, cell) {
    const [, latitude, longitude] = COORDINATES.exec(String(cell).trim()) ?? []
    return latitude === undefined ? cell : { latitude: Number(latitude), longitude: Number(longitude) }
  },
  filter: (_, given) => filledFilter(given),
}
