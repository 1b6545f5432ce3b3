import { ENTITY_COLUMNS, FIELD_TYPES } from '#db/schema/meta.ts'
import {
  Description,
  Enum,
  Line,
  Model,
  Name,
  Nullable,
  PageOf,
  PageQuery,
  type Static,
  Text,
  Type,
} from '#http/schema.ts'

/** Objects that administrators can register, the built-in ones included. */
export const MAX_OBJECTS = 100

export const ObjectsQuery = PageQuery({})
export type ObjectsQuery = Static<typeof ObjectsQuery>

export const CreateObject = Model('CreateMetaObject', {
  name: Type.String({
    pattern: '^[a-z][A-Za-z0-9]{1,39}$',
    description: 'Compared with case. It never changes',
    examples: ['vehicle'],
  }),
  label: { ...Name, examples: ['Vehicle'] },
  description: Type.Optional(Nullable({ ...Description, examples: ['Cars and trailers of the organization'] })),
})
export type CreateObject = Static<typeof CreateObject>

export const ChangeStatus = Model('ChangeMetaObjectStatus', { enabled: Type.Boolean() })

export const ObjectView = Model('MetaObject', {
  name: Text('asset'),
  label: Line(100, 0, { examples: ['Asset'] }),
  description: Text('Things of a user or an organization'),
  enabled: Type.Boolean(),
  builtIn: Type.Boolean({ description: 'Whether every server has it from its first start' }),
  entityColumns: Type.Array(Type.Object({ column: Enum(ENTITY_COLUMNS), type: Enum(FIELD_TYPES) }), {
    description: 'Fixed columns that GLOBAL fields can stand for',
  }),
  fieldCount: Type.Integer({
    minimum: 0,
    description: 'The fields of scope GLOBAL, and for users also their own ones',
    examples: [8],
  }),
})
export type ObjectView = Static<typeof ObjectView>
export const ObjectPage = PageOf(ObjectView)
