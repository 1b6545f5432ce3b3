import { FOUND_WHEN } from '#db/schema/found.ts'
import { Enum, Model, Multiline, Named, type Static, Text, Type } from '#http/schema.ts'

export const MAX_CARD_TEXT = 500

const When = Named(
  'FoundWhen',
  Enum(FOUND_WHEN, {
    description: 'LOST shows the card while the status of the asset is LOST; codes have no such status',
    examples: ['ALWAYS'],
  }),
)
const CardText = Multiline(MAX_CARD_TEXT, 0, {
  description: 'Everyone who opens the public page reads it',
  examples: ['Please write to me. I miss this violin very much.'],
})
const allowMessage = Type.Boolean({ description: 'Whether the finder can write to the owner' })
const askPosition = Type.Boolean({ description: 'Whether the finder is offered to add a position' })

export const FoundCardView = Model('FinderCard', {
  when: When,
  text: CardText,
  allowMessage,
  askPosition,
  publicFields: Type.Array(Text('name'), {
    description: '`publicFields` of the asset, which change with the asset; empty for codes',
  }),
})
export type FoundCardView = Static<typeof FoundCardView>

export const UpdateFoundCard = Model('UpdateFinderCard', {
  when: Type.Optional(When),
  text: Type.Optional(CardText),
  allowMessage: Type.Optional(allowMessage),
  askPosition: Type.Optional(askPosition),
})
export type UpdateFoundCard = Static<typeof UpdateFoundCard>
