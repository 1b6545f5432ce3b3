import { Enum, Id, type Static, Type } from '#http/schema.ts'
import type { Locale } from '#lib/localized.ts'

export const BySheet = Type.Object({ id: Id })
export const SheetQuery = Type.Object({
  user: Id,
  expires: Type.Integer({ minimum: 0, examples: [1_780_000_000] }),
  signature: Type.String({ minLength: 1, maxLength: 64, examples: ['Zk3q0sJ9xW7vT2bN5yLrAe'] }),
  format: Type.Optional(
    Enum(['xlsx', 'pdf'], { default: 'xlsx', description: 'A workbook, or slips to cut out and hand out' }),
  ),
})
export type SheetQuery = Static<typeof SheetQuery>

/** The contents of a slip. `language`: undefined for that of the request. */
export interface PrintedSlip {
  readonly name: string
  readonly username: string
  readonly code: string
  readonly language?: Locale | undefined
}

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
export const TYPES = { xlsx: XLSX, pdf: 'application/pdf' } as const
export const SHEET_TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet, application/pdf'
