/** Fields and filters that the lists of the console share (contract, "Admin: rules for all of it"). */

import { Id, Line, Model, Nullable, type Static, Text, Time, Type } from '#http/schema.ts'

export const OwnerView = Model('RowOwner', {
  userId: Id,
  username: Nullable(Text('anna')),
  nickname: Text('Anna'),
})
export type OwnerView = Static<typeof OwnerView>

/** Fields of a row that a user or an organization owns, beside those that its owner sees. */
export const ownerFields = {
  owner: { ...OwnerView, description: 'The user who created it' },
  orgId: Nullable({ ...Id, description: 'The organization that owns it' }),
  orgName: Nullable(Text('City Library')),
}

export const keywordFilter = (searchedIn: string) => ({
  keyword: Type.Optional(Line(100, 0, { description: `Searched for in ${searchedIn}`, examples: ['menu'] })),
})

export const timeFilters = {
  from: Type.Optional({ ...Time, description: 'Created at this time or later' }),
  to: Type.Optional({ ...Time, description: 'Created before this time' }),
}

/** Filters of lists of rows that a user or an organization owns. */
export const ownerFilters = {
  userId: Type.Optional({ ...Id, description: 'The user who created it' }),
  orgId: Type.Optional({ ...Id, description: 'The organization that owns it' }),
  ...timeFilters,
}
