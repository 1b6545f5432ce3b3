/** Shapes of check-in lists. */

import { LIST_KINDS } from '#db/schema/passes.ts'
import {
  Enum,
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

import { MaxUses } from '../passes/passes.model.ts'

/** Lists of an activity. */
export const MAX_LISTS = 100
/** As many as an owner can have. */
const MAX_TEMPLATES = 100

const ListName = Line(60, 1, { examples: ['Workshop A'] })
const Kind = Named('CheckInListKind', Enum(LIST_KINDS, { examples: ['SESSION'] }))
const Place = Line(100, 0, { examples: ['Room 3'] })
const uses = { ...MaxUses, description: 'Entries of each pass on this list; 0 for any number' }
const opensAt = { ...Time, description: 'Passes are refused before' }
const closesAt = { ...Time, description: 'Passes are refused after', examples: [4_070_908_800_000] }
const Templates = Type.Array(Id, {
  maxItems: MAX_TEMPLATES,
  uniqueItems: true,
  description: 'Only passes that were issued by one of these templates are admitted; empty for all passes',
})
const requiresEntry = Type.Boolean({ description: 'A pass needs an entry without a list before', examples: [false] })

const optional = {
  kind: Type.Optional(Nullable({ ...Kind, description: '`OTHER` by default' })),
  place: Type.Optional(Nullable(Place)),
  opensAt: Type.Optional(Nullable(opensAt)),
  closesAt: Type.Optional(Nullable(closesAt)),
  maxUses: Type.Optional(Nullable({ ...uses, description: `${uses.description}. 1 by default` })),
  templateIds: Type.Optional(Nullable(Templates)),
  requiresEntry: Type.Optional(Nullable(requiresEntry)),
  orgId: Type.Optional(Nullable(Id)),
}

export const CreateList = Model('CreateCheckInList', { name: ListName, ...optional })
export type CreateList = Static<typeof CreateList>
export const UpdateList = Model('UpdateCheckInList', { name: Type.Optional(ListName), ...optional })
export type UpdateList = Static<typeof UpdateList>

export const ReorderLists = Model('ReorderCheckInLists', {
  ids: Type.Array(Id, { minItems: 1, maxItems: MAX_LISTS, uniqueItems: true }),
  orgId: Type.Optional(Nullable(Id)),
})

export const ListView = Model('CheckInList', {
  id: Id,
  name: Text('Workshop A'),
  kind: Kind,
  place: Nullable(Text('Room 3')),
  opensAt: Nullable(Time),
  closesAt: Nullable(Time),
  maxUses: uses,
  templateIds: Type.Array(Id),
  requiresEntry: Type.Boolean(),
  admitted: Type.Integer({ minimum: 0, description: 'Entries; returns after an exit are free and not counted' }),
  inside: Type.Integer({ minimum: 0, description: 'Passes whose last use on this list was an entry' }),
  createdAt: Time,
})
export type ListView = Static<typeof ListView>
export const ListPage = PageOf(ListView)
export const ListsQuery = PageQuery({ orgId: Type.Optional(Id) })
export type ListsQuery = Static<typeof ListsQuery>

export const ByList = Type.Object({ id: Id, listId: Id })
