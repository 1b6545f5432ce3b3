/** The page of an archive for people: a list of its areas, and the first rows of each. */

import { type Html, html, rawHtml } from '#lib/html.ts'
import type { Locale } from '#lib/localized.ts'

export interface ShownArea {
  readonly title: string
  /** Paths in the archive; none if it has only the number of the rows. */
  readonly files: readonly string[]
  readonly rows: number
  readonly columns: readonly string[]
  /** Of the first rows. */
  readonly cells: readonly (readonly string[])[]
}

export interface Overview {
  readonly name: string
  readonly server: string
  readonly locale: Locale
  readonly createdAt: number
  readonly areas: readonly ShownArea[]
  /** Sentences about parts that were left out. */
  readonly remarks: readonly string[]
}

/** Rows of an area on the page. */
export const SHOWN_ROWS = 25
const CELL_CHARS = 200

const WORDS = {
  en: {
    title: (name: string, server: string) => `The data of ${name} on ${server}`,
    made: 'Made at',
    contents:
      'This archive contains a JSON file and a table (CSV) of each kind of data. Times are in UTC; in the JSON files they are milliseconds since 1970. This page shows the first rows of each.',
    area: 'Data',
    rows: 'Rows',
    files: 'Files',
    more: (rows: number) => `${rows} more rows are in the files.`,
  },
  zh: {
    title: (name: string, server: string) => `${name} 在 ${server} 的数据`,
    made: '生成时间',
    contents:
      '本压缩包按数据种类各提供一个 JSON 文件和一个表格（CSV）。时间均为 UTC；JSON 文件中的时间为自 1970 年起的毫秒数。本页显示每种数据的前几行。',
    area: '数据',
    rows: '行数',
    files: '文件',
    more: (rows: number) => `其余 ${rows} 行见文件。`,
  },
} as const satisfies Record<Locale, object>

const STYLE = `body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem;color:#1c1b1f}
h2{margin-top:2.5rem}table{border-collapse:collapse;display:block;overflow-x:auto}
th,td{border:1px solid #ccc;padding:.3rem .6rem;text-align:left;vertical-align:top;max-width:24rem;overflow-wrap:anywhere}th{background:#f3f3f3}`

/** A value as a cell of a table: a time as ISO 8601, lists and objects as JSON. */
export function cellText(column: string, value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' && /(?:At|Time)$/.test(column)) return new Date(value).toISOString()
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

export const shortText = (text: string): string =>
  text.length <= CELL_CHARS ? text : `${text.slice(0, CELL_CHARS).toWellFormed()}…`

export function overviewPage({ name, server, locale, createdAt, areas, remarks }: Overview): string {
  const words = WORDS[locale]
  const title = words.title(name, server)
  return `<!doctype html>\n${
    html`<html lang="${locale === 'zh' ? 'zh-CN' : 'en'}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <style>
          ${rawHtml(STYLE)}
        </style>
      </head>
      <body>
        <h1>${title}</h1>
        <p>${words.made} ${new Date(createdAt).toISOString()}</p>
        <p>${words.contents}</p>
        ${remarks.map((remark) => html`<p>${remark}</p>`)}
        <table>
          <tr>
            <th>${words.area}</th>
            <th>${words.rows}</th>
            <th>${words.files}</th>
          </tr>
          ${areas.map(
            (area, i) =>
              html`<tr>
                <td>${area.cells.length > 0 ? html`<a href="#a${i}">${area.title}</a>` : area.title}</td>
                <td>${area.rows}</td>
                <td>${area.files.map((file) => html`<a href="${file}">${file}</a> `)}</td>
              </tr>`,
          )}
        </table>
        ${areas.map((area, i) => areaHtml(area, i, words.more))}
      </body>
    </html>`.text
  }\n`
}

function areaHtml({ title, rows, columns, cells }: ShownArea, nth: number, more: (rows: number) => string): Html {
  if (cells.length === 0) return html``
  return html`<h2 id="a${nth}">${title}</h2>
    <table>
      <tr>
        ${columns.map((column) => html`<th>${column}</th>`)}
      </tr>
      ${cells.map(
        (row) =>
          html`<tr>
            ${row.map((cell) => html`<td>${cell}</td>`)}
          </tr>`,
      )}
    </table>
    ${rows > cells.length && html`<p>${more(rows - cells.length)}</p>`}`
}
