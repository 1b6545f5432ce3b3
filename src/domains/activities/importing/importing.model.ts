/** Shapes of imports of participants. */

import { MAX_ERRORS } from '#http/imports.ts'
import { Enum, Id, Model, Nullable, Raw, type Static, Text, Type } from '#http/schema.ts'

/** Rows with content below the header. */
export const MAX_ROWS = 5000
export const MAX_COLUMNS = 200
export const PREVIEW_ROWS = 10

const flag = (description: string) => Type.Optional(Type.Boolean({ default: false, description }))

export const ImportParticipants = Model('ImportParticipants', {
  dryRun: flag('Checks the file and answers what an import would do, without writing anything'),
  mapping: Type.Optional(
    Raw(65_536, 0, {
      description:
        'A JSON object with the column of participants for each header, or null to ignore it: `name`, `email`, `status`, `language`, `note`, ' +
        '`source`, or `answers.` and the key of a question. Other headers are recognized by their names',
      examples: ['{"Wer":"name","Größe":"answers.size","Nummer":null}'],
    }),
  ),
  overCapacity: flag('Whether more people may be confirmed than the activity has places'),
  notify: flag(
    'Whether guests are notified. New addresses are invited by mail to confirm, where the server mails invitations',
  ),
  orgId: Type.Optional(Id),
})
export type ImportParticipants = Static<typeof ImportParticipants>

const count = Type.Integer({ minimum: 0, examples: [3] })
const ColumnKey = Text('answers.size', { description: 'A column of participants' })

export const ParticipantsImported = Model('ParticipantImportResult', {
  total: { ...count, description: 'Rows with content' },
  valid: count,
  created: count,
  updated: count,
  unchanged: { ...count, description: 'With the rows of users, and new ones that have cancelled or were rejected' },
  errors: Type.Array(
    Model('ParticipantImportError', {
      row: Type.Integer({ minimum: 1, description: 'As the spreadsheet shows it, from 1', examples: [5] }),
      column: Nullable(Text('E-mail', { description: 'The header in the file; null if the whole row is meant' })),
      value: Nullable(Text('lin@')),
      message: Text('is not an e-mail address'),
    }),
    { description: `At most ${MAX_ERRORS}` },
  ),
  errorCount: count,
  columns: Type.Array(
    Model('ParticipantImportColumn', {
      header: Text('Size of the T-shirt'),
      key: Nullable(ColumnKey),
      suggestion: Type.Optional(ColumnKey),
    }),
  ),
  preview: Type.Array(
    Model('ParticipantImportPreview', {
      row: Type.Integer({ minimum: 1, examples: [2] }),
      action: Enum(['CREATE', 'UPDATE', 'UNCHANGED']),
      values: Type.Array(Model('ParticipantImportValue', { key: ColumnKey, value: Text('XL') })),
    }),
    { description: `The first ${PREVIEW_ROWS} rows without errors` },
  ),
})
export type ParticipantsImported = Static<typeof ParticipantsImported>
