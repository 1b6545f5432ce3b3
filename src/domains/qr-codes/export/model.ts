import { Enum, Id, Model, Nullable, type Static, Type } from '#http/schema.ts'

import { CategoryFilter } from '../codes/model.ts'
import { DEFAULT_SIZE, Size } from '../render/model.ts'

/** Codes in one export: an archive of that many pictures has about 10 MB and takes some seconds. */
export const MAX_EXPORT = 20_000
export const FORMATS = ['zip', 'xlsx', 'csv'] as const
/** The media types of these formats. */
export const EXPORT_TYPES =
  'application/zip, application/vnd.openxmlformats-officedocument.spreadsheetml.sheet, text/csv'

const notBoth = { not: { required: ['ids', 'categoryId'] } }

export const ExportCodes = Model('ExportQrCodes', notBoth, {
  ids: Type.Optional(
    Nullable(Type.Array(Id, { minItems: 1, maxItems: MAX_EXPORT, description: 'In this order, each once' })),
  ),
  categoryId: Type.Optional(Nullable(CategoryFilter)),
  format: Enum(FORMATS, { description: 'zip: a PNG for each code and index.csv' }),
  size: {
    ...Size,
    default: DEFAULT_SIZE,
    description: 'Pixels a side of the pictures in a zip; more where a code needs more',
  },
  orgId: Type.Optional(Nullable(Id)),
})
export type ExportCodes = Static<typeof ExportCodes>
