import type { QrStyle } from '#db/schema/qr-codes.ts'
import { DAY } from '#platform/clock.ts'

export type Level = 'L' | 'M' | 'Q' | 'H'

/** Bytes that a symbol of version 40 holds in byte mode: ISO/IEC 18004, table 7. */
export const CAPACITY: Readonly<Record<Level, number>> = { L: 2953, M: 2331, Q: 1663, H: 1273 }

export const MAX_CONTENT_BYTES = CAPACITY.L

/** How long a deleted code can be restored (interface: 30 days). */
export const TRASH_MS = 30 * DAY

export const bytesOf = (content: string): number => Buffer.byteLength(content)

/** The level a code is drawn with: the one asked for, else M, else, where M cannot hold the content, L. */
export function levelFor(content: string, asked: Level | undefined): Level {
  if (asked !== undefined) return asked
  // A UTF-16 unit takes at most three bytes: most contents need no counting.
  return content.length * 3 <= CAPACITY.M || bytesOf(content) <= CAPACITY.M ? 'M' : 'L'
}

/** The most bytes allowed when `content` is too long for the level it would be drawn with; undefined when it fits. */
export function tooLongFor(content: string, asked: Level | undefined): number | undefined {
  const capacity = CAPACITY[levelFor(content, asked)]
  return bytesOf(content) > capacity ? capacity : undefined
}

/** Only what was asked for is kept: the rest follows the defaults of the renderer. */
export function cleanStyle(style: { [K in keyof QrStyle]: QrStyle[K] | null } | null | undefined): QrStyle {
  const kept: QrStyle = {}
  if (style?.fg != null) kept.fg = style.fg.toLowerCase()
  if (style?.bg != null) kept.bg = style.bg.toLowerCase()
  if (style?.level != null) kept.level = style.level
  if (style?.margin != null) kept.margin = style.margin
  return kept
}

/** In the order given, each once. */
export const cleanTags = (tags: readonly string[] | null | undefined): string[] => [...new Set(tags)]
