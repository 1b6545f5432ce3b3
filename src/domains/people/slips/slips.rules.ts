/** Slips with start codes, ten on a page of A4, to be cut out and handed out. */

import type { Locale } from '#lib/localized.ts'
import { pause } from '#lib/pause.ts'
import { linesOf, MM, Page, PAPER } from '#lib/pdf/page.ts'
import { encodeQr } from '#lib/qr/index.ts'

import type { PrintedSlip } from './slips.model.ts'

export const WORDS = {
  en: {
    title: 'Start codes',
    name: 'Name',
    username: 'Username',
    usernameIs: (username: string) => `Username: ${username}`,
    code: 'Start code',
    page: 'Page',
    how: 'Open the page, or scan the code, and choose a password. The code works once, for 30 days.',
  },
  zh: {
    title: '初始码',
    name: '姓名',
    username: '用户名',
    usernameIs: (username: string) => `用户名：${username}`,
    code: '初始码',
    page: '网页',
    how: '打开网页或扫描二维码，然后设置密码。初始码仅可使用一次，30 天内有效。',
  },
} as const

const COLUMNS = 2
const ROWS = 5
const WIDTH = PAPER.width / COLUMNS
const HEIGHT = PAPER.height / ROWS
const MARGIN = 8 * MM
const QR_SIDE = 30 * MM
const GREY = '606770'

export interface Print {
  readonly locale: Locale
  /** Name of the server. */
  readonly server: string
  /** Address of the page. */
  readonly page: string
  /** The address that opens the page with the username and code of a slip. */
  urlOf(slip: PrintedSlip): string
}

export async function* slipPages(slips: readonly PrintedSlip[], print: Print): AsyncGenerator<string> {
  for (let at = 0; at < slips.length; at += COLUMNS * ROWS) {
    const page = new Page()
    for (let row = 1; row < ROWS; row++) page.cutLine(0, row * HEIGHT, PAPER.width, row * HEIGHT)
    page.cutLine(WIDTH, 0, WIDTH, PAPER.height)
    for (const [i, slip] of slips.slice(at, at + COLUMNS * ROWS).entries()) {
      const x = (i % COLUMNS) * WIDTH
      const y = PAPER.height - (Math.floor(i / COLUMNS) + 1) * HEIGHT
      drawSlip(page, slip, x, y, print)
    }
    yield page.content
    await pause()
  }
}

/** `x`, `y`: the lower left corner. */
function drawSlip(
  page: Page,
  slip: PrintedSlip,
  x: number,
  y: number,
  { locale, server, page: address, urlOf }: Print,
): void {
  const words = WORDS[slip.language ?? locale]
  const left = x + MARGIN
  const width = WIDTH - 2 * MARGIN
  const top = y + HEIGHT - MARGIN
  const beside = width - QR_SIDE
  const put = (
    text: string,
    below: number,
    size: number,
    room: number,
    more: { isBold?: true; color?: string } = {},
    most = 1,
  ) => page.lines(linesOf(text, { size }, room, most), left, top - below, { size, ...more })
  put(slip.name, 12, 13, beside, { isBold: true })
  put(words.usernameIs(slip.username), 32, 10, beside)
  put(words.code, 52, 8, beside, { color: GREY })
  put(slip.code, 67, 12, beside, { isBold: true })
  put(server, 88, 9, beside, { color: GREY })
  put(address, 102, 8, width, { color: GREY }, 2)
  put(words.how, 124, 7, width, { color: GREY }, 2)
  page.qr(encodeQr(urlOf(slip), 'M'), left + beside, top - QR_SIDE + 4, QR_SIDE)
}
