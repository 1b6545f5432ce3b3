/** How labels look: medium, code, texts, and the corrections of a printer. */

import type { Level } from '../qr/spec.ts'
import type { Media } from './media.ts'

export const SYMBOLOGIES = ['QR', 'DATA_MATRIX', 'CODE_128'] as const
export const CONTENTS = ['LINK', 'NUMBER'] as const
/** Of the code: left of the texts, above them, or without texts. Code 128 is never left of them, because it is too wide. */
export const PLACEMENTS = ['LEFT', 'TOP', 'ONLY'] as const
export const FORMATS = ['PDF', 'SVG', 'PNG', 'ZPL'] as const
export type Format = (typeof FORMATS)[number]
/** Degrees by which the contents are turned, clockwise. */
export const ROTATIONS = [0, 90] as const
export const RESOLUTIONS = [203, 300, 600] as const
export type Dpi = (typeof RESOLUTIONS)[number]

export interface LabelProfile {
  readonly media: Media
  readonly symbology: (typeof SYMBOLOGIES)[number]
  readonly level: Level
  readonly placement: (typeof PLACEMENTS)[number]
  /** Whether there is a frame around each label. */
  readonly border: boolean
  readonly rotate: (typeof ROTATIONS)[number]
  /** Millimetres by which a printer is off. */
  readonly offsetX: number
  readonly offsetY: number
  readonly scaleX: number
  readonly scaleY: number
}

/** The code and the texts of one label. */
export interface LabelContents {
  /** Of the code. */
  readonly content: string
  /** Without empty ones. The first is bold. */
  readonly texts: readonly string[]
}
