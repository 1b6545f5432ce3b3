/** How other registers write their cells: as HTML, as JSON, and with words of their own. Pure. */

import { wordKey } from '#lib/spreadsheets/cells.ts'
import { htmlText } from '#lib/spreadsheets/html-cells.ts'

/** Columns that name a thing. Backups of Shelf write the whole thing there. */
const NAMING: ReadonlySet<string> = new Set(['category', 'location', 'custodian', 'model'])
/** Longer texts are no things. */
const MAX_JSON = 100_000

/** The text that a cell of another register shows; undefined if it is the cell itself. */
export function foreignText(text: string, key: string | undefined): string | undefined {
  const named = key !== undefined && NAMING.has(key) && text.length <= MAX_JSON ? nameInJson(text.trim()) : undefined
  return named ?? htmlText(text)
}

/** The names of the things in an object or a list; empty without one, and undefined for other texts. */
function nameInJson(text: string): string | undefined {
  if (!/^(?:\{.*\}|\[.*\])$/s.test(text)) return undefined
  try {
    const given: unknown = JSON.parse(text)
    return (Array.isArray(given) ? given : [given]).map(nameOf).filter(Boolean).join(', ')
  } catch {
    return undefined
  }
}

function nameOf(thing: unknown): string {
  if (typeof thing !== 'object' || thing === null) return typeof thing === 'string' ? thing : ''
  const { name, custodian } = thing as Record<string, unknown>
  return typeof name === 'string' ? name : custodian === undefined ? '' : nameOf(custodian)
}

/** The word that Shelf writes for an asset without a category. */
export const isNoCategory = (text: string): boolean => wordKey(text) === 'uncategorized'

/** The parts of `Jane Doe (jdoe)`, as Snipe-IT names people; the user name first. */
export function peopleIn(text: string): readonly string[] {
  const [, name, account] = /^([^()]{1,200}?)\s*\(([^()\s]{1,200})\)$/.exec(text) ?? []
  return account === undefined ? [text] : [text, account, name!]
}

/**
 * A status of Snipe-IT with its kind: reports write `Ready to Deploy (deployed)`, lists `Ready to Deploy Deployed`. The kind of an asset that
 * is handed out is `deployed`, whatever the name of its status is.
 */
export function statusParts(text: string): { readonly name: string; readonly kind: string } | undefined {
  const [, name, kind, shown] =
    /^(.{1,200}?)\s*(?:\((deployed|deployable|pending|archived|undeployable)\)|\s(deployed))$/i.exec(text) ?? []
  return name === undefined ? undefined : { name, kind: (kind ?? shown)!.toLowerCase() }
}
