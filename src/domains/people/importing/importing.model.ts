/** Shapes of imports of users. */

import type { Budget } from '#http/budget.ts'
import { MAX_ERRORS } from '#http/imports.ts'
import { Enum, Id, Model, Nullable, Raw, type Static, Text, Type } from '#http/schema.ts'
import { HOUR } from '#platform/clock.ts'

/** Rows with content below the header. */
export const MAX_ROWS = 5000
export const MAX_COLUMNS = 100
export const PREVIEW_ROWS = 10

export const IMPORTS: Budget = {
  name: 'userImports',
  counts: { en: 'imports', zh: '导入' },
  per: 'user',
  limit: 100,
  windowMs: HOUR,
}

export const ImportUsers = Model('ImportUsers', {
  dryRun: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Checks the file and answers what an import would do, without writing anything',
    }),
  ),
  mapping: Type.Optional(
    Raw(65_536, 0, {
      description:
        'A JSON object with the column of users for each header, or null to ignore it: `username`, `nickname`, `email`, `phone`, `organization`, ' +
        '`role` or `language`. Other headers are recognized by their names',
      examples: ['{"Login":"username","Klasse":null}'],
    }),
  ),
  orgId: Type.Optional({ ...Id, description: 'The organization of rows that name none' }),
  way: Type.Optional(
    Enum(['START_CODE', 'INVITE', 'NONE'], {
      default: 'START_CODE',
      description:
        'How new users get in. START_CODE: with codes on slips, to be handed out. INVITE: the codes are mailed to `email`, which each row then needs; ' +
        'addresses that take no mail get a slip. NONE: by other ways, such as a sign-in provider',
    }),
  ),
  mode: Type.Optional(
    Enum(['CREATE', 'UPSERT'], {
      default: 'CREATE',
      description: 'UPSERT also changes nicknames and memberships of existing users, but not of administrators',
    }),
  ),
})
export type ImportUsers = Static<typeof ImportUsers>

const count = Type.Integer({ minimum: 0, examples: [3] })
const Key = Text('nickname', { description: 'A column of users' })

export const UsersImported = Model('UserImportResult', {
  total: { ...count, description: 'Rows with content' },
  valid: count,
  created: count,
  updated: count,
  unchanged: { ...count, description: 'Also rows of users whom the same file has made before' },
  errors: Type.Array(
    Model('UserImportError', {
      row: Type.Integer({ minimum: 1, description: 'As the spreadsheet shows it, from 1', examples: [5] }),
      column: Nullable(Text('E-mail', { description: 'The header in the file; null if the whole row is meant' })),
      value: Nullable(Text('lin@')),
      message: Text('is not an e-mail address'),
    }),
    { description: `At most ${MAX_ERRORS}` },
  ),
  errorCount: count,
  columns: Type.Array(Model('UserImportColumn', { header: Text('Login'), key: Nullable(Key) })),
  preview: Type.Array(
    Model('UserImportPreview', {
      row: Type.Integer({ minimum: 1, examples: [2] }),
      action: Enum(['CREATE', 'UPDATE', 'UNCHANGED']),
      values: Type.Array(Model('UserImportValue', { key: Key, value: Text('Lin Mei') })),
    }),
    { description: `The first ${PREVIEW_ROWS} rows without errors` },
  ),
  sheetUrl: Nullable(
    Text('https://qr.example.org/api/admin/user-imports/7/sheet?user=1&expires=1&signature=x', {
      description:
        'The names and start codes of new users as a workbook, and with `&format=pdf` as slips to cut out. It works without a token for 15 minutes, ' +
        'once for each of the two; then the codes are gone. null without start codes',
    }),
  ),
})
export type UsersImported = Static<typeof UsersImported>
