import { Enum, Id, Line, Model, Nullable, type Static, Type } from '#http/schema.ts'

import { personFields, Signature } from '../contacts.model.ts'

const RELATIONS = ['NONE', 'CONTACT', 'REQUEST_SENT', 'REQUEST_RECEIVED', 'SELF'] as const

const fields = {
  ...personFields,
  relation: Enum(RELATIONS),
  contactId: Nullable({ ...Id, description: 'Of your row about this person, also if you have only blocked them' }),
}
export const FoundPerson = Model('FoundPerson', fields)
export type FoundPerson = Static<typeof FoundPerson>
export const FoundCard = Model('FoundCard', { ...fields, signature: Signature })
export type FoundCard = Static<typeof FoundCard>

export const SearchQuery = Type.Object({
  q: Line(254, 2, { description: 'A whole e-mail address or phone number', examples: ['lin@example.org'] }),
})
export const SearchResult = Model('PersonSearch', { items: Type.Array(FoundPerson, { maxItems: 1 }) })
export type SearchResult = Static<typeof SearchResult>
