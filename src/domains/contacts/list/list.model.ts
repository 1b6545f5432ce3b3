import { Id, Line, Model, Nullable, PageOf, PageQuery, Sort, type Static, Text, Time, Type } from '#http/schema.ts'

import { MAX_TAGS, personFields, Remark, Signature, TAG_MAX } from '../contacts.model.ts'

const Tag = Line(TAG_MAX, 1, { examples: ['library'] })

const fields = {
  id: { ...Id, description: 'Of your row, the `contactId` of paths' },
  ...personFields,
  remark: Text('Mei from the library', { description: 'Your own name for this person; empty if there is none' }),
  tags: Type.Array(Text('library')),
  blocked: Type.Boolean(),
  twoWay: Type.Boolean({ description: 'This person has you as a contact too' }),
  createdAt: Time,
}
export const ContactView = Model('Contact', fields)
export type ContactView = Static<typeof ContactView>
export const ContactPage = PageOf(ContactView)

export const ContactDetail = Model('ContactDetail', {
  ...fields,
  signature: Signature,
  conversationId: Nullable({ ...Id, description: 'Of your conversation; null if there is none' }),
})
export type ContactDetail = Static<typeof ContactDetail>

export const ListQuery = PageQuery({
  keyword: Type.Optional(Line(100, 0, { description: 'Part of the remark or nickname', examples: ['mei'] })),
  tag: Type.Optional({ ...Tag, description: 'Only contacts with this tag' }),
  blocked: Type.Optional(
    Type.Boolean({
      description:
        'true: everyone you have blocked, contacts or not; false: contacts you have not blocked. Without it, all contacts.',
    }),
  ),
  sort: Sort(['name', 'createdAt']),
})
export type ListQuery = Static<typeof ListQuery>

export const SetRemark = Model('SetContactRemark', { remark: Nullable(Remark) })
export const SetTags = Model('SetContactTags', {
  tags: Type.Array(Tag, { maxItems: MAX_TAGS, description: 'All tags; duplicates are dropped' }),
})
