import { Model, Nullable, type Static, Text, Type } from '#http/schema.ts'

/** Part of the JSON of a public page. */
export const FoundForm = Model('FoundForm', {
  key: Nullable(
    Text('kV7n0dB1Yx2m5GqT', {
      description:
        'For `POST /public/found/{key}`: once, from 2 seconds to 2 hours from now. Null if the owner wants no messages',
    }),
  ),
  text: Text('Please write to me. I miss this violin very much.', {
    description: 'The text of the owner for the finder',
  }),
  askPosition: Type.Boolean({ description: 'Whether the owner would like to know the position' }),
})
export type FoundForm = Static<typeof FoundForm>

export const MAX_MESSAGE = 1000
export const MAX_CONTACT = 200
