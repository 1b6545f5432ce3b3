/** Shapes of labels and of their profiles in requests and answers. */

import type { Budget } from '#http/budget.ts'
import {
  Enum,
  Id,
  Line,
  Model,
  Named,
  Nullable,
  NumberEnum,
  PageOf,
  PageQuery,
  RowVersion,
  type Static,
  Text,
  Time,
  Type,
} from '#http/schema.ts'
import { MEDIA_TYPES } from '#lib/labels/media.ts'
import { CONTENTS, FORMATS, PLACEMENTS, RESOLUTIONS, ROTATIONS, SYMBOLOGIES } from '#lib/labels/profile.ts'
import { LEVELS } from '#lib/qr/spec.ts'
import { DAY } from '#platform/clock.ts'

import { AssetSort, filters } from '../register/register.model.ts'
import { SupplyKindName } from '../supplies/supplies.model.ts'

/** Of a user or an organization. */
export const MAX_PROFILES = 50
/** Labels in one file, with copies. */
export const MAX_LABELS = 5000
const MAX_COPIES = 20
const MAX_SKIP = 500
const MAX_FIELDS = 6
/** Characters of a fixed text, after `text:`. */
export const MAX_TEXT = 60

const ROTATE = { description: '0 or 90 degrees, clockwise', examples: [90] }

/** Each file takes some seconds of work. */
export const LABELS: Budget = {
  name: 'labels',
  counts: { en: 'labels', zh: '标签' },
  per: 'user',
  limit: 50_000,
  windowMs: DAY,
  durable: true,
  countedByRun: true,
}

const optional = <T extends Parameters<typeof Nullable>[0]>(schema: T) => Type.Optional(Nullable(schema))
const length = (minimum: number, maximum: number, example: number, description?: string) =>
  Type.Number({ minimum, maximum, examples: [example], ...(description !== undefined && { description }) })

const Paper = Enum(['A4', 'LETTER'])
const MediaName = Enum(MEDIA_TYPES, { examples: ['ROLL'] })
const Count = Type.Integer({ minimum: 1, maximum: 100, examples: [3] })

const sheetFields = {
  paper: Paper,
  columns: Count,
  rows: Count,
  marginTop: length(0, 300, 15.1),
  marginLeft: length(0, 300, 7.2),
  gapX: length(0, 100, 2.5),
  gapY: length(0, 100, 0),
}
const tapeFields = { minLength: length(5, 300, 25), maxLength: length(5, 300, 300) }
const nullables = <T extends Record<string, Parameters<typeof Nullable>[0]>>(fields: T) =>
  Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, Nullable(schema)])) as {
    [K in keyof T]: ReturnType<typeof Nullable<T[K]>>
  }
const MediaShape = {
  ...nullables(sheetFields),
  ...nullables(tapeFields),
}

const MediaInput = Model('LabelMediaInput', {
  type: Type.Optional(MediaName),
  key: optional(
    Line(40, 1, { description: 'Of a built-in medium, which then has its measures', examples: ['roll-50x30'] }),
  ),
  width: Type.Optional(length(5, 300, 50, 'Millimetres with one decimal, as are all lengths. Of a tape: its width')),
  height: Type.Optional(length(5, 300, 30, 'Ignored for a tape')),
  paper: optional(sheetFields.paper),
  columns: optional(sheetFields.columns),
  rows: optional(sheetFields.rows),
  marginTop: optional(sheetFields.marginTop),
  marginLeft: optional(sheetFields.marginLeft),
  gapX: optional(sheetFields.gapX),
  gapY: optional(sheetFields.gapY),
  minLength: optional(tapeFields.minLength),
  maxLength: optional(tapeFields.maxLength),
})
export type MediaInput = Static<typeof MediaInput>

const FIELDS =
  '`name`, `assetNo`, `category`, `location`, `custodian`, `brand`, `model`, `serialNo`, `purchaseDate`, `owner` (the organization), ' +
  '`field:` and the id of a field, or `text:` and a text. Empty ones take no room; the first is bold'

const settings = {
  media: MediaInput,
  symbology: Type.Optional(Enum(SYMBOLOGIES, { description: 'QR by default' })),
  content: Type.Optional(
    Enum(CONTENTS, {
      description: 'The public address (the default), or the asset number. Code 128 has the number only',
    }),
  ),
  level: Type.Optional(Enum(LEVELS, { description: 'Error correction of QR codes; M by default' })),
  placement: Type.Optional(
    Enum(PLACEMENTS, {
      description: 'Of the code: left of the texts (the default), above them, or without texts. Code 128 is above them',
    }),
  ),
  fields: Type.Optional(
    Type.Array(Line(MAX_TEXT + 5, 1), { maxItems: MAX_FIELDS, description: FIELDS, examples: [['name', 'assetNo']] }),
  ),
  fieldLabels: Type.Optional(Type.Boolean({ description: 'Whether texts begin with what they are' })),
  logo: Type.Optional(Type.Boolean({ description: 'The picture of the organization beside the code' })),
  border: Type.Optional(Type.Boolean()),
  rotate: Type.Optional(NumberEnum(ROTATIONS, ROTATE)),
  offsetX: Type.Optional(length(-10, 10, 0.5, 'Millimetres by which a printer has to print further to the right')),
  offsetY: Type.Optional(length(-10, 10, -0.5)),
  scaleX: Type.Optional(Type.Number({ minimum: 0.95, maximum: 1.05, examples: [1.01] })),
  scaleY: Type.Optional(Type.Number({ minimum: 0.95, maximum: 1.05, examples: [1] })),
}

const ProfileName = Line(100, 1, { examples: ['Zebra in the office'] })
const ProfileInput = Model('LabelProfileInput', settings)
export type ProfileInput = Static<typeof ProfileInput>
export const CreateProfile = Model('CreateLabelProfile', { name: ProfileName, ...settings, orgId: optional(Id) })
export type CreateProfile = Static<typeof CreateProfile>
export const UpdateProfile = Named(
  'UpdateLabelProfile',
  Type.Partial(Type.Object({ name: ProfileName, ...settings, orgId: Nullable(Id) })),
)
export type UpdateProfile = Static<typeof UpdateProfile>
export const ProfilesQuery = PageQuery({ orgId: Type.Optional(Id) })

const MediaView = Model('LabelMedia', {
  type: MediaName,
  key: Nullable(Text('roll-50x30')),
  width: length(0, 300, 50),
  height: length(0, 300, 30),
  ...MediaShape,
})
export const MediaList = Type.Object({
  items: Type.Array(
    Model('BuiltInLabelMedia', { ...MediaView.properties, key: Text('roll-50x30'), name: Text('Roll 50 × 30 mm') }),
  ),
})

const number = Type.Number({ examples: [0] })
export const ProfileView = Model('LabelProfile', {
  id: Id,
  orgId: Nullable(Id),
  name: ProfileName,
  media: MediaView,
  symbology: Enum(SYMBOLOGIES),
  content: Enum(CONTENTS),
  level: Enum(LEVELS),
  placement: Enum(PLACEMENTS),
  fields: Type.Array(Text('name')),
  fieldLabels: Type.Boolean(),
  logo: Type.Boolean(),
  border: Type.Boolean(),
  rotate: NumberEnum(ROTATIONS, ROTATE),
  offsetX: number,
  offsetY: number,
  scaleX: Type.Number({ examples: [1] }),
  scaleY: Type.Number({ examples: [1] }),
  version: RowVersion,
  createdAt: Time,
  updatedAt: Time,
})
export type ProfileView = Static<typeof ProfileView>
export const ProfilePage = PageOf(ProfileView)

const { ids: _, ...listFilters } = filters
const FieldFilters = Type.Optional(
  Type.Array(Line(300, 1), {
    maxItems: 5,
    description: 'Filters by fields as in the address of the list',
    examples: [['field.12=red']],
  }),
)
const Filter = Type.Object(
  {
    ...listFilters,
    fields: FieldFilters,
    kind: Type.Optional({ ...SupplyKindName, description: 'Of supplies only' }),
    low: Type.Optional(
      Type.Boolean({ description: 'Of supplies only: whether there are fewer than the minimum', examples: [true] }),
    ),
  },
  { additionalProperties: false, examples: [{}] },
)
export type Filter = Static<typeof Filter>

const selection = {
  orgId: optional(Id),
  source: Type.Optional(Enum(['ASSET', 'SUPPLY', 'LOCATION'], { default: 'ASSET' })),
  ids: optional(
    Type.Array(Id, {
      minItems: 1,
      maxItems: MAX_LABELS,
      uniqueItems: true,
      description: 'In this order unless `sort` is given',
    }),
  ),
  filter: optional(Filter),
  sort: AssetSort,
  skip: Type.Optional(
    Type.Integer({ minimum: 0, maximum: MAX_SKIP, default: 0, description: 'Used labels of the first sheet' }),
  ),
  copies: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_COPIES, default: 1 })),
  profileId: optional(Id),
  profile: optional(ProfileInput),
  format: Enum(FORMATS),
  dpi: Type.Optional(
    NumberEnum(RESOLUTIONS, {
      default: 203,
      description: '203, 300 or 600: of PNG and ZPL; 600 for PNG only',
      examples: [300],
    }),
  ),
  skipUnfit: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Leaves out things whose code does not fit, and ids that do not exist',
    }),
  ),
}
export const PrintLabels = Model('PrintLabels', selection)
export type PrintLabels = Static<typeof PrintLabels>

export const Calibrate = Model('PrintCalibration', {
  orgId: optional(Id),
  profile: ProfileInput,
  format: Enum(FORMATS),
  dpi: selection.dpi,
})
export type Calibrate = Static<typeof Calibrate>

export const REASONS = ['NOT_FOUND', 'NOT_ASCII', 'TOO_LONG'] as const
export const LabelCount = Model('LabelCount', {
  labels: Type.Integer({ minimum: 0, examples: [48] }),
  pages: Type.Integer({ minimum: 0, description: 'Sheets or labels of a PDF', examples: [2] }),
  missing: Type.Array(Type.Object({ id: Id, reason: Enum(REASONS, { examples: ['TOO_LONG'] }) })),
  warning: Nullable(Text('Labels will lead to http://localhost:8080, which other devices cannot open.')),
})
export type LabelCount = Static<typeof LabelCount>
