/** The part of the world that the plane of assets shows: which part holds all of them, and where a position is drawn. */

import { call } from '../../api/client.ts'
import type { DataOf, QueryOf } from '../../api/types.ts'

/** West, south, east and north in degrees. West is greater than east across the date line. */
export type Box = readonly [number, number, number, number]
export type AssetMap = DataOf<'assets.map'>

const WORLD: Box = [-180, -90, 180, 90]
/** Steps from the world to a room: each shows a part that is at least four times smaller. */
const MOST_STEPS = 8
/** Degrees, about 50 m: a single position is shown with its surroundings. */
const LEAST = 0.0005
const METERS_PER_DEGREE = 111_320

const widthOf = ([west, , east]: Box): number => (east < west ? east - west + 360 : east - west)

/** The zoom of a map on which the box is two tiles wide, as the operation counts it. */
const zoomOf = (box: Box): number =>
  Math.min(22, Math.max(0, Math.ceil(Math.log2(360 / Math.max(widthOf(box), LEAST))) + 1))

/** The box of the entries of an answer, with a margin. */
function boxOf({ items, clusters }: AssetMap): Box {
  const boxes = [
    ...items.map(({ longitude, latitude }): Box => [longitude, latitude, longitude, latitude]),
    ...clusters.map(({ bbox }) => bbox as unknown as Box),
  ]
  const [west, south] = [Math.min(...boxes.map(([x]) => x)), Math.min(...boxes.map(([, y]) => y))]
  const [east, north] = [Math.max(...boxes.map(([, , x]) => x)), Math.max(...boxes.map(([, , , y]) => y))]
  const margin = Math.max(LEAST, (east - west) * 0.05, (north - south) * 0.05)
  return [
    Math.max(-180, west - margin),
    Math.max(-90, south - margin),
    Math.min(180, east + margin),
    Math.min(90, north + margin),
  ]
}

export interface Shown {
  readonly map: AssetMap
  readonly box: Box
}

/** Reads the assets of a part of the world, then of the smaller part that holds all of them, until it no longer shrinks. */
export async function readPlane(query: QueryOf<'assets.map'>, start: Box | undefined): Promise<Shown> {
  let box = start ?? WORLD
  for (let step = 1; ; step++) {
    const map = await call('assets.map', { query: { ...query, bbox: box.join(','), zoom: zoomOf(box) } })
    if (map.total === 0) return { map, box }
    const next = boxOf(map)
    // Across the date line the smallest part is not looked for.
    if (step === MOST_STEPS || widthOf(box) > 360 || box[2] < box[0] || map.clusters.length === 0)
      return { map, box: box[2] < box[0] ? box : next }
    if (widthOf(next) > widthOf(box) / 4 && next[3] - next[1] > (box[3] - box[1]) / 4) return { map, box: next }
    box = next
  }
}

export interface Projection {
  readonly at: (longitude: number, latitude: number) => readonly [number, number]
  /** Metres that the width of the plane shows. */
  readonly meters: number
}

/** North is up, and a metre has the same length in both directions. `width` and `height` in pixels. */
export function projection(box: Box, width: number, height: number): Projection {
  const middle = (box[1] + box[3]) / 2
  const stretch = Math.max(0.05, Math.cos((middle * Math.PI) / 180))
  const [dx, dy] = [Math.max(LEAST, widthOf(box)) * stretch, Math.max(LEAST, box[3] - box[1])]
  const scale = Math.min(width / dx, height / dy)
  return {
    at: (longitude, latitude) => {
      const x = longitude < box[0] ? longitude + 360 - box[0] : longitude - box[0]
      return [(x - widthOf(box) / 2) * stretch * scale + width / 2, (middle - latitude) * scale + height / 2]
    },
    meters: (width / scale) * METERS_PER_DEGREE,
  }
}

/** The largest round length of at most a third of the plane: 1, 2 or 5 times a power of ten, in metres. */
export function scaleBar(meters: number): number {
  const power = 10 ** Math.floor(Math.log10(meters / 3))
  return ([5, 2].find((n) => n * power <= meters / 3) ?? 1) * power
}
