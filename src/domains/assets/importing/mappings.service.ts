/** Saved mappings: how a list is read that comes again and again. */

import type { AppContext } from '#context'
import { isUniqueViolation } from '#db/errors.ts'
import { ownerExists } from '#db/owner-counts.ts'
import { orgOf, ownerKey } from '#db/owner-key.ts'
import { mapPage, type Page, type PageInput } from '#db/paging.ts'
import type { Owner } from '#http/endpoint.ts'
import { badRequest, notFound } from '#http/errors.ts'
import { invalid } from '#http/validate.ts'
import { parseMapping } from '#lib/spreadsheets/mapping.ts'
import { sha256 } from '#platform/ids.ts'

import { assetCategoryTree } from '../categories/categories.store.ts'
import * as errors from './importing.errors.ts'
import {
  type CreateMapping,
  type ImportAssets,
  type MappingOptions,
  type MappingView,
  MAX_MAPPINGS,
  MAX_OPTIONS,
  type UpdateMapping,
} from './importing.model.ts'
import { headingsText } from './importing.rules.ts'
import * as store from './mappings.store.ts'
import { MAP_NAMES, presentMap, readMaps } from './maps.service.ts'
import { columnsOf } from './names.service.ts'

export const listMappings = async (ctx: AppContext, owner: Owner, page: PageInput): Promise<Page<MappingView>> =>
  mapPage(await store.mappingsPage(ctx.db.read, ownerKey(owner), page), toView)

export async function getMapping(ctx: AppContext, owner: Owner, id: number): Promise<MappingView> {
  const row = await store.findMapping(ctx.db.read, ownerKey(owner), id)
  if (row === undefined) throw notFound()
  return toView(row)
}

/** @throws AppError 400, 404 */
export async function createMapping(ctx: AppContext, owner: Owner, input: CreateMapping): Promise<MappingView> {
  const key = ownerKey(owner)
  await checkOptions(ctx, owner, input.options)
  const values = { ...named(input.name), ...headed(input.headings), options: input.options, createdBy: owner.userId }
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
  { name, headings, options }: UpdateMapping,
): Promise<MappingView> {
  if (options !== undefined) await checkOptions(ctx, owner, options)
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

/** The rules of a request hold for saved options too. */
async function checkOptions(ctx: AppContext, owner: Owner, options: MappingOptions): Promise<void> {
  if (JSON.stringify(options).length > MAX_OPTIONS)
    throw invalid('body.options', `has more than ${MAX_OPTIONS} characters`, `超过 ${MAX_OPTIONS} 个字符`)
  if (options.mapping !== undefined) {
    const { byKey } = await columnsOf(ctx.db.read, owner)
    const mapping = parseMapping(options.mapping, (key) => byKey.has(key))
    if ('en' in mapping) throw invalid('body.options.mapping', mapping.en, mapping.zh)
  }
  await readMaps(ctx, owner, options, 'body.options')
  const { categoryId } = options
  if (categoryId !== undefined && !(await hasCategory(ctx, owner, categoryId)))
    throw errors.noSuchCategory('body.options.categoryId')
}

const hasCategory = async (ctx: AppContext, owner: Owner, id: number): Promise<boolean> =>
  (await assetCategoryTree.find(ctx.db.read, ownerKey(owner), id)) !== undefined

/**
 * The parameters of a request, completed by those of its saved mapping. Categories, locations, members and fields of the mapping that no
 * longer exist are left out. @throws AppError 400
 */
export async function withMapping(ctx: AppContext, owner: Owner, input: ImportAssets): Promise<ImportAssets> {
  if (input.mappingId === undefined) return input
  const row = await store.findMapping(ctx.db.read, ownerKey(owner), input.mappingId)
  if (row === undefined) throw errors.noSuchMapping()
  const options: MappingOptions = { ...(row.options as MappingOptions) }
  const { byKey } = await columnsOf(ctx.db.read, owner)
  if (options.mapping !== undefined && input.mapping === undefined) {
    const entries = Object.entries(JSON.parse(options.mapping) as Record<string, string | null>)
    options.mapping = JSON.stringify(Object.fromEntries(entries.filter(([, key]) => key === null || byKey.has(key))))
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
    name,
    headings: [...headings],
    options: options as MappingOptions,
    createdBy: row.createdBy,
    version: row.version,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
}
