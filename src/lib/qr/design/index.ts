/**
 * Draws designed QR codes: `designSymbol` chooses the symbol, `sceneOf` lays out the shapes, and SVG, PDF (pdf.ts), pixels (raster.ts)
 * and PNG (png.ts) show it. Runs in the server and in browsers.
 */

import { QrTooSmall } from '../layout.ts'
import type { Look } from './look.ts'
import { fitPixels, sceneOf } from './scene.ts'
import { sceneToSvg, type SvgOptions } from './svg.ts'
import { designSymbol } from './symbol.ts'

export {
  EYES,
  type FrameLook,
  type Gradient,
  GRADIENTS,
  type LogoLook,
  type Look,
  MODULES,
  PLAIN,
  PLATES,
  POSITIONS,
} from './look.ts'
export {
  LEAST_CONTRAST,
  LEAST_MARGIN,
  LEAST_MODULE_MM,
  LEAST_SPARE,
  lookProblems,
  moduleMm,
  type Problem,
  type ProblemCode,
  PROBLEMS,
  readableFromMm,
  symbolProblems,
} from './problems.ts'
export { type Scene, sceneOf, type SceneOptions } from './scene.ts'
export { sceneToSvg, type SvgOptions } from './svg.ts'
export { designSymbol, type DesignSymbol } from './symbol.ts'

/** @throws QrTooLong, QrTooSmall if a size in pixels is smaller than the modules */
export function designToSvg(content: string, look: Look, options: SvgOptions & { frameless?: boolean }): string {
  const symbol = designSymbol(content, look)
  const modules = symbol.matrix.side + 2 * look.margin
  if (options.widthMm === undefined && fitPixels(symbol.matrix.side, look.margin, options.size).scale < 1)
    throw new QrTooSmall(options.size, modules)
  return sceneToSvg(sceneOf(symbol, look, { frameless: options.frameless ?? false }), options)
}
