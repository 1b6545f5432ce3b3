import { Enum, Id, InOrg, Model, Nullable, type Static, TimeZone, Type } from '#http/schema.ts'

import { CategoryFilter } from '../codes/codes.model.ts'
import { DEFAULT_SIZE, Size } from '../render/render.model.ts'

/** Codes in one export. An archive of that many pictures has about 10 MB and takes some seconds. */
export const MAX_EXPORT = 20_000
export const FORMATS = ['zip', 'plain', 'xlsx', 'csv'] as const
/** The media types of these formats. */
export const EXPORT_TYPES =
  'application/zip, application/vnd.openxmlformats-officedocument.spreadsheetml.sheet, text/csv'

const notBoth = { not: { required: ['ids', 'categoryId'] } }

export const ExportQuery = Type.Object({
  ...InOrg.properties,
  tz: { ...TimeZone, description: `${TimeZone.description}, of the times in the table` },
})

export const ExportCodes = Model('ExportQrCodes', notBoth, {
  ids: Type.Optional(
    Nullable(
      Type.Array(Id, { minItems: 1, maxItems: MAX_EXPORT, description: 'The export keeps this order. No duplicates' }),
    ),
  ),
  categoryId: Type.Optional(Nullable(CategoryFilter)),
  all: Type.Optional(
    Type.Boolean({
      description: 'All codes, however many; instead of `ids`. In the order in which they were created',
      examples: [false],
    }),
  ),
  format: Enum(FORMATS, {
    description: '`zip` contains a PNG for each code, and index.csv; `plain` is a zip without designs',
  }),
  size: {
    ...Size,
    default: DEFAULT_SIZE,
    description: 'Side of the pictures in a zip, in pixels. Codes that need more get larger pictures',
  },
  frame: Type.Optional(Type.Boolean({ default: true, description: 'Whether designs have their frame' })),
  orgId: Type.Optional(Nullable(Id)),
})
export type ExportCodes = Static<typeof ExportCodes>
