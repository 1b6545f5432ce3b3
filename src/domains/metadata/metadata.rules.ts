/** Scopes of fields and templates, and the metadata that every server has from its first start. */

import type { EntityColumn, FieldConfig, FieldType } from '#db/schema/meta.ts'
import type { Locale, Localized } from '#lib/localized.ts'

import type { Scope, ScopeInput } from './metadata.model.ts'

/** The `owner` of fields and templates of scope GLOBAL; otherwise see db/owner-key.ts. */
export const GLOBAL = 0

export const scopeOf = (owner: number): Scope => (owner === GLOBAL ? 'GLOBAL' : owner > 0 ? 'ORG' : 'USER')

/** Whose a field or template is, as views say it. */
export const scopeView = (owner: number): { scope: Scope; orgId: number | null; userId: number | null } => ({
  scope: scopeOf(owner),
  orgId: owner > 0 ? owner : null,
  userId: owner < 0 ? -owner : null,
})

/** The `owner` of the given scope. The caller has checked that the id which the scope needs is given. */
export const ownerOf = ({ scope, orgId, userId }: ScopeInput): number =>
  scope === 'GLOBAL' ? GLOBAL : scope === 'ORG' ? orgId! : -userId!

/** The owners whose fields a viewer sees: GLOBAL, the organization if there is one, and the viewer. */
export const fieldOwners = ({ userId, orgId }: { readonly userId: number; readonly orgId: number }): number[] =>
  orgId === 0 ? [GLOBAL, -userId] : [GLOBAL, orgId, -userId]

interface BuiltInObject {
  readonly name: string
  readonly label: Localized
  readonly description: Localized
}

export const BUILT_IN_OBJECTS: readonly BuiltInObject[] = [
  {
    name: 'asset',
    label: { en: 'Asset', zh: '资产' },
    description: { en: 'Things of a user or an organization', zh: '个人或组织的物品' },
  },
  {
    name: 'activity',
    label: { en: 'Activity', zh: '活动' },
    description: { en: 'Events with check-in and passes', zh: '带签到和通行证的活动' },
  },
  {
    name: 'qrCode',
    label: { en: 'QR code', zh: '二维码' },
    description: { en: 'Stored QR codes', zh: '保存的二维码' },
  },
  {
    name: 'category',
    label: { en: 'Category', zh: '分类' },
    description: { en: 'Categories of QR codes', zh: '二维码的分类' },
  },
  {
    name: 'org',
    label: { en: 'Organization', zh: '组织' },
    description: { en: 'Organizations themselves', zh: '组织本身' },
  },
]

/** The object whose entities have fixed columns. */
export const COLUMN_OBJECT = 'asset'

interface StandardField {
  readonly column: EntityColumn
  readonly type: FieldType
  readonly name: Localized
  readonly config: FieldConfig
}

/** A GLOBAL field for each fixed column of an asset. The order is that of the default template. */
export const STANDARD_FIELDS: readonly StandardField[] = [
  { column: 'brand', type: 'TEXT', name: { en: 'Brand', zh: '品牌' }, config: { maxLength: 100 } },
  { column: 'model', type: 'TEXT', name: { en: 'Model', zh: '型号' }, config: { maxLength: 100 } },
  { column: 'serialNo', type: 'TEXT', name: { en: 'Serial no.', zh: '序列号' }, config: { maxLength: 100 } },
  { column: 'purchaseDate', type: 'DATE', name: { en: 'Purchase date', zh: '购买日期' }, config: {} },
  {
    column: 'purchasePrice',
    type: 'NUMBER',
    name: { en: 'Purchase price', zh: '购买价格' },
    config: { min: 0, precision: 2 },
  },
  { column: 'supplier', type: 'TEXT', name: { en: 'Supplier', zh: '供应商' }, config: { maxLength: 100 } },
  { column: 'warrantyExpiry', type: 'DATE', name: { en: 'Warranty expiry', zh: '保修截止日期' }, config: {} },
  { column: 'remark', type: 'TEXTAREA', name: { en: 'Remark', zh: '备注' }, config: { maxLength: 2000 } },
]

export const STANDARD_TEMPLATE: Localized = { en: 'Standard fields', zh: '标准字段' }

const columnTypes = new Map(STANDARD_FIELDS.map(({ column, type }) => [column as string, type]))

/** The type that a field for a fixed column of the object must have; undefined if the object has no such column. */
export const typeOfColumn = (objectName: string, column: string): FieldType | undefined =>
  objectName === COLUMN_OBJECT ? columnTypes.get(column) : undefined

/** The fixed columns of an object with the types of their fields. */
export const columnsOf = (objectName: string): { column: EntityColumn; type: FieldType }[] =>
  objectName === COLUMN_OBJECT ? STANDARD_FIELDS.map(({ column, type }) => ({ column, type })) : []

/** The stored text, or its translation if it still is the initial one. */
const translated = (initial: Localized | undefined, stored: string, locale: Locale): string =>
  initial?.en === stored ? initial[locale] : stored

/** The text to store: a client that sends back the text it was shown does not change it. */
const untranslated = (initial: Localized | undefined, given: string): string =>
  initial && Object.values(initial).includes(given) ? initial.en : given

const builtIn = new Map(BUILT_IN_OBJECTS.map((object) => [object.name, object]))

export const shownLabel = (name: string, stored: string, locale: Locale): string =>
  translated(builtIn.get(name)?.label, stored, locale)
export const shownDescription = (name: string, stored: string, locale: Locale): string =>
  translated(builtIn.get(name)?.description, stored, locale)

const initialFieldName = (column: EntityColumn | null): Localized | undefined =>
  STANDARD_FIELDS.find((field) => field.column === column)?.name

/** The name of a field in the language of the reader. Only the fields for fixed columns have names in several languages. */
export const shownFieldName = (field: { name: string; entityColumn: EntityColumn | null }, locale: Locale): string =>
  translated(initialFieldName(field.entityColumn), field.name, locale)
export const storedFieldName = (field: { name: string; entityColumn: EntityColumn | null }): string =>
  untranslated(initialFieldName(field.entityColumn), field.name)

interface NamedTemplate {
  readonly owner: number
  readonly objectName: string
  readonly name: string
}
const initialTemplateName = ({ owner, objectName }: NamedTemplate): Localized | undefined =>
  owner === GLOBAL && objectName === COLUMN_OBJECT ? STANDARD_TEMPLATE : undefined

export const shownTemplateName = (template: NamedTemplate, locale: Locale): string =>
  translated(initialTemplateName(template), template.name, locale)
export const storedTemplateName = (template: NamedTemplate): string =>
  untranslated(initialTemplateName(template), template.name)
