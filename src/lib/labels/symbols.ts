/** The codes that a content can become. */

import { encodeQr, QrTooLong } from '../qr/encode.ts'
import { code128 } from './code-128.ts'
import { dataMatrices } from './data-matrix.ts'
import type { LabelProfile } from './profile.ts'

export interface CodeSymbol {
  readonly columns: number
  /** 1 for bars. */
  readonly rows: number
  /** Row by row, 1 = dark. */
  readonly dark: Uint8Array
  /** Modules on each side that stay light: as they should be, and as they must be at least. */
  readonly quiet: number
  readonly leastQuiet: number
}

export const isLinear = ({ rows }: CodeSymbol): boolean => rows === 1

/** The forms of a code, of which the layout takes the one that fits best. None if no code can hold the content. */
export function symbolsOf(
  content: string,
  { symbology, level }: Pick<LabelProfile, 'symbology' | 'level'>,
): CodeSymbol[] {
  if (symbology === 'DATA_MATRIX')
    return dataMatrices(content).map((matrix) => ({ ...matrix, quiet: 2, leastQuiet: 1 }))
  if (symbology === 'CODE_128') {
    const dark = code128(content)
    return dark === undefined ? [] : [{ columns: dark.length, rows: 1, dark, quiet: 10, leastQuiet: 10 }]
  }
  try {
    const { side, modules } = encodeQr(content, level)
    return [{ columns: side, rows: side, dark: modules, quiet: 4, leastQuiet: 4 }]
  } catch (error) {
    if (error instanceof QrTooLong) return []
    throw error
  }
}
