/** A page that shows how far a printer is off: a frame, rulers in millimetres, and at each edge of the frame its length. */

import { frame, type Metrics, type PlacedText, type Rectangle, type Scene } from './layout.ts'

/** Millimetres between the edges of the page and the frame. The web application knows them too. */
export const calibrationInset = (width: number, height: number): number =>
  Math.max(1, Math.min(10, Math.floor(Math.min(width, height) / 10)))

const LINE_MM = 0.2
const TEXT_MM = 4
/** Millimetres of each tenth, fifth and other mark of a ruler. */
const MARKS = [4, 2.5, 1.5] as const

/** `width`, `height`: of the page in millimetres. `scale`: of the profile; the page is correct if what it says can be measured. */
export function calibrationScene(
  width: number,
  height: number,
  metrics: Metrics,
  scale: { readonly x: number; readonly y: number },
): Scene {
  const inset = calibrationInset(width, height)
  const inner = { width: width - 2 * inset, height: height - 2 * inset }
  const whole = (length: number): number => (metrics.isDots ? Math.round(length) : length)
  const x = (mm: number): number => whole(mm * scale.x * metrics.perMm)
  const y = (mm: number): number => whole(mm * scale.y * metrics.perMm)
  const line = Math.max(1, LINE_MM * metrics.perMm)
  const thickness = metrics.isDots ? whole(line) : LINE_MM
  const box = frame({ width: x(inner.width), height: y(inner.height) }, thickness)
  const lines: Rectangle[] = box.map((side) => ({ ...side, x: side.x + x(inset), y: side.y + y(inset) }))
  const most = Math.min(inner.width, inner.height) / 4
  const mark = (at: number): number => Math.min(most, MARKS[at % 10 === 0 ? 0 : at % 5 === 0 ? 1 : 2])
  for (let at = 1; at < inner.width; at++)
    lines.push({ x: x(inset + at), y: y(inset), width: thickness, height: y(mark(at)) })
  for (let at = 1; at < inner.height; at++)
    lines.push({ x: x(inset), y: y(inset + at), width: x(mark(at)), height: thickness })
  const size = metrics.sizeOf(Math.max(metrics.leastSize, Math.min(TEXT_MM, inner.height / 5) * metrics.perMm))
  const number = (length: number, centre: readonly [x: number, y: number]): PlacedText => {
    const text = String(Math.round(length * 10) / 10)
    const wide = metrics.widthOf(text, size)
    return { text, size, width: wide, isBold: false, x: whole(centre[0] - wide / 2), y: whole(centre[1] - size / 2) }
  }
  const [middleX, middleY] = [x(width / 2), y(height / 2)]
  const far = most + 2
  const texts = [
    number(inner.width, [middleX, y(inset + Math.min(far, 7))]),
    number(inner.width, [middleX, y(height - inset - Math.min(far, 4))]),
    number(inner.height, [x(inset + Math.min(far + 1, 9)), middleY]),
    number(inner.height, [x(width - inset - Math.min(far + 1, 6)), middleY]),
  ]
  return { width: x(width), height: y(height), lines, texts }
}
