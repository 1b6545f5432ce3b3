/** Sheets of labels: paper, grid, and the place of each label in millimetres. */

import type { ComponentType } from 'react'

import type { QrStyle } from '../QrPicture.tsx'

/** Width and height in millimetres. */
export const PAPERS = { A4: [210, 297], LETTER: [215.9, 279.4] } as const
export type Paper = keyof typeof PAPERS

/** Columns × rows, and the width of the unprinted border that printers need or that the sheets of labels have. */
export const GRIDS = {
  '1x1': { columns: 1, rows: 1, border: [15, 15] },
  '2x2': { columns: 2, rows: 2, border: [10, 10] },
  '2x4': { columns: 2, rows: 4, border: [5, 13] },
  '3x7': { columns: 3, rows: 7, border: [7, 15] },
  '3x8': { columns: 3, rows: 8, border: [0, 0] },
  '4x10': { columns: 4, rows: 10, border: [8, 13] },
  '5x13': { columns: 5, rows: 13, border: [5, 11] },
} as const
export type Grid = keyof typeof GRIDS

/** A code to print, with texts below or beside it. */
export interface Label {
  readonly content: string
  readonly style?: QrStyle | undefined
  /** Address of the picture of a code with a design. */
  readonly url?: string | undefined
  /** Its name, for those who cannot see the picture. */
  readonly name: string
  /** The first one is bold. Empty ones are left out. */
  readonly lines: readonly string[]
}

/** A text that people may print with the code. */
export interface Part<Thing> {
  readonly id: string
  readonly label: string
  /** Printed until the user says otherwise. */
  readonly isChosen: boolean
  readonly of: (thing: Thing) => string
}

/** How things become labels. */
export interface Printing<Thing> {
  readonly parts: readonly Part<Thing>[]
  readonly label: (thing: Thing) => Omit<Label, 'lines'>
  /** Above the button: why these labels could be useless on paper. */
  readonly Warnings: ComponentType<{ things: readonly Thing[] }>
}

export interface Sheet {
  readonly paper: Paper
  readonly grid: Grid
  /** Labels that are already used on the first sheet. */
  readonly skip: number
}

/** Size of a label in millimetres. */
export function labelSize({ paper, grid }: Sheet): { width: number; height: number } {
  const [width, height] = PAPERS[paper]
  const { columns, rows, border } = GRIDS[grid]
  return { width: (width - 2 * border[0]) / columns, height: (height - 2 * border[1]) / rows }
}

export const labelsPerSheet = (grid: Grid): number => GRIDS[grid].columns * GRIDS[grid].rows

/** The labels of each sheet; undefined stays empty. */
export function sheetsOf<T>(labels: readonly T[], { grid, skip }: Sheet): (T | undefined)[][] {
  const size = labelsPerSheet(grid)
  const all = [...Array.from({ length: Math.min(skip, size - 1) }, () => undefined), ...labels]
  const sheets: (T | undefined)[][] = []
  for (let at = 0; at < all.length; at += size) sheets.push(all.slice(at, at + size))
  return sheets
}
