/** The values in the form of a design, and the request that saves them. */

import type { QrCodeDesign } from '../../../api/types.ts'

/** The visible part of a design. */
export type LookValues = Pick<
  QrCodeDesign,
  'fg' | 'bg' | 'margin' | 'level' | 'modules' | 'eyes' | 'eyeColor' | 'gradient' | 'logo' | 'frame'
>

export interface Values {
  readonly name: string
  readonly look: LookValues
  readonly isDefault: boolean
}

export const PLAIN: LookValues = {
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

export function valuesOf(design: QrCodeDesign | undefined): Values {
  if (design === undefined) return { name: '', look: PLAIN, isDefault: false }
  const { fg, bg, margin, level, modules, eyes, eyeColor, gradient, logo, frame, name, isDefault } = design
  return { name, isDefault, look: { fg, bg, margin, level, modules, eyes, eyeColor, gradient, logo, frame } }
}

/** The look as requests have it, without addresses. */
export const bodyOf = (look: LookValues) => ({
  ...look,
  logo: look.logo && { fileId: look.logo.fileId, size: look.logo.size, plate: look.logo.plate },
  frame: look.frame && {
    position: look.frame.position,
    text: look.frame.text,
    textFileId: look.frame.textFileId,
    color: look.frame.color,
  },
})

/** Colours on which white words are hard to read get black ones. */
export function wordColor(frame: string): string {
  const [r, g, b] = [0, 2, 4].map((at) => Number.parseInt(frame.slice(at, at + 2), 16))
  return 0.299 * r! + 0.587 * g! + 0.114 * b! > 150 ? '#000000' : '#ffffff'
}
