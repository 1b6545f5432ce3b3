/** Printed passes: eight on a sheet of A4, with lines to cut along. Pure. */

import { localTime } from '#lib/days.ts'
import type { Locale } from '#lib/localized.ts'
import { zoneText } from '#lib/moments.ts'
import { linesOf, MM, Page, PAPER, type TextStyle } from '#lib/pdf/page.ts'
import { encodeQr } from '#lib/qr/index.ts'

import type { PassView } from './passes.model.ts'

const COLUMNS = 2
const ROWS = 4
export const PASSES_PER_SHEET = COLUMNS * ROWS

/** Printers cannot print closer to the edge. */
const MARGIN = 10 * MM
const WIDTH = (PAPER.width - 2 * MARGIN) / COLUMNS
const HEIGHT = (PAPER.height - 2 * MARGIN) / ROWS
const PADDING = 4 * MM
const BAR = 2.5 * MM
/** With its margin. The modules of version 6, which most passes have, are then 36 mm wide and those of larger versions more. */
const CODE = 43 * MM
const TEXT_X = BAR + PADDING
const TEXT_WIDTH = WIDTH - TEXT_X - CODE - 2 * MM

const ACTIVITY: TextStyle = { size: 8.5, color: '444444' }
const HOLDER: TextStyle = { size: 14, isBold: true }
const FIELD: TextStyle = { size: 8 }
const SMALL: TextStyle = { size: 7, color: '444444' }
const VOID: TextStyle = { size: 16, isBold: true, color: 'b00020' }
const NO_COLOR = 'd0d0d0'

const WORDS = {
  en: {
    from: (time: string) => `Valid from ${time}`,
    until: (time: string) => `Valid until ${time}`,
    number: (id: number) => `Pass ${id}`,
    REVOKED: 'Revoked',
    EXPIRED: 'Expired',
    none: 'No passes were selected.',
  },
  zh: {
    from: (time: string) => `生效时间：${time}`,
    until: (time: string) => `失效时间：${time}`,
    number: (id: number) => `通行证 ${id}`,
    REVOKED: '已撤销',
    EXPIRED: '已过期',
    none: '没有符合条件的通行证。',
  },
} as const satisfies Record<Locale, object>

export interface Sheet {
  readonly activityName: string
  /** The short name of the server; empty if it has the name of the product. */
  readonly serverName: string
  readonly locale: Locale
  /** Of the times: an IANA name or an offset. */
  readonly zone: string
}

/** The content of a page with at most `PASSES_PER_SHEET` passes, whose contents of QR codes are known; without passes it says so. */
export function sheetOf(passes: readonly PassView[], sheet: Sheet): string {
  const page = new Page()
  if (passes.length === 0) {
    const style = { size: 12 }
    page.lines(linesOf(WORDS[sheet.locale].none, style, PAPER.width, 1), MARGIN, PAPER.height - 2 * MARGIN, style)
    return page.content
  }
  for (const [i, pass] of passes.entries()) {
    const [column, row] = [i % COLUMNS, Math.floor(i / COLUMNS)]
    drawPass(page, MARGIN + column * WIDTH, PAPER.height - MARGIN - row * HEIGHT, pass, sheet)
  }
  for (let row = 0; row <= ROWS; row++) {
    const y = MARGIN + row * HEIGHT
    page.cutLine(MARGIN / 2, y, PAPER.width - MARGIN / 2, y)
  }
  for (let column = 0; column <= COLUMNS; column++) {
    const x = MARGIN + column * WIDTH
    page.cutLine(x, MARGIN / 2, x, PAPER.height - MARGIN / 2)
  }
  return page.content
}

/** `left` and `top`: the corner of the pass on the page. */
function drawPass(page: Page, left: number, top: number, pass: PassView, sheet: Sheet): void {
  const { activityName, locale, zone } = sheet
  const words = WORDS[locale]
  const bottom = top - HEIGHT
  page.rectangle({ x: left, y: bottom, width: BAR, height: HEIGHT }, pass.color?.slice(1) ?? NO_COLOR)

  const x = left + TEXT_X
  let y = top - PADDING
  const write = (text: string, style: TextStyle, most: number, leading = style.size * 1.2): void => {
    const lines = linesOf(text, style, TEXT_WIDTH, most)
    page.lines(lines, x, y - style.size, style, leading)
    y -= lines.length * leading
  }
  write(activityName, ACTIVITY, 2)
  y -= 3
  write(pass.holderName, HOLDER, 2)
  y -= 5

  const validity = [
    ...(pass.validFrom === null ? [] : [words.from(timeText(pass.validFrom, zone))]),
    ...(pass.validTo === null ? [] : [words.until(timeText(pass.validTo, zone))]),
  ]
  if (validity.length > 0) validity.push(zoneLine(pass, zone, locale))
  const smallLeading = SMALL.size * 1.25
  const fieldLeading = FIELD.size * 1.15
  let free = Math.floor((y - bottom - PADDING - validity.length * smallLeading) / fieldLeading)
  free -= pass.fields.length
  // Each field has a line of its own; the first long ones get the lines that are left.
  for (const { label, value } of pass.fields) {
    const before = y
    write(`${label}: ${value}`, FIELD, 1 + Math.max(0, free), fieldLeading)
    free -= Math.round((before - y) / fieldLeading) - 1
  }

  y = bottom + PADDING + validity.length * smallLeading
  for (const line of validity) write(line, SMALL, 1, smallLeading)
  drawCode(page, left + WIDTH - CODE, top - (HEIGHT + CODE) / 2, pass, sheet)
}

/** A pass that is no longer valid has no code: nobody should print it by mistake and hand it out. */
function drawCode(page: Page, x: number, y: number, pass: PassView, { locale, serverName }: Sheet): void {
  const words = WORDS[locale]
  if (pass.status === 'REVOKED' || pass.status === 'EXPIRED')
    page.centred(words[pass.status], x, y + CODE / 2, CODE - 2 * MM, VOID)
  else page.qr(encodeQr(pass.qrContent!, 'L'), x, y, CODE)
  const number = words.number(pass.id)
  page.centred(serverName === '' ? number : `${number} · ${serverName}`, x, y - SMALL.size, CODE, SMALL)
}

/** The name of the zone, or its IANA name if clocks are changed within the validity: there is room for one line. */
function zoneLine({ validFrom, validTo }: PassView, zone: string, locale: Locale): string {
  const [first, second] = [validFrom, validTo].flatMap((at) => (at === null ? [] : [zoneText(at, zone, locale)]))
  return first === second || second === undefined ? first! : zone
}

/** `2026-11-22 14:00` */
const timeText = (at: number, zone: string): string =>
  localTime(at, zone).toString({ smallestUnit: 'minute' }).replace('T', ' ')
