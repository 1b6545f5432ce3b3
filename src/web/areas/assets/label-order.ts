/** The requests of the page of labels. */

import { call } from '../../api/client.ts'
import type { BodyOf, DataOf, QueryOf } from '../../api/types.ts'

export type LabelBody = BodyOf<'assets.labels'>
export type LabelProfile = DataOf<'labelProfiles.list'>['items'][number]
export type Medium = DataOf<'labelProfiles.media'>['items'][number]
export type Format = LabelBody['format']

/** The settings of the page. `media.key` null: an own size. */
export type Settings = Omit<LabelProfile, 'id' | 'orgId' | 'name' | 'version' | 'createdAt' | 'updatedAt'>

export const FIRST_SETTINGS: Settings = {
  media: {
    type: 'ROLL',
    key: 'roll-50x30',
    width: 50,
    height: 30,
    paper: null,
    columns: null,
    rows: null,
    marginTop: null,
    marginLeft: null,
    gapX: null,
    gapY: null,
    minLength: null,
    maxLength: null,
  },
  symbology: 'QR',
  content: 'LINK',
  level: 'M',
  placement: 'LEFT',
  fields: ['name', 'assetNo'],
  fieldLabels: false,
  logo: false,
  border: false,
  rotate: 0,
  offsetX: 0,
  offsetY: 0,
  scaleX: 1,
  scaleY: 1,
}

/** Only the settings of a profile. */
export function settingsOf(profile: LabelProfile): Settings {
  const { id: _, orgId: __, name: ___, version: ____, createdAt: _____, updatedAt: ______, ...settings } = profile
  return settings
}

/** As a request has them. */
export const profileBody = ({ media, ...settings }: Settings): NonNullable<LabelBody['profile']> => ({
  ...settings,
  media: media.key === null ? media : { key: media.key },
})

/** The things that get a label. */
export type Chosen = Pick<LabelBody, 'ids' | 'filter' | 'sort'>

/** Labels in one file. */
export const MAX_LABELS = 5000
const PAGE = 100

/** The requests for files of at most 5,000 labels each. `total`: things that are chosen. */
export async function partsOf(
  chosen: Chosen,
  query: Partial<QueryOf<'assets.list'>>,
  total: number,
  copies: number,
): Promise<Chosen[]> {
  if (total * copies <= MAX_LABELS) return [chosen]
  const ids = chosen.ids ?? (await allIds(query))
  const each = Math.max(1, Math.floor(MAX_LABELS / copies))
  return Array.from({ length: Math.ceil(ids.length / each) }, (_, i) => ({ ids: ids.slice(i * each, (i + 1) * each) }))
}

async function allIds(query: Partial<QueryOf<'assets.list'>>): Promise<number[]> {
  const ids = new Set<number>()
  for (let page = 1; ; page++) {
    const { items, total } = await call('assets.list', { query: { ...query, page, size: PAGE } })
    for (const { id } of items) ids.add(id)
    if (items.length < PAGE || page * PAGE >= total) return [...ids]
  }
}

/** The assets that were registered after this one, the oldest first. */
export async function newerThan(query: Partial<QueryOf<'assets.list'>>, newest: number): Promise<number[]> {
  const ids: number[] = []
  for (let page = 1; ids.length < MAX_LABELS; page++) {
    const { items } = await call('assets.list', { query: { ...query, sort: '-createdAt', page, size: PAGE } })
    const newer = items.filter(({ id }) => id > newest)
    ids.push(...newer.map(({ id }) => id))
    if (newer.length < PAGE) break
  }
  return [...new Set(ids)].toReversed()
}

/** The filters of the list, as a body has them: those by field apart. */
export function filterBody(query: Partial<QueryOf<'assets.list'>>): NonNullable<LabelBody['filter']> {
  const fields: string[] = []
  const filter: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === '' || name === 'sort' || name === 'orgId') continue
    if (name.startsWith('field.')) fields.push(`${name}=${String(value)}`)
    else if (name === 'status') filter[name] = String(value).split(',')
    else filter[name] = NUMBERS.has(name) ? Number(value) : value
  }
  return { ...filter, ...(fields.length > 0 && { fields }) }
}
const NUMBERS: ReadonlySet<string> = new Set(['categoryId', 'locationId', 'custodianId'])

/** Millimetres between the edges of a calibration page and its frame (src/lib/labels/calibration.ts). */
export const calibrationInset = (width: number, height: number): number =>
  Math.max(1, Math.min(10, Math.floor(Math.min(width, height) / 10)))
const PAPERS = { A4: [210, 297], LETTER: [215.9, 279.4] } as const

/** The lengths that are written at the frame of the calibration page of this medium, in millimetres. */
export function calibrationFrame({
  type,
  width,
  height,
  paper,
  maxLength,
}: Settings['media']): readonly [number, number] {
  const size =
    type === 'SHEET'
      ? PAPERS[paper ?? 'A4']
      : type === 'TAPE'
        ? [Math.min(100, maxLength ?? 100), width]
        : [width, height]
  const inset = 2 * calibrationInset(size[0]!, size[1]!)
  return [size[0]! - inset, size[1]! - inset]
}
