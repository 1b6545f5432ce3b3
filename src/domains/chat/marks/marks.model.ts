import { Enum, Id, Model, Nullable, type Static, Text, Time, Type } from '#http/schema.ts'

const Reader = Model('MessageReader', {
  userId: Id,
  nickname: Text('Lin Mei'),
  avatarUrl: Nullable(Text('https://example.com/mei.png')),
  readAt: Nullable({
    ...Time,
    description: 'Known of the messages that the member has read last; null for earlier ones',
  }),
})

export const MessageReaders = Model('MessageReaders', {
  readers: Type.Array(Reader, { description: 'Members who have read it, the latest known time first' }),
  notReadCount: Type.Integer({
    minimum: 0,
    examples: [4],
    description: 'Members who have not read it, and members who do not show it. Nobody who joined later',
  }),
  unavailable: Nullable(
    Enum(['LARGE_GROUP', 'RECEIPTS_OFF', 'RECALLED'] as const, {
      description:
        'Why nobody is named or counted: the group has more than 100 members, you have read receipts off, or the message is recalled',
    }),
  ),
})
export type MessageReaders = Static<typeof MessageReaders>
