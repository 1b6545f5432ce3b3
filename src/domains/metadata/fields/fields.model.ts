import { ENTITY_COLUMNS, FIELD_TYPES } from '#db/schema/meta.ts'
import {
  Description,
  Enum,
  Id,
  Line,
  Model,
  Name,
  Nullable,
  PageOf,
  PageQuery,
  RowVersion,
  SortOrder,
  type Static,
  Text,
  Time,
  Type,
} from '#http/schema.ts'

import { ObjectName, scopeFields, scopeFilters, scopeInput, SCOPES } from '../metadata.model.ts'

/** Fields of an object that one owner (a user, an organization or scope GLOBAL) can have. Lists of a viewer have three owners at most. */
export const MAX_FIELDS = 200
/**
 * Characters of JSON that the configurations of these fields can have together: every list of values reads them. 200 fields with 40
 * options each fit.
 */
export const MAX_CONFIGS = 1_000_000

/**
 * Characters of JSON that the configurations of the COMPUTED ones among them can have together: every value in a list is computed when it
 * is read. So many take about two milliseconds for an entity.
 */
export const MAX_FORMULAS = 20_000

export const ByField = Type.Object({ objectName: ObjectName, id: Id })
export const ByOrgField = Type.Object({ orgId: Id, objectName: ObjectName, id: Id })

const Config = Type.Unsafe<Record<string, unknown>>(
  Type.Record(Type.String(), Type.Unknown(), {
    description:
      'Validation and presentation, by type. For all types: `required`, `default`, `placeholder`, `help`, `group`. Keys that the type does ' +
      'not have are dropped',
    examples: [{ min: 0, max: 100, precision: 1, unit: 'kg' }],
  }),
)

const Key = Type.String({
  pattern: '^[a-z][A-Za-z0-9]{0,39}$',
  description: 'The name of the field in formulas; `f` and the id if you give none. It never changes',
  examples: ['weight'],
})
const FieldName = { ...Name, examples: ['Weight'] }
const FieldDescription = { ...Description, examples: ['Without packaging'] }
const FieldType = Enum(FIELD_TYPES, { examples: ['NUMBER'] })

const newField = {
  name: FieldName,
  type: FieldType,
  key: Type.Optional(Nullable(Key)),
  config: Type.Optional(Nullable(Config)),
  description: Type.Optional(Nullable(FieldDescription)),
  sortOrder: Type.Optional(SortOrder),
}

export const CreateField = Model('CreateMetaField', newField)
export type CreateField = Static<typeof CreateField>

const EXAMPLE = {
  objectName: 'asset',
  scope: 'GLOBAL',
  name: 'Weight',
  type: 'NUMBER',
  key: 'weight',
  config: { min: 0 },
}

/** The fields of a body for any scope. */
export const CreateAnyField = Model(
  'CreateAnyMetaField',
  { examples: [EXAMPLE] },
  {
    objectName: ObjectName,
    ...scopeInput,
    entityColumn: Type.Optional(
      Nullable(
        Line(40, 0, {
          description: `The fixed column of an asset that has the value (GLOBAL only): ${ENTITY_COLUMNS.join(', ')}`,
          examples: ['brand'],
        }),
      ),
    ),
    ...newField,
  },
)
export type CreateAnyField = Static<typeof CreateAnyField>

/** Only the fields present change. */
export const UpdateField = Model('UpdateMetaField', {
  name: Type.Optional(FieldName),
  type: Type.Optional(FieldType),
  config: Type.Optional(Nullable(Config)),
  description: Type.Optional(Nullable(FieldDescription)),
  sortOrder: Type.Optional(SortOrder),
})
export type UpdateField = Static<typeof UpdateField>

const filters = {
  type: Type.Optional(FieldType),
  keyword: Type.Optional(Line(100, 0, { description: 'Part of the name or the key', examples: ['weight'] })),
}

export const FieldsQuery = PageQuery({
  ...filters,
  scope: Type.Optional(Enum(SCOPES)),
  orgId: Type.Optional(Id),
  entityId: Type.Optional({ ...Id, description: 'Only the fields of the templates in force for this entity' }),
})
export type FieldsQuery = Static<typeof FieldsQuery>

export const OrgFieldsQuery = PageQuery({ ...filters, scope: Type.Optional(Enum(SCOPES)) })
export type OrgFieldsQuery = Static<typeof OrgFieldsQuery>

export const AllFieldsQuery = PageQuery({ ...filters, ...scopeFilters })
export type AllFieldsQuery = Static<typeof AllFieldsQuery>

export const FieldView = Model('MetaField', {
  id: Id,
  objectName: Text('asset'),
  key: Text('weight'),
  name: Text('Weight'),
  type: FieldType,
  ...scopeFields,
  entityColumn: Nullable(Enum(ENTITY_COLUMNS, { description: 'The fixed column of the asset that holds the value' })),
  config: Config,
  description: Text('Without packaging'),
  sortOrder: SortOrder,
  version: RowVersion,
  createdAt: Time,
  updatedAt: Time,
})
export type FieldView = Static<typeof FieldView>
export const FieldPage = PageOf(FieldView)

/** For the descriptions of lists. */
export const FIELD_ORDER = 'The widest scope first, then by `sortOrder`, then the oldest first.'
