/** How a code looks: colours, shapes, a logo in the middle, and a frame with words. */

import type { Level } from '../spec.ts'

export const MODULES = ['SQUARE', 'ROUNDED', 'DOTS'] as const
export const EYES = ['SQUARE', 'ROUNDED', 'CIRCLE'] as const
export const GRADIENTS = ['LINEAR', 'RADIAL'] as const
export const PLATES = ['NONE', 'SQUARE', 'CIRCLE'] as const
export const POSITIONS = ['BELOW', 'ABOVE'] as const

export interface Gradient {
  readonly type: (typeof GRADIENTS)[number]
  /** The colour at its end; it begins with `fg`. */
  readonly to: string
  /** Of a linear one, in degrees: 0 runs to the right, 90 downwards. */
  readonly angle: number
}

export interface LogoLook {
  /** Of the larger side, in percent of the code's side without its margin. 10–25. */
  readonly size: number
  /** The light ground beneath the logo: as large as the logo, the square around it, or the circle around it. */
  readonly plate: (typeof PLATES)[number]
  /** Width divided by height. */
  readonly aspect: number
}

export interface FrameLook {
  readonly position: (typeof POSITIONS)[number]
  /** The words of the strip, for those who cannot see it. */
  readonly text: string
  /** Null: `fg`. */
  readonly color: string | null
  /** Size of the picture with the words, in any unit. Null: the frame is a bar without words. */
  readonly strip: { readonly width: number; readonly height: number } | null
}

/** Colours are six hex digits. */
export interface Look {
  readonly fg: string
  readonly bg: string
  /** Light modules around the code, 2–10. */
  readonly margin: number
  /** Null: chosen by `levelOf`. */
  readonly level: Level | null
  readonly modules: (typeof MODULES)[number]
  readonly eyes: (typeof EYES)[number]
  /** Null: as the modules. */
  readonly eyeColor: string | null
  readonly gradient: Gradient | null
  readonly logo: LogoLook | null
  readonly frame: FrameLook | null
}

/** A code without a design. */
export const PLAIN: Look = {
  fg: '000000',
  bg: 'ffffff',
  margin: 4,
  level: null,
  modules: 'SQUARE',
  eyes: 'SQUARE',
  eyeColor: null,
  gradient: null,
  logo: null,
  frame: null,
}
