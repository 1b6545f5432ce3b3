/** Small drawings of the settings of a system, with the row to touch marked. They have the colours of the page. */

import { type Html, html } from '#http/pages.ts'

export interface Picture {
  readonly title: string
  readonly rows: readonly string[]
  /** The index of the marked row. */
  readonly marked: number
  /** The sign at the end of the marked row; an arrow by default. */
  readonly sign?: 'switch' | 'tick'
}

const WIDTH = 240
const ROW = 30
const TOP = 30

/** Only for people who see it: the text beside it says the same. */
export function drawing({ title, rows, marked, sign }: Picture, frame: 'phone' | 'window'): Html {
  const height = TOP + rows.length * (ROW + 6) + 8
  return html`<svg class="shot" viewBox="0 0 ${WIDTH} ${height}" aria-hidden="true">
    <rect class="frame" x=".5" y=".5" width="${WIDTH - 1}" height="${height - 1}" rx="${frame === 'phone' ? 14 : 4}" />
    ${
      frame === 'phone'
        ? html`<text x="${WIDTH / 2}" y="20" text-anchor="middle" font-weight="600">${title}</text>`
        : html`<text x="12" y="20" font-weight="600">${title}</text>
            <path d="M${WIDTH - 20} 12l8 8m0-8l-8 8" stroke="currentColor" fill="none" />`
    }
    ${rows.map((label, at) => row(label, TOP + at * (ROW + 6), at === marked, sign))}
  </svg>`
}

function row(label: string, y: number, isMarked: boolean, sign: Picture['sign']): Html {
  const middle = y + ROW / 2
  // The name of an authority contains the one of the server.
  const fit = label.length > 26 && html`textLength="${WIDTH - 72}" lengthAdjust="spacingAndGlyphs"`
  return html`<rect
      class="${isMarked ? 'row marked' : 'row'}"
      x="8"
      y="${y}"
      width="${WIDTH - 16}"
      height="${ROW}"
      rx="5"
    />
    <text x="18" y="${middle + 4}" ${isMarked ? html`font-weight="600"` : html`opacity=".6"`} ${fit}>${label}</text>
    ${isMarked && endOf(sign, middle)}`
}

function endOf(sign: Picture['sign'], y: number): Html {
  if (sign === 'switch')
    return html`<rect class="sign" x="${WIDTH - 46}" y="${y - 8}" width="28" height="16" rx="8" />
      <circle cx="${WIDTH - 26}" cy="${y}" r="6" fill="#fff" />`
  const path = sign === 'tick' ? `M${WIDTH - 32} ${y}l5 5 9-10` : `M${WIDTH - 24} ${y - 5}l5 5-5 5`
  return html`<path d="${path}" stroke="currentColor" stroke-width="2" fill="none" />`
}
