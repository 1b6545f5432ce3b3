import { Line, Model, type Static, Time, Type } from '#http/schema.ts'

import { ContentTypeName, StyleView } from '../codes/model.ts'

/** Any text: what is not the uuid of a public code is simply not found. */
export const ByUuid = Type.Object({ uuid: Line(64) })

/** Landing pages of the interface (spec §4.2): activity, check-in, pass, asset. */
export const ByLanding = Type.Object({ type: Line(64), id: Line(64) })

/** What anybody may see of a public code: nothing of its owner, nor how they sort it or what they remarked. */
export const PublicQrCode = Model('PublicQrCode', {
  uuid: Type.String(),
  name: Type.String(),
  content: Type.String(),
  contentType: ContentTypeName,
  style: StyleView,
  scanCount: Type.Integer({ minimum: 0 }),
  imageUrl: Type.String(),
  publicUrl: Type.String(),
  createdAt: Time,
  updatedAt: Time,
})
export type PublicQrCode = Static<typeof PublicQrCode>
