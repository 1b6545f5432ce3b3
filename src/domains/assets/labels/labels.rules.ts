/** Profiles of labels: what is absent, and what cannot be. Pure. */

import type { LabelSettings } from '#db/schema/label-profiles.ts'
import type { FieldProblem } from '#http/errors.ts'
import { BUILT_IN, isOnPaper, type Media } from '#lib/labels/media.ts'
import type { Dpi, Format } from '#lib/labels/profile.ts'

import { MAX_TEXT, type MediaInput, type ProfileInput } from './labels.model.ts'

const DEFAULTS: Omit<LabelSettings, 'media'> = {
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

export const COLUMNS = [
  'name',
  'assetNo',
  'category',
  'location',
  'custodian',
  'brand',
  'model',
  'serialNo',
  'purchaseDate',
  'owner',
] as const
export type LabelColumn = (typeof COLUMNS)[number]
const columns: ReadonlySet<string> = new Set(COLUMNS)
const FIELD = /^field:([1-9]\d{0,15})$/
const TEXT = 'text:'

export const fieldIdIn = (key: string): number | undefined => (FIELD.test(key) ? Number(key.slice(6)) : undefined)
/** The fixed text; undefined for other keys. */
export const fixedText = (key: string): string | undefined =>
  key.startsWith(TEXT) ? key.slice(TEXT.length).trim() : undefined
export const isColumn = (key: string): key is LabelColumn => columns.has(key)

const tenth = (length: number): number => Math.round(length * 10) / 10

/** The settings that the input describes; `before`: those of a profile that is changed. Adds to `problems`. */
export function settingsOf(
  { media, ...input }: Partial<ProfileInput>,
  path: string,
  problems: FieldProblem[],
  before?: LabelSettings,
): LabelSettings {
  const { name: _, orgId: __, ...given } = input as typeof input & { name?: unknown; orgId?: unknown }
  const base = { ...DEFAULTS, ...before }
  const changed = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as typeof given
  const all = { ...base, ...changed }
  if (all.symbology === 'CODE_128' && changed.content === 'LINK')
    problems.push({ path: `${path}.content`, text: { en: 'must be NUMBER for Code 128', zh: 'Code 128 须为 NUMBER' } })
  const settings: LabelSettings = {
    ...all,
    offsetX: tenth(all.offsetX),
    offsetY: tenth(all.offsetY),
    content: all.symbology === 'CODE_128' ? 'NUMBER' : all.content,
    media: media === undefined ? before!.media : mediaOf(media, `${path}.media`, problems),
  }
  for (const [i, key] of settings.fields.entries()) {
    const text = fixedText(key)
    if (isColumn(key) || fieldIdIn(key) !== undefined || (text !== undefined && text !== '' && text.length <= MAX_TEXT))
      continue
    problems.push({
      path: `${path}.fields.${i}`,
      text: { en: 'must be a column, `field:<id>` or `text:<text>`', zh: '须为列名、`field:<id>` 或 `text:<文字>`' },
    })
  }
  return settings
}

const REQUIRED = { en: 'is required', zh: '为必填项' }

function mediaOf(input: MediaInput, path: string, problems: FieldProblem[]): Media {
  const { key } = input
  if (key != null) {
    const found = BUILT_IN.find((one) => one.key === key)
    if (found === undefined)
      problems.push({ path: `${path}.key`, text: { en: 'is not the key of a built-in medium', zh: '不是内置介质' } })
    const { name: _, ...media } = found ?? BUILT_IN[0]!
    return media
  }
  const { type = 'ROLL', width, height } = input
  if (input.type === undefined) problems.push({ path: `${path}.type`, text: REQUIRED })
  if (width === undefined) problems.push({ path: `${path}.width`, text: REQUIRED })
  if (height === undefined && type !== 'TAPE') problems.push({ path: `${path}.height`, text: REQUIRED })
  const wide = tenth(width ?? 50)
  if (type === 'ROLL') return { type, width: wide, height: tenth(height ?? 30) }
  if (type === 'TAPE') {
    const [minLength, maxLength] = [tenth(input.minLength ?? 15), tenth(input.maxLength ?? 300)]
    if (minLength > maxLength)
      problems.push({
        path: `${path}.maxLength`,
        text: { en: 'must not be less than minLength', zh: '不能小于 minLength' },
      })
    return { type, width: wide, height: wide, minLength, maxLength }
  }
  const { paper, columns, rows, marginTop, marginLeft, gapX, gapY } = input
  const media: Media = {
    type,
    width: wide,
    height: tenth(height ?? 30),
    paper: paper ?? 'A4',
    columns: columns ?? 1,
    rows: rows ?? 1,
    marginTop: tenth(marginTop ?? 0),
    marginLeft: tenth(marginLeft ?? 0),
    gapX: tenth(gapX ?? 0),
    gapY: tenth(gapY ?? 0),
  }
  if (!isOnPaper(media)) problems.push({ path, text: { en: 'has labels outside of the paper', zh: '有标签超出纸张' } })
  return media
}

export function checkTarget(
  { format, dpi }: { readonly format: Format; readonly dpi: Dpi },
  problems: FieldProblem[],
): void {
  if (format === 'ZPL' && dpi === 600)
    problems.push({ path: 'body.dpi', text: { en: 'must be 203 or 300 for ZPL', zh: 'ZPL 仅支持 203 或 300' } })
}

/** As answers show media: what does not apply is null. */
export const mediaView = ({ type, key, width, height, ...media }: Media) => ({
  type,
  key: key ?? null,
  width,
  height,
  paper: media.paper ?? null,
  columns: media.columns ?? null,
  rows: media.rows ?? null,
  marginTop: media.marginTop ?? null,
  marginLeft: media.marginLeft ?? null,
  gapX: media.gapX ?? null,
  gapY: media.gapY ?? null,
  minLength: media.minLength ?? null,
  maxLength: media.maxLength ?? null,
})
