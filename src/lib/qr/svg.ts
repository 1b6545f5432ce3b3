import type { Matrix } from './encode.ts'
import { colourOf, type Look } from './layout.ts'

/**
 * An SVG whose unit is one module: the background, and one path with a rectangle for each run of dark modules in a row. Every size
 * is possible for every code. The same input produces the same text.
 */
export function toSvg(matrix: Matrix, look: Look): string {
  const units = matrix.side + 2 * look.margin
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${look.size}" height="${look.size}" viewBox="0 0 ${units} ${units}" ` +
    `shape-rendering="crispEdges"><path fill="${hex(look.bg)}" d="M0 0h${units}v${units}H0z"/>` +
    `<path fill="${hex(look.fg)}" d="${runs(matrix, look.margin)}"/></svg>`
  )
}

/** In lower case, so that equal colours are equal texts. */
const hex = (colour: string): string => '#' + colourOf(colour).toString(16).padStart(6, '0')

function runs({ side, modules }: Matrix, margin: number): string {
  let path = ''
  for (let row = 0; row < side; row++) {
    for (let column = 0; column < side; column++) {
      if (modules[row * side + column] === 0) continue
      const from = column
      while (column + 1 < side && modules[row * side + column + 1] === 1) column++
      const length = column + 1 - from
      path += `M${margin + from} ${margin + row}h${length}v1h-${length}z`
    }
  }
  return path
}
