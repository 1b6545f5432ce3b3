import { Model, type Static, Text, Time, Type } from '#http/schema.ts'

import { CardCode } from '../contacts.model.ts'

export const CardView = Model('ContactCard', {
  code: Text('K7WPQ2MXA3BCDE45'),
  content: Text('user:K7WPQ2MXA3BCDE45', { description: 'The content of the QR code' }),
  imageUrl: Text('http://localhost:8080/api/qrcode/render?content=user%3AK7WPQ2MXA3BCDE45'),
  updatedAt: Time,
})
export type CardView = Static<typeof CardView>

export const ByCode = Type.Object({ code: CardCode })
