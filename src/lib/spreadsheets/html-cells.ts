/** Cells of exports that write HTML, such as the links and pictures of Snipe-IT. */

/** Elements that exports write. Other words in angle brackets are texts of people. */
const TAG =
  /<(?:!--[^<>]{0,2000}--|(\/?)(a|abbr|b|br|code|div|em|font|h[1-6]|hr|i|img|label|li|nobr|ol|p|small|span|strong|sub|sup|table|tbody|td|th|thead|tr|u|ul)(?:[\s/][^<>]{0,10000})?)>/gi
const LINES: ReadonlySet<string> = new Set(['br', 'div', 'hr', 'li', 'p', 'tr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'])
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }

/** The text that a browser shows of a cell with HTML; undefined for a cell without. */
export function htmlText(text: string): string | undefined {
  if (!text.includes('<')) return undefined
  let found = false
  const plain = text.replace(TAG, (_, slash: string | undefined, name: string | undefined) => {
    found = true
    return name !== undefined && LINES.has(name.toLowerCase()) && (slash === '/' || /^[bh]r$/i.test(name)) ? '\n' : ''
  })
  if (!found) return undefined
  return plain
    .replace(
      /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,4}));/gi,
      (entity, decimal?: string, hex?: string, name?: string) => {
        if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? entity
        const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
        return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : entity
      },
    )
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n[\s]*/g, '\n')
    .trim()
}
