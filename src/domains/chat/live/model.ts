import { Id, Type } from '#http/schema.ts'

export const Typing = Type.Object({ conversationId: Id })
export const Ack = Type.Object({ cursor: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }) })
