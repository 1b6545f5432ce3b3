/** The values of the pages that import assets and supplies, and the parameters of the request that they stand for. */

import type { AssetImportMapping, AssetImportOptions, AssetImportResult } from '../../api/types.ts'
import { MAPS, NO_MAPS, type WordMaps } from './ImportWords.tsx'

export interface ImportValues {
  readonly file: File | undefined
  /** Columns that the user has chosen; the server finds the others by their names. */
  readonly mapping: Readonly<Record<string, string | null>>
  readonly mode: 'UPSERT' | 'CREATE' | 'UPDATE'
  readonly dateOrder: 'YMD' | 'DMY' | 'MDY' | 'AUTO'
  /** These four are found by the server if they are null. */
  readonly headerRow: number | null
  readonly headerRows: 1 | 2 | null
  readonly encoding: string | null
  readonly decimal: string | null
  readonly unknownCustodian: 'ERROR' | 'EMPTY' | 'REMARK'
  readonly emptyFormulas: boolean
  readonly emptyNames: boolean
  readonly matchSerial: boolean
  readonly roundPrices: boolean
  readonly maps: WordMaps
  readonly sheet: string
  readonly categoryId: number | null
  readonly clearEmpty: boolean
  readonly createCategories: boolean
  readonly createLocations: boolean
  readonly splitQuantity: boolean
}

export const FIRST: ImportValues = {
  file: undefined,
  mapping: {},
  mode: 'UPSERT',
  dateOrder: 'AUTO',
  headerRow: null,
  headerRows: null,
  encoding: null,
  decimal: null,
  unknownCustodian: 'ERROR',
  emptyFormulas: false,
  emptyNames: false,
  matchSerial: false,
  roundPrices: false,
  maps: NO_MAPS,
  sheet: '',
  categoryId: null,
  clearEmpty: false,
  createCategories: false,
  createLocations: false,
  splitQuantity: false,
}

const FLAGS = [
  'matchSerial',
  'roundPrices',
  'clearEmpty',
  'createCategories',
  'createLocations',
  'splitQuantity',
] as const

/** The kind of things in the rows of a file. */
export type ImportKind = AssetImportMapping['kind']

/** The part of a check that mappings depend on. */
export type Reading = Pick<AssetImportResult, 'savedMapping'> & { readonly columns: readonly { header: string }[] }

/** The options that imports of supplies have. */
const OF_SUPPLIES: readonly string[] = [
  'mapping',
  'mode',
  'sheet',
  'headerRow',
  'headerRows',
  'encoding',
  'decimal',
  'roundPrices',
  'emptyFormulas',
  'categoryId',
  'clearEmpty',
  'categoryMap',
  'locationMap',
  'createCategories',
  'createLocations',
] satisfies (keyof AssetImportOptions)[]

/** The parameters of a request, which a saved mapping keeps. */
export function optionsOf(values: ImportValues, kind: ImportKind): AssetImportOptions {
  const options = allOptionsOf(values)
  if (kind === 'ASSET') return options
  return Object.fromEntries(Object.entries(options).filter(([name]) => OF_SUPPLIES.includes(name)))
}

function allOptionsOf(values: ImportValues): AssetImportOptions {
  const {
    mapping,
    mode,
    dateOrder,
    unknownCustodian,
    sheet,
    categoryId,
    maps,
    headerRow,
    headerRows,
    encoding,
    decimal,
  } = values
  return {
    mapping: JSON.stringify(mapping),
    mode,
    dateOrder,
    unknownCustodian,
    ...(sheet !== '' && { sheet }),
    ...(headerRow !== null && { headerRow }),
    ...(headerRows !== null && { headerRows }),
    ...(encoding !== null && { encoding: encoding as NonNullable<AssetImportOptions['encoding']> }),
    ...(decimal !== null && { decimal: decimal as 'POINT' | 'COMMA' }),
    ...(categoryId !== null && { categoryId }),
    ...(values.emptyFormulas && { emptyFormulas: 'EMPTY' }),
    ...(values.emptyNames && { emptyNames: 'MODEL' }),
    ...Object.fromEntries(FLAGS.filter((name) => values[name]).map((name) => [name, true])),
    ...Object.fromEntries(
      MAPS.filter((name) => Object.keys(maps[name]).length > 0).map((name) => [
        `${name}Map`,
        JSON.stringify(maps[name]),
      ]),
    ),
  }
}

/** A dry run, or an import in the background. */
export function bodyOf(values: ImportValues, kind: ImportKind, isDry: boolean): FormData {
  const form = new FormData()
  form.set(isDry ? 'dryRun' : 'async', 'true')
  for (const [name, value] of Object.entries(optionsOf(values, kind))) form.set(name, String(value))
  form.set('file', values.file!, values.file!.name)
  return form
}

/** The values of the page for saved options. */
export function valuesOf(options: AssetImportOptions): Omit<ImportValues, 'file'> {
  const { file: _, ...first } = FIRST
  const given = (name: (typeof MAPS)[number]) => Object.entries(JSON.parse(options[`${name}Map`] ?? '{}') as object)
  return {
    ...first,
    mapping: JSON.parse(options.mapping ?? '{}') as ImportValues['mapping'],
    mode: options.mode ?? 'UPSERT',
    dateOrder: options.dateOrder ?? 'YMD',
    unknownCustodian: options.unknownCustodian ?? 'ERROR',
    sheet: options.sheet ?? '',
    headerRow: options.headerRow ?? null,
    headerRows: (options.headerRows ?? null) as 1 | 2 | null,
    encoding: options.encoding ?? null,
    decimal: options.decimal ?? null,
    categoryId: options.categoryId ?? null,
    emptyFormulas: options.emptyFormulas === 'EMPTY',
    emptyNames: options.emptyNames === 'MODEL',
    ...Object.fromEntries(FLAGS.map((name) => [name, options[name] ?? false])),
    // Ids can have been saved as numbers.
    maps: Object.fromEntries(
      MAPS.map((name) => [
        name,
        Object.fromEntries(given(name).map(([text, value]) => [text, value === null ? null : String(value)])),
      ]),
    ) as WordMaps,
  }
}
