/** Saved mappings: how a list is read that comes again and again. */

import type { AppContext } from '#context'
import { isUniqueViolation } from '#db/errors.ts'
import { ownerExists } from '#db/owner-counts.ts'
import { orgOf, ownerKey } from '#db/owner-key.ts'
import { mapPage, type Page, type PageInput } from '#db/paging.ts'
import type { ImportKind } from '#db/schema/asset-imports.ts'
import type { Owner } from '#http/endpoint.ts'
import { badRequest, notFound } from '#http/errors.ts'
import { invalid } from '#http/validate.ts'
import { parseMapping } from '#lib/spreadsheets/mapping.ts'
import { sha256 } from '#platform/ids.ts'

import { assetCategoryTree } from '../categories/categories.store.ts'
import { SUPPLY_COLUMNS } from '../supplies/sheets.rules.ts'
import * as errors from './importing.errors.ts'
import {
  type CreateMapping,
  type ImportAssets,
  type MappingOptions,
  MappingOptions as OPTIONS,
  type MappingView,
  MAX_MAPPINGS,
  MAX_OPTIONS,
  OF_SUPPLIES,
  type UpdateMapping,
} from './importing.model.ts'
import { headingsText } from './importing.rules.ts'
import * as store from './mappings.store.ts'
import { MAP_NAMES, presentMap, readMaps } from './maps.service.ts'
import { columnsOf } from './names.service.ts'

export const listMappings = async (
  ctx: AppContext,
  owner: Owner,
  { kind = 'ASSET', ...page }: PageInput & { readonly kind?: ImportKind | undefined },
): Promise<Page<MappingView>> => mapPage(await store.mappingsPage(ctx.db.read, ownerKey(owner), kind, page), toView)

export async function getMapping(ctx: AppContext, owner: Owner, id: number): Promise<MappingView> {
  const row = await store.findMapping(ctx.db.read, ownerKey(owner), id)
  if (row === undefined) throw notFound()
  return toView(row)
}

/** @throws AppError 400, 404 */
export async function createMapping(ctx: AppContext, owner: Owner, input: CreateMapping): Promise<MappingView> {
  const key = ownerKey(owner)
  const kind = input.kind ?? 'ASSET'
  const options = optionsFor(kind, input.options)
  await checkOptions(ctx, owner, kind, options)
  const values = {
    kind,
    ...named(input.name),
    ...headed(input.headings),
    options,
    createdBy: owner.userId,
  }
  return refusingTakenName(() =>
    ctx.db.write('assets.createImportMapping', async (tx) => {
      if (!(await ownerExists(tx, key))) throw notFound()
      if ((await store.countMappings(tx, key)) >= MAX_MAPPINGS)
        throw badRequest(`There can be at most ${MAX_MAPPINGS} saved mappings`, `最多保存 ${MAX_MAPPINGS} 个映射`)
      return toView(await store.insertMapping(tx, key, values))
    }),
  )
}

/** Absent fields stay. @throws AppError 400, 404 */
export async function updateMapping(
  ctx: AppContext,
  owner: Owner,
  id: number,
  { name, headings, options: given }: UpdateMapping,
): Promise<MappingView> {
  const { kind } = await getMapping(ctx, owner, id)
  const options = given && optionsFor(kind, given)
  if (options !== undefined) await checkOptions(ctx, owner, kind, options)
  return refusingTakenName(() =>
    ctx.db.write('assets.updateImportMapping', async (tx) => {
      const row = await store.findMapping(tx, ownerKey(owner), id)
      if (row === undefined) throw notFound()
      const change = {
        ...named(name ?? row.name),
        ...headed(headings ?? row.headings),
        options: options ?? row.options,
      }
      return toView(await store.updateMapping(tx, row, change))
    }),
  )
}

export async function deleteMapping(ctx: AppContext, owner: Owner, id: number): Promise<void> {
  await ctx.db.write('assets.deleteImportMapping', async (tx) => {
    if (!(await store.deleteMapping(tx, ownerKey(owner), id))) throw notFound()
  })
}

const named = (name: string) => ({ name, nameKey: name.normalize('NFKC').toLowerCase() })

function headed(given: readonly string[]) {
  // Neither database stores these.
  const headings = given.map((heading) => heading.toWellFormed().replaceAll('\0', ''))
  return { headings, headingsKey: headingsKey(headings) }
}

/** By which files find their mapping. */
export const headingsKey = (headings: readonly string[]): string => sha256(headingsText(headings))

async function refusingTakenName<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    throw isUniqueViolation(error, 'asset_import_mappings_name') ? errors.mappingNameTaken() : error
  }
}

/** Those that imports of this kind have. Requests fill in the default values of all. @throws AppError 400 for other values */
function optionsFor(kind: ImportKind, given: MappingOptions): MappingOptions {
  if (kind === 'ASSET') return given
  const options = { ...given }
  for (const name of Object.keys(given) as (keyof MappingOptions)[]) {
    if (OF_SUPPLIES.has(name)) continue
    if (given[name] !== OPTIONS.properties[name].default)
      throw invalid(`body.options.${name}`, 'is for files of assets only', '仅适用于资产文件')
    delete options[name]
  }
  return options
}

/** The rules of a request hold for saved options too. */
async function checkOptions(ctx: AppContext, owner: Owner, kind: ImportKind, options: MappingOptions): Promise<void> {
  if (JSON.stringify(options).length > MAX_OPTIONS)
    throw invalid('body.options', `has more than ${MAX_OPTIONS} characters`, `超过 ${MAX_OPTIONS} 个字符`)
  if (options.mapping !== undefined) {
    const mapping = parseMapping(options.mapping, await columnTest(ctx, owner, kind))
    if ('en' in mapping) throw invalid('body.options.mapping', mapping.en, mapping.zh)
  }
  await readMaps(ctx, owner, options, 'body.options')
  const { categoryId } = options
  if (categoryId !== undefined && !(await hasCategory(ctx, owner, categoryId)))
    throw errors.noSuchCategory('body.options.categoryId')
}

/** Whether a key is that of a column that files of this kind can fill. */
async function columnTest(ctx: AppContext, owner: Owner, kind: ImportKind): Promise<(key: string) => boolean> {
  if (kind === 'SUPPLY') return (key) => SUPPLY_COLUMNS.some((column) => column.key === key)
  const { byKey } = await columnsOf(ctx.db.read, owner)
  return (key) => byKey.has(key)
}

const hasCategory = async (ctx: AppContext, owner: Owner, id: number): Promise<boolean> =>
  (await assetCategoryTree.find(ctx.db.read, ownerKey(owner), id)) !== undefined

/**
 * The parameters of a request, completed by those of its saved mapping. Categories, locations, members and fields of the mapping that no
 * longer exist are left out. @throws AppError 400
 */
export async function withMapping<Input extends ImportAssets>(
  ctx: AppContext,
  owner: Owner,
  kind: ImportKind,
  input: Input,
): Promise<Input> {
  if (input.mappingId === undefined) return input
  const row = await store.findMapping(ctx.db.read, ownerKey(owner), input.mappingId)
  if (row === undefined || row.kind !== kind) throw errors.noSuchMapping()
  const options: MappingOptions = { ...(row.options as MappingOptions) }
  const isColumn = await columnTest(ctx, owner, kind)
  if (options.mapping !== undefined && input.mapping === undefined) {
    const entries = Object.entries(JSON.parse(options.mapping) as Record<string, string | null>)
    options.mapping = JSON.stringify(Object.fromEntries(entries.filter(([, key]) => key === null || isColumn(key))))
  }
  for (const name of MAP_NAMES) {
    const map = options[name]
    if (map === undefined || input[name] !== undefined) continue
    options[name] = await presentMap(ctx, owner, name, map)
  }
  if (options.categoryId !== undefined && !(await hasCategory(ctx, owner, options.categoryId)))
    delete options.categoryId
  return { ...options, ...input }
}

function toView({ id, owner, name, headings, options, ...row }: store.MappingRow): MappingView {
  return {
    id,
    orgId: orgOf(owner) || null,
    kind: row.kind,
    name,
    headings: [...headings],
    options: options as MappingOptions,
    createdBy: row.createdBy,
    version: row.version,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
}
