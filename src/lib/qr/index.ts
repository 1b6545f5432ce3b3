/** QR codes: encodes content as a matrix and draws the matrix as a picture. `toPng` is in png.ts, which is imported on first use because it loads zlib. */

export { encodeQr, type Matrix, QrTooLong } from './encode.ts'
export { type Look, QrTooSmall } from './layout.ts'
export { type Level, LEVELS } from './spec.ts'
export { toSvg } from './svg.ts'
