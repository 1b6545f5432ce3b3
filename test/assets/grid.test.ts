/** The grid of the map. Random tests name their seed: `SEED=<n> bun test test/assets/grid.test.ts`. */

import { describe, expect, test } from 'bun:test'

import {
  boxOf,
  cellAt,
  cellOf,
  cellsOf,
  cellsWithin,
  DEEPEST,
  gridOf,
  isIn,
  levelFor,
  LEVELS,
  parseBoxes,
  placeOf,
  WORLD,
} from '#domains/assets/grid.rules.ts'

import { randomFrom, SEED } from './random.ts'

const random = randomFrom(SEED)
const position = () => [random() * 180 - 90, random() * 360 - 180] as const

describe(`the grid (SEED=${SEED})`, () => {
  test('a cell contains four cells of the next level, and all positions in it', () => {
    for (let i = 0; i < 2000; i++) {
      const deepest = cellOf(...position())
      expect(deepest).toBeLessThan(4 ** DEEPEST)
      const level = Math.floor(random() * DEEPEST)
      const cell = cellAt(level, deepest)
      const [first, last] = cellsWithin(level, cell, level + 1)
      expect(last - first).toBe(3)
      const next = cellAt(level + 1, deepest)
      expect(next >= first && next <= last).toBe(true)
      expect(cellAt(level, next, level + 1)).toBe(cell)
    }
  })

  test('the box of a cell contains exactly the positions of the cell, also at its sides', () => {
    for (let i = 0; i < 2000; i++) {
      const [latitude, longitude] = position()
      const level = Math.floor(random() * (DEEPEST + 1))
      const cell = cellAt(level, cellOf(latitude, longitude))
      const box = boxOf(level, cell)
      expect(isIn(box, latitude, longitude)).toBe(true)
      for (const [lat, long] of [
        [box.south, box.west],
        [box.north, box.east],
      ] as const)
        expect(cellAt(level, cellOf(lat, long))).toBe(cell)
      for (const [lat, long] of [
        [next(box.north), box.west],
        [-next(-box.south), box.west],
        [box.south, next(box.east)],
        [box.south, -next(-box.west)],
      ] as const)
        if (Math.abs(lat) <= 90 && Math.abs(long) <= 180) expect(cellAt(level, cellOf(lat, long))).not.toBe(cell)
    }
  })

  test('poles and the date line are in the outermost cells', () => {
    for (const [latitude, longitude] of [
      [90, 180],
      [-90, -180],
      [90, -180],
      [-90, 180],
    ] as const) {
      const cell = cellOf(latitude, longitude)
      const { west, south, east, north } = boxOf(1, cellAt(1, cell))
      expect([south === -90 ? -90 : 90, west === -180 ? -180 : 180]).toEqual([latitude, longitude])
      expect([north, east]).toEqual([
        latitude === 90 ? 90 : expect.any(Number),
        longitude === 180 ? 180 : expect.any(Number),
      ])
    }
  })

  test('a cell inside a box holds only positions in the box, and one outside none', () => {
    for (let i = 0; i < 500; i++) {
      const [[a, b], [c, d]] = [position(), position()]
      const box = { south: Math.min(a, c), north: Math.max(a, c), west: Math.min(b, d), east: Math.max(b, d) }
      const level = Math.floor(random() * 8)
      const grid = gridOf(box, level)
      const cells = cellsOf(grid)
      for (const cell of cells) expect(placeOf(cell, grid)).not.toBe('outside')
      for (let j = 0; j < 20; j++) {
        const [latitude, longitude] = position()
        const cell = cellAt(level, cellOf(latitude, longitude))
        const place = placeOf(cell, grid)
        expect(cells.includes(cell)).toBe(place !== 'outside')
        if (place !== 'partly') expect(isIn(box, latitude, longitude)).toBe(place === 'inside')
      }
    }
  })
})

const buffer = new DataView(new ArrayBuffer(8))
/** The next greater number. */
function next(n: number): number {
  buffer.setFloat64(0, n)
  buffer.setBigInt64(0, buffer.getBigInt64(0) + (n < 0 ? -1n : 1n))
  return buffer.getFloat64(0)
}

describe('levels', () => {
  test('the view has at most 400 cells at any zoom, and smaller cells at a higher zoom', () => {
    for (let zoom = 0; zoom <= 22; zoom++) {
      const level = levelFor([WORLD], zoom)
      expect(4 ** level).toBeLessThanOrEqual(400)
      expect(level).toBe(Math.min(zoom + 2, 4))
      expect(levelFor([{ west: 0, south: 0, east: 0, north: 0 }], zoom)).toBe(Math.min(zoom + 2, DEEPEST))
    }
  })

  test('counts are kept of levels two apart, down to the deepest', () => {
    expect(LEVELS.at(-1)).toBe(DEEPEST)
    expect([...LEVELS]).toEqual(LEVELS.map((_, i) => 3 + 2 * i))
  })
})

describe('bbox', () => {
  test('a box that crosses the date line becomes two boxes', () => {
    expect(parseBoxes('170,-10,-170,10')).toEqual([
      { west: 170, south: -10, east: 180, north: 10 },
      { west: -180, south: -10, east: -170, north: 10 },
    ])
    expect(parseBoxes(' 1, 2,3.5 ,4e0')).toEqual([{ west: 1, south: 2, east: 3.5, north: 4 }])
    expect(parseBoxes('-180,-90,180,90')).toEqual([WORLD])
  })

  for (const bbox of [
    '1,2,3',
    '1,2,3,4,5',
    'a,b,c,d',
    '1,,3,4',
    '0,5,1,4',
    '-181,0,0,1',
    '0,0,1,91',
    'NaN,0,1,1',
    '0x1,0,1,1',
    'Infinity,0,1,1',
    ',',
  ])
    test(`the box ${bbox} is malformed`, () => expect(parseBoxes(bbox)).toBeUndefined())
})
