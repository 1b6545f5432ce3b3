import { WHO_MAY_MESSAGE, WHO_MAY_REQUEST } from '#db/schema/contacts.ts'
import { Enum, Model, type Static, Type } from '#http/schema.ts'

const fields = {
  findableByEmail: Type.Boolean({ description: 'Others find you by your proved e-mail address' }),
  findableByPhone: Type.Boolean({ description: 'Others find you by your proved phone number' }),
  whoMayRequest: Enum(WHO_MAY_REQUEST, {
    description:
      'Who may send you contact requests. ORG_MEMBERS: members of your organizations. CARD_ONLY: by your contact card.',
  }),
  whoMayMessage: Enum(WHO_MAY_MESSAGE, {
    description:
      'Who may write to you: contacts who have each other, also members of your organizations, or everyone who may know you',
  }),
  readReceipts: Type.Boolean({
    description: 'You and the people you write with see what the other has read, also in groups of up to 100 members',
  }),
  presence: Type.Boolean({ description: 'You and contacts who have it on too see when the other was last here' }),
}
export const PrivacyView = Model('ContactPrivacy', fields)
export type PrivacyView = Static<typeof PrivacyView>

export const UpdatePrivacy = Model('UpdateContactPrivacy', {
  findableByEmail: Type.Optional(fields.findableByEmail),
  findableByPhone: Type.Optional(fields.findableByPhone),
  whoMayRequest: Type.Optional(fields.whoMayRequest),
  whoMayMessage: Type.Optional(fields.whoMayMessage),
  readReceipts: Type.Optional(fields.readReceipts),
  presence: Type.Optional(fields.presence),
})
export type UpdatePrivacy = Static<typeof UpdatePrivacy>
