import { REQUEST_SOURCES, REQUEST_STATUSES } from '#db/schema/contacts.ts'
import {
  Enum,
  Id,
  Model,
  Multiline,
  Named,
  Nullable,
  OneOf,
  PageOf,
  PageQuery,
  type Static,
  Text,
  Time,
  Type,
} from '#http/schema.ts'

import { CardCode, MESSAGE_MAX, personFields, Remark } from '../contacts.model.ts'

const Status = Named('ContactRequestStatus', Enum(REQUEST_STATUSES))

export const RequestView = Model('ContactRequest', {
  id: Id,
  direction: Enum(['INCOMING', 'OUTGOING']),
  ...personFields,
  userId: { ...Id, description: 'Of the other person' },
  message: Text('We met at the library'),
  source: Enum(REQUEST_SOURCES, { description: 'How the sender came to know the recipient' }),
  status: Status,
  contactId: Nullable({ ...Id, description: 'Of your contact, once the request is accepted' }),
  createdAt: Time,
  expiresAt: Time,
  handledAt: Nullable(Time),
})
export type RequestView = Static<typeof RequestView>
export const RequestPage = PageOf(RequestView)

export const SendRequest = OneOf('SendContactRequest', ['userId', 'code'], {
  userId: Type.Optional(Nullable(Id)),
  code: Type.Optional(Nullable(CardCode)),
  message: Type.Optional(Nullable(Multiline(MESSAGE_MAX, 0, { examples: ['We met at the library'] }))),
  remark: Type.Optional(
    Nullable({ ...Remark, description: 'Your own name for this person, once the request is accepted' }),
  ),
})
export type SendRequest = Static<typeof SendRequest>

export const RequestsQuery = PageQuery({ status: Type.Optional(Status) })
export type RequestsQuery = Static<typeof RequestsQuery>

export const AcceptRequest = Model('AcceptContactRequest', { remark: Type.Optional(Nullable(Remark)) })
export const RejectRequest = Model('RejectContactRequest', {
  block: Type.Optional(Nullable(Type.Boolean({ description: 'Also block the sender' }))),
})
