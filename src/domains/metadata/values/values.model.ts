import type { Static } from '@sinclair/typebox'

import { ENTITY_COLUMNS, FIELD_TYPES, type FieldType, type metaFields, type metaValues } from '#db/schema/meta.ts'
import { Enum, Id, InOrg, Model, Nullable, PageOf, PageQuery, Sort, Text, Type } from '#http/schema.ts'

import { ObjectName, SCOPES } from '../metadata.model.ts'

export type FieldRow = typeof metaFields.$inferSelect

export type ValueRow = Pick<
  typeof metaValues.$inferSelect,
  'id' | 'entityId' | 'fieldId' | 'position' | 'text' | 'key' | 'number'
>

/** Fields that an entity can have: 200 of each scope. */
export const MAX_VALUES = 600
/** Options, files and single values that one request may contain. Each is a row. */
export const MAX_PARTS = 5000
/** Characters of texts and options that the values of one entity can have together, in the fields that a user sees: lists show all of them. */
export const MAX_TEXTS = 200_000
/** Deleted fields that an answer shows. */
export const MAX_DELETED = 200
/** Fields by which a list can be filtered at once. */
export const MAX_FILTERS = 5

export const FILE_FIELD_TYPES: ReadonlySet<FieldType> = new Set(['ATTACHMENT', 'PHOTO'])

/** A value as JSON; its shape depends on the type of the field. */
const Value = Type.Unsafe<unknown>(
  Type.Any({
    description:
      'By type of the field: a string (TEXT, TEXTAREA, SELECT, RADIO; DATE as `YYYY-MM-DD`), a number (NUMBER; DATETIME in epoch ' +
      'milliseconds), true or false, an array of strings (MULTI_SELECT, CHECKBOX), `{latitude, longitude, address?, accuracy?}` (GEO), ' +
      '`{id, title}` (REF; an id in requests), an array of files (ATTACHMENT, PHOTO; file ids in requests); null if empty',
    examples: ['Hall B'],
  }),
)

const FieldId = { ...Id, description: 'The id of the field' }
const field = {
  fieldId: FieldId,
  key: Text('color'),
  name: Text('Color'),
  type: Enum(FIELD_TYPES),
}

export const FieldValue = Model('FieldValue', {
  ...field,
  scope: Enum(SCOPES),
  config: Type.Unsafe<Readonly<Record<string, unknown>>>(Type.Any({ examples: [{ required: true }] })),
  entityColumn: Nullable(Enum(ENTITY_COLUMNS)),
  templateId: Nullable({ ...Id, description: 'The template in force that contains the field' }),
  group: Text('Appearance'),
  order: Nullable(Type.Integer({ minimum: 0, description: 'Within the templates in force' })),
  required: Type.Boolean(),
  writable: Type.Boolean({ description: 'Whether you can change the value' }),
  value: Value,
  deleted: Type.Optional(Type.Literal(true, { description: 'The field was deleted. Only with `includeDeleted`' })),
})
export type FieldValue = Static<typeof FieldValue>

export const EntityValues = Model('EntityValues', {
  items: Type.Array(FieldValue),
  missingRequired: Type.Array(FieldId, { description: 'Required fields without a value' }),
})
export type EntityValues = Static<typeof EntityValues>

/** A value in an answer about its entity. Fields without a value are left out. */
export const AssetValue = Model('AssetValue', { ...field, value: Value })
export type AssetValue = Static<typeof AssetValue>

export const NewValue = Model('NewValue', {
  fieldId: Type.Optional(Id),
  key: Type.Optional(Text('color', { maxLength: 100, description: 'Instead of `fieldId`' })),
  value: Value,
})

/** `values` of a body. */
export const NewValues = Type.Array(NewValue, { maxItems: MAX_VALUES })

export const ByEntity = Type.Object({ objectName: ObjectName, entityId: Id })
export const ValuesQuery = Type.Object({
  ...InOrg.properties,
  includeDeleted: Type.Optional(
    Type.Boolean({ description: 'Also values of deleted fields, which cannot be changed' }),
  ),
})
export const UpdateValues = Model(
  'UpdateValues',
  { examples: [{ values: [{ fieldId: 42, value: 12.5 }] }] },
  { values: NewValues, orgId: Type.Optional(Nullable(Id)) },
)

const bound = (description: string) => Type.Optional(Text('10', { maxLength: 1000, description }))
export const SearchQuery = PageQuery({
  ...InOrg.properties,
  fieldId: Id,
  value: bound('As in the filters of asset lists: part of a text, options by comma, an exact number or date, an id'),
  min: bound('NUMBER, DATE, DATETIME and COMPUTED only'),
  max: bound('NUMBER, DATE, DATETIME and COMPUTED only'),
  sort: Sort(['value']),
})
export type SearchQuery = Static<typeof SearchQuery>

export const FoundValue = Model('FoundValue', { entityId: Id, title: Text('Projector'), value: Value })
export type FoundValue = Static<typeof FoundValue>
export const FoundValuePage = PageOf(FoundValue)
