/** Reasons why a design cannot be read that are known without reading its picture, and measures of its prints. */

import { contrast } from '../../colors.ts'
import type { Look } from './look.ts'
import { type DesignSymbol } from './symbol.ts'

/** `UNREADABLE` is found by reading the picture. */
export const PROBLEMS = ['CONTRAST', 'INVERTED', 'QUIET_ZONE', 'LEVEL', 'LOGO_TOO_LARGE', 'UNREADABLE'] as const
export type ProblemCode = (typeof PROBLEMS)[number]

/** `path`: the field of the look that is to blame, without a prefix; empty for the content. */
export interface Problem {
  readonly code: ProblemCode
  readonly path: string
}

export const LEAST_CONTRAST = 4
export const LEAST_MARGIN = 2
/** Percent of the correction capacity of each block. */
export const LEAST_SPARE = 25

/** The problems of the look alone. */
export function lookProblems(look: Look): Problem[] {
  const problems: Problem[] = []
  const darks = [
    ['fg', look.fg],
    ['gradient.to', look.gradient?.to],
    ['eyeColor', look.eyeColor],
  ] as const
  for (const [path, color] of darks) {
    if (color == null) continue
    const isDarker = contrast(`#${color}`, '#ffffff') > contrast(`#${look.bg}`, '#ffffff')
    if (!isDarker) problems.push({ code: 'INVERTED', path })
    else if (contrast(`#${color}`, `#${look.bg}`) < LEAST_CONTRAST) problems.push({ code: 'CONTRAST', path })
  }
  if (look.margin < LEAST_MARGIN) problems.push({ code: 'QUIET_ZONE', path: 'margin' })
  if (look.logo !== null && (look.level === 'L' || look.level === 'M')) problems.push({ code: 'LEVEL', path: 'level' })
  return problems
}

/** The problems of the look with a content. */
export const symbolProblems = ({ spare }: DesignSymbol): Problem[] =>
  spare < LEAST_SPARE ? [{ code: 'LOGO_TOO_LARGE', path: 'logo.size' }] : []

/** Below, phones of some years ago cannot tell the modules apart. */
export const LEAST_MODULE_MM = 0.33

export const moduleMm = (side: number, margin: number, widthMm: number): number => widthMm / (side + 2 * margin)

/** From how far the code can be read about, in millimetres, by its outer width. */
export const readableFromMm = (widthMm: number): number => 10 * widthMm
