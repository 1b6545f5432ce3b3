/** QR codes: content to matrix, matrix to picture. */
export { encodeQr, type Matrix, QrTooLong } from './encode.ts'
export { type Look, QrTooSmall } from './layout.ts'
export { toPng } from './png.ts'
export { type Level, LEVELS } from './spec.ts'
export { toSvg } from './svg.ts'
