import { LOGGED_VERBS, type LoggedAction, type LoggedFields, type LoggedTarget } from '#db/schema/operation-log.ts'
import {
  Enum,
  ExportZone,
  Id,
  Line,
  Model,
  Named,
  Nullable,
  PageOf,
  PageQuery,
  type Static,
  Text,
  Time,
  Type,
} from '#http/schema.ts'

const TARGETS = Object.keys(LOGGED_VERBS) as LoggedTarget[]
const ACTIONS = TARGETS.flatMap((target) => LOGGED_VERBS[target].map((verb) => `${target}_${verb}` as LoggedAction))

const Action = Named('LoggedAction', Enum(ACTIONS, { examples: ['ROLE_UPDATE'] }))
const Target = Named('LoggedTarget', Enum(TARGETS, { examples: ['ROLE'] }))

const fields = (description: string, example: object) =>
  Type.Unsafe<LoggedFields>(Type.Record(Type.String(), Type.Unknown(), { description, examples: [example] }))

export const LogView = Model('OperationLogRow', {
  id: Id,
  actorId: Type.Integer({
    minimum: 0,
    description: '0: somebody who is not a user of this data, which came from a backup. `actorName` is the name',
    examples: [42],
  }),
  actorName: Type.String({ description: 'The username or nickname at that time', examples: ['root'] }),
  apiKey: Nullable(
    Type.Object(
      { id: Id, name: Type.String() },
      { description: 'The API key of the actor by which the change was made', examples: [{ id: 3, name: 'Import' }] },
    ),
  ),
  action: Action,
  targetType: Target,
  targetId: Nullable(
    Type.Integer({
      description: 'null for an action on several targets, or on one that has only a name',
      examples: [42],
    }),
  ),
  targetName: Nullable(Text('LIBRARIAN')),
  before: Nullable(fields('The changed fields; null for a new target', { name: 'Librarian' })),
  after: Nullable(fields('The changed fields; null for a deleted target', { name: 'Head librarian' })),
  ipAddress: Text('203.0.113.7'),
  requestId: Text('8a575617-12e'),
  createdAt: Time,
  hash: Type.String({
    description: 'SHA-256 of the row and of `previousHash`',
    examples: ['mSDwCyCPWEFlXOm6qRhDPfjqgZYcpRf9wcW_GKcgKlE'],
  }),
  previousHash: Type.String({ description: 'The hash of the row before; empty for the first row', examples: [''] }),
})
export type LogView = Static<typeof LogView>
export const LogPage = PageOf(LogView)

/** The media types of exports. */
export const EXPORT_TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet, text/csv'

export const LogQuery = PageQuery({
  action: Type.Optional(Action),
  actorId: Type.Optional(Id),
  targetType: Type.Optional(Target),
  targetId: Type.Optional(Id),
  from: Type.Optional({ ...Time, description: 'Only rows of this time or later' }),
  to: Type.Optional({ ...Time, description: 'Only rows before this time' }),
  keyword: Type.Optional(Line(100, 0, { description: 'Searched in `targetName`', examples: ['LIBRARIAN'] })),
  format: Type.Optional(Enum(['csv', 'xlsx'], { description: 'Answers with a table of all rows that match' })),
  tz: ExportZone,
})
export type LogQuery = Static<typeof LogQuery>
