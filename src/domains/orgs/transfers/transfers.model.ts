import { Id, Model, type Static, Text, Time, Type } from '#http/schema.ts'

/** `userId`: the new owner, who must be a member. */
export const OfferTransfer = Model('TransferOwnership', { userId: Id })
export const AnswerTransfer = Model('AnswerTransfer', { accept: Type.Boolean() })

export const PendingTransfer = Model('PendingTransfer', {
  userId: { ...Id, description: 'The member who can accept' },
  nickname: Text('Lin Mei'),
  createdAt: Time,
  expiresAt: Time,
})
export type PendingTransfer = Static<typeof PendingTransfer>
