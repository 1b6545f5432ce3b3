/** QR codes: encodes content as a matrix and draws the matrix as a picture. */

export { encodeQr, type Matrix, QrTooLong } from './encode.ts'
export { type Look, QrTooSmall } from './layout.ts'
export { toPng } from './png.ts'
export { type Level, LEVELS } from './spec.ts'
export { toSvg } from './svg.ts'
