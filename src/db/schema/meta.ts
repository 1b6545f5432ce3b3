import { sql } from 'drizzle-orm'

import { col, index, primaryKey, table, uniqueIndex } from '../dialect.ts'
import type { OwnerKey } from '../owner-key.ts'

export const FIELD_TYPES = [
  'TEXT',
  'TEXTAREA',
  'NUMBER',
  'DATE',
  'DATETIME',
  'BOOLEAN',
  'SELECT',
  'RADIO',
  'MULTI_SELECT',
  'CHECKBOX',
  'ATTACHMENT',
  'PHOTO',
  'GEO',
  'REF',
  'COMPUTED',
] as const
export type FieldType = (typeof FIELD_TYPES)[number]

/** The fixed columns of an asset that a GLOBAL field can stand for. */
export const ENTITY_COLUMNS = [
  'brand',
  'model',
  'serialNo',
  'supplier',
  'remark',
  'purchaseDate',
  'warrantyExpiry',
  'purchasePrice',
] as const
export type EntityColumn = (typeof ENTITY_COLUMNS)[number]

/** The configuration of a field as clients see it; metadata/types checks it. */
export type FieldConfig = Readonly<Record<string, unknown>>

/** Whose a field or template is: 0 for scope GLOBAL, otherwise an owner (db/owner-key.ts): scope ORG or USER. */
const scopeOwner = () => col.int('owner').notNull()
const isLive = sql.raw('deleted_at is null')

/** The kinds of things that can have metadata. */
export const metaObjects = table('meta_objects', {
  name: col.text('name').primaryKey(),
  label: col.text('label').notNull(),
  description: col.text('description').notNull().default(''),
  enabled: col.bool('enabled').notNull().default(true),
  builtIn: col.bool('built_in').notNull().default(false),
  createdAt: col.time('created_at').notNull(),
})

export const metaFields = table(
  'meta_fields',
  {
    id: col.id(),
    objectName: col
      .text('object_name')
      .notNull()
      .references(() => metaObjects.name),
    owner: scopeOwner(),
    key: col.text('key').notNull(),
    name: col.text('name').notNull(),
    type: col.text('type').$type<FieldType>().notNull(),
    /** The column of the entity that holds the value, instead of `meta_values`. */
    entityColumn: col.text('entity_column').$type<EntityColumn>(),
    config: col.json<FieldConfig>('config').notNull(),
    description: col.text('description').notNull().default(''),
    sortOrder: col.int('sort_order').notNull().default(0),
    version: col.int('version').notNull().default(1),
    deletedAt: col.time('deleted_at'),
    createdAt: col.time('created_at').notNull(),
    updatedAt: col.time('updated_at').notNull(),
  },
  (t) => [
    uniqueIndex('meta_fields_key').on(t.objectName, t.owner, t.key).where(isLive),
    uniqueIndex('meta_fields_column')
      .on(t.objectName, t.entityColumn)
      .where(sql.raw('entity_column is not null and deleted_at is null')),
    index('meta_fields_list').on(t.objectName, t.owner, t.deletedAt, t.sortOrder, t.id),
  ],
)

/** The fields that the formula of a COMPUTED field names directly. */
export const metaFormulaUses = table(
  'meta_formula_uses',
  {
    fieldId: col
      .int('field_id')
      .notNull()
      .references(() => metaFields.id),
    usesId: col
      .int('uses_id')
      .notNull()
      .references(() => metaFields.id),
  },
  (t) => [primaryKey({ columns: [t.fieldId, t.usesId] }), index('meta_formula_uses_used').on(t.usesId)],
)

export const metaTemplates = table(
  'meta_templates',
  {
    id: col.id(),
    objectName: col
      .text('object_name')
      .notNull()
      .references(() => metaObjects.name),
    owner: scopeOwner(),
    name: col.text('name').notNull(),
    description: col.text('description').notNull().default(''),
    isDefault: col.bool('is_default').notNull().default(false),
    /** The template that it was copied from. */
    sourceId: col.int('source_id'),
    version: col.int('version').notNull().default(1),
    deletedAt: col.time('deleted_at'),
    createdAt: col.time('created_at').notNull(),
    updatedAt: col.time('updated_at').notNull(),
  },
  (t) => [
    // `is_default` is true, in the words of both databases.
    uniqueIndex('meta_templates_default')
      .on(t.objectName, t.owner)
      .where(sql`${t.isDefault} and ${t.deletedAt} is null`),
    index('meta_templates_list').on(t.objectName, t.owner, t.deletedAt, t.id),
  ],
)

export const metaTemplateFields = table(
  'meta_template_fields',
  {
    templateId: col
      .int('template_id')
      .notNull()
      .references(() => metaTemplates.id),
    fieldId: col
      .int('field_id')
      .notNull()
      .references(() => metaFields.id),
    position: col.int('position').notNull(),
    group: col.text('group_name').notNull().default(''),
    required: col.bool('required').notNull().default(false),
  },
  (t) => [primaryKey({ columns: [t.templateId, t.fieldId] }), index('meta_template_fields_field').on(t.fieldId)],
)

/** Templates that are bound to a single entity. */
export const metaBindings = table(
  'meta_bindings',
  {
    objectName: col.text('object_name').notNull(),
    entityId: col.int('entity_id').notNull(),
    templateId: col
      .int('template_id')
      .notNull()
      .references(() => metaTemplates.id),
    position: col.int('position').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.objectName, t.entityId, t.templateId] }),
    index('meta_bindings_template').on(t.templateId),
  ],
)

/**
 * Values: a row each, and a row for each option, file or other part of a value that has several. Every type uses some of the columns,
 * so that each is found and sorted by an index:
 *
 * | type | columns |
 * |---|---|
 * | TEXT, TEXTAREA | `text`; `key`: its first 100 characters in lower case |
 * | NUMBER, DATETIME | `number`; a time in epoch milliseconds |
 * | DATE | `number`: days since 1970-01-01 |
 * | BOOLEAN | `number`: 0 or 1 |
 * | SELECT, RADIO; MULTI_SELECT, CHECKBOX in several rows | `key`: the value of the option |
 * | REF; ATTACHMENT, PHOTO in several rows | `number`: the id |
 * | GEO | `text`: JSON |
 *
 * COMPUTED values are not stored.
 */
export const metaValues = table(
  'meta_values',
  {
    id: col.id(),
    objectName: col.text('object_name').notNull(),
    entityId: col.int('entity_id').notNull(),
    fieldId: col
      .int('field_id')
      .notNull()
      .references(() => metaFields.id),
    /** From 0, for values of several rows. */
    position: col.int('position').notNull().default(0),
    /** The owner of the entity: a search never sees the values of others, and does not become slower with them. */
    owner: col.int('owner').$type<OwnerKey>().notNull(),
    text: col.text('text'),
    key: col.text('key'),
    number: col.real('number'),
  },
  (t) => [
    uniqueIndex('meta_values_entity').on(t.objectName, t.entityId, t.fieldId, t.position),
    index('meta_values_number').on(t.fieldId, t.owner, t.number, t.entityId),
    // Begins with the owner, to find all values of one too.
    index('meta_values_key').on(t.owner, t.fieldId, t.key, t.entityId),
  ],
)

/**
 * Entities, or owners of values and fields, that no longer exist. A job deletes their values in small writes, because there can be any
 * number of them.
 */
export const metaPurges = table(
  'meta_purges',
  {
    /** Empty for an owner. */
    objectName: col.text('object_name').notNull(),
    /** The id of the entity, or the owner. */
    target: col.int('target').notNull(),
  },
  (t) => [primaryKey({ columns: [t.objectName, t.target] })],
)

/**
 * Fields that were deleted or got another type, so that things with a value in them look different to clients that synchronize. A job
 * raises the versions of these things in small writes.
 */
export const metaFieldChanges = table('meta_field_changes', {
  fieldId: col.int('field_id').primaryKey(),
  objectName: col.text('object_name').notNull(),
  /** The last value whose thing was changed, as the index `meta_values_number` orders them; null before the first one. */
  afterOwner: col.int('after_owner').$type<OwnerKey>(),
  afterNumber: col.real('after_number'),
  afterEntityId: col.int('after_entity_id'),
})

/** Users who deleted their account and organizations that were dissolved. A job deletes their fields and templates, then the row. */
export const metaRemovedOwners = table('meta_removed_owners', {
  owner: col.int('owner').$type<OwnerKey>().primaryKey(),
})
