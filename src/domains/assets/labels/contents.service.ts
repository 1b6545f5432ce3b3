/** The codes and texts on labels of assets, supplies and locations. Rows are read while the file is sent. */

import type { AppContext } from '#context'
import { ownerKey } from '#db/owner-key.ts'
import type { LabelSettings } from '#db/schema/label-profiles.ts'
import type { Db } from '#db/store.ts'
import {
  computeValues,
  type FieldRow,
  fieldSet,
  isEnabled,
  seesValues,
  toText,
  visibleFields,
} from '#domains/metadata/index.ts'
import { locationTree, locationUrl } from '#domains/orgs/index.ts'
import type { Owner } from '#http/endpoint.ts'
import type { Label } from '#lib/labels/files.ts'
import type { Locale } from '#lib/localized.ts'
import { pathsOf } from '#lib/tree.ts'
import { serverZone } from '#platform/clock.ts'

import { categoryPaths } from '../categories/categories.service.ts'
import { entitiesOf } from '../entities.service.ts'
import { type AssetRow, assetsByIds } from '../register/register.store.ts'
import { publicUrlOf } from '../register/register.view.ts'
import { headerOf } from '../sheets.rules.ts'
import { locationPaths, personTexts } from '../sheets.store.ts'
import { placesOf } from '../supplies/movements.store.ts'
import { suppliesByIds } from '../supplies/supplies.store.ts'
import { supplyUrl } from '../supplies/supplies.view.ts'
import { fieldIdIn, fixedText, isColumn, type LabelColumn } from './labels.rules.ts'
import { nameOfOrg } from './labels.store.ts'

/** Rows read at once, which takes some milliseconds. */
const ROWS_PER_READ = 100

export interface ThingLabel extends Label {
  readonly id: number
}

/** The name of an asset when it has to be in the name of a file. */
const FALLBACK = 'label'

interface Reader {
  readonly ctx: AppContext
  readonly db: Db
  readonly owner: Owner
  readonly settings: LabelSettings
  readonly locale: Locale
}

/** The labels of these assets in their order. Those that were deleted meanwhile are left out. */
export async function* assetLabels(reader: Reader, ids: readonly number[]): AsyncGenerator<ThingLabel> {
  const { ctx, db, owner, settings, locale } = reader
  const key = ownerKey(owner)
  const { fields } = settings
  const uses = (column: LabelColumn): boolean => fields.includes(column)
  const names = {
    categories: uses('category') ? await categoryPaths(ctx, db, owner) : NONE,
    locations: uses('location') ? await locationPaths(db, key) : NONE,
    owner: uses('owner') && owner.orgId !== 0 ? await nameOfOrg(db, owner.orgId) : '',
  }
  const metadata = await fieldsOf(reader)
  for (let at = 0; at < ids.length; at += ROWS_PER_READ) {
    const some = ids.slice(at, at + ROWS_PER_READ)
    const byId = new Map((await assetsByIds(db, key, some)).map((row) => [row.id, row]))
    const rows = some.flatMap((id) => byId.get(id) ?? [])
    const custodians = uses('custodian') ? rows.flatMap(({ custodianId }) => custodianId ?? []) : []
    const people = await personTexts(db, key, [...new Set(custodians)])
    const values = await metadata.values(rows)
    for (const row of rows) {
      const texts = fields.map((field) => {
        if (isColumn(field))
          return labelled(settings, columnText(field, row, { ...names, people }), TITLES[field][locale])
        const fieldId = fieldIdIn(field)
        if (fieldId === undefined) return fixedText(field) ?? ''
        const known = metadata.byId.get(fieldId)
        return known === undefined ? '' : labelled(settings, values(row.id, known), known.name)
      })
      yield {
        id: row.id,
        content: settings.content === 'LINK' ? publicUrlOf(ctx, row.uuid) : row.assetNo,
        texts: texts.map(onOneLine).filter((text) => text !== ''),
        name: row.assetNo || FALLBACK,
      }
    }
  }
}

const NONE: ReadonlyMap<number, string> = new Map()
const onOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

const labelled = ({ fieldLabels }: LabelSettings, text: string, title: string): string =>
  fieldLabels && text !== '' ? `${title}: ${text}` : text

const titled = (key: Exclude<LabelColumn, 'owner'>) => ({
  en: headerOf({ key }, 'en'),
  zh: headerOf({ key }, 'zh'),
})
const TITLES: Readonly<Record<LabelColumn, Readonly<Record<Locale, string>>>> = {
  name: titled('name'),
  assetNo: titled('assetNo'),
  category: titled('category'),
  location: titled('location'),
  custodian: titled('custodian'),
  brand: titled('brand'),
  model: titled('model'),
  serialNo: titled('serialNo'),
  purchaseDate: titled('purchaseDate'),
  owner: { en: 'Owner', zh: '所属组织' },
}

interface Names {
  readonly categories: ReadonlyMap<number, string>
  readonly locations: ReadonlyMap<number, string>
  readonly people: ReadonlyMap<number, string>
  readonly owner: string
}

function columnText(column: LabelColumn, row: AssetRow, { categories, locations, people, owner }: Names): string {
  switch (column) {
    case 'category':
      return categories.get(row.categoryId ?? 0) ?? ''
    case 'location':
      return locations.get(row.locationId ?? 0) ?? ''
    case 'custodian':
      return people.get(row.custodianId ?? 0) ?? ''
    case 'owner':
      return owner
    default:
      return row[column] ?? ''
  }
}

/** Fields whose values are texts: files and references to other rows are left out. */
const LEFT_OUT: ReadonlySet<string> = new Set(['ATTACHMENT', 'PHOTO', 'REF'])

async function fieldsOf({ ctx, db, owner, settings, locale }: Reader) {
  const asked = new Set(settings.fields.flatMap((key) => fieldIdIn(key) ?? []))
  const isShown = asked.size > 0 && (await isEnabled(db, 'asset')) && (await seesValues(ctx, owner))
  const visible = isShown ? await visibleFields(db, 'asset', owner) : []
  const byId = new Map(
    visible.filter(({ id, type }) => asked.has(id) && !LEFT_OUT.has(type)).map((row) => [row.id, row]),
  )
  const set = await fieldSet(db, visible)
  return {
    byId,
    async values(rows: readonly AssetRow[]): Promise<(id: number, field: FieldRow) => string> {
      if (byId.size === 0 || rows.length === 0) return () => ''
      const entities = await computeValues(db, 'asset', set, await entitiesOf(db, rows))
      const byAsset = new Map(entities.map((of) => [of.entity.id, of]))
      return (id, field) => {
        const value = byAsset.get(id)?.get(field) ?? null
        return value === null ? '' : String(toText(field, value, locale, serverZone()) ?? '')
      }
    },
  }
}

/** The labels of locations of an organization: of these in their order, or of all along the tree. */
export async function* locationLabels(
  { ctx, db, owner, settings }: Reader,
  ids: readonly number[],
): AsyncGenerator<ThingLabel> {
  const rows = await locationTree.all(db, owner.orgId)
  const paths = pathsOf(rows)
  const byId = new Map(rows.map((row) => [row.id, row]))
  const name = settings.fields.includes('owner') ? await nameOfOrg(db, owner.orgId) : ''
  for (const id of ids) {
    const row = byId.get(id)
    if (row === undefined) continue
    const texts: Readonly<Record<string, string>> = { name: row.name, location: paths.get(id) ?? '', owner: name }
    yield {
      id,
      content: locationUrl(ctx, row),
      texts: settings.fields.map((key) => onOneLine(fixedText(key) ?? texts[key] ?? '')).filter((text) => text !== ''),
      name: row.name || FALLBACK,
    }
  }
}

/** The labels of these supplies in their order. Their location is where there are any, if that is one place. */
export async function* supplyLabels(reader: Reader, ids: readonly number[]): AsyncGenerator<ThingLabel> {
  const { ctx, db, owner, settings, locale } = reader
  const key = ownerKey(owner)
  const uses = (column: LabelColumn): boolean => settings.fields.includes(column)
  const categories = uses('category') ? await categoryPaths(ctx, db, owner) : NONE
  const locations = uses('location') ? await locationPaths(db, key) : NONE
  const ofOwner = uses('owner') && owner.orgId !== 0 ? await nameOfOrg(db, owner.orgId) : ''
  for (let at = 0; at < ids.length; at += ROWS_PER_READ) {
    const rows = await suppliesByIds(db, key, ids.slice(at, at + ROWS_PER_READ))
    const places = Map.groupBy(
      await placesOf(
        db,
        rows.map((row) => row.id),
      ),
      (place) => place.supplyId,
    )
    for (const row of rows) {
      const [only, ...others] = places.get(row.id) ?? []
      const texts: Readonly<Partial<Record<LabelColumn, string>>> = {
        name: row.name,
        assetNo: row.supplyNo,
        category: categories.get(row.categoryId ?? 0) ?? '',
        location: others.length === 0 ? (locations.get(only?.locationId ?? 0) ?? '') : '',
        owner: ofOwner,
      }
      const shown = settings.fields.map((field) =>
        isColumn(field) ? labelled(settings, texts[field] ?? '', TITLES[field][locale]) : (fixedText(field) ?? ''),
      )
      yield {
        id: row.id,
        content: settings.content === 'LINK' ? supplyUrl(ctx, row.uuid) : row.supplyNo,
        texts: shown.map(onOneLine).filter((text) => text !== ''),
        name: row.supplyNo || FALLBACK,
      }
    }
  }
}
