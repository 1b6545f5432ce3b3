import { Line, Model, type Static, Text, Time, Type } from '#http/schema.ts'

import { ContentTypeName, StyleView } from '../codes/model.ts'

/** Accepts any text: anything else than the uuid of a public code is answered with 404. */
export const ByUuid = Type.Object({ uuid: Line(64, 0, { examples: ['7f0c2d1e-4b5a-4c6d-8e9f-0a1b2c3d4e5f'] }) })

export const [PNG_FILE, SVG_FILE, CONTACT_FILE, EVENT_FILE] = ['code.png', 'code.svg', 'contact.vcf', 'event.ics']
/** Path of the files of a public code on this server. */
export const filesPath = (uuid: string): string => `/public/qr/${uuid}/`
/** Other names are answered with 404. */
export const ByFile = Type.Object({ ...ByUuid.properties, file: Line(64, 0, { examples: [PNG_FILE] }) })

/** Landing pages of the interface (spec §4.2): activity, check-in, pass, asset. */
export const ByLanding = Type.Object({
  type: Line(64, 0, { examples: ['activity'] }),
  id: Line(200, 0, { examples: ['7f0c2d1e-4b5a-4c6d-8e9f-0a1b2c3d4e5f'] }),
})

/** A public code without its owner, category, tags and remark. */
export const PublicQrCode = Model('PublicQrCode', {
  uuid: Text('7f0c2d1e-4b5a-4c6d-8e9f-0a1b2c3d4e5f'),
  name: Text('Spring menu'),
  content: Text('https://example.com/menu'),
  contentType: ContentTypeName,
  style: StyleView,
  isDynamic: Type.Boolean({ description: 'The picture holds `publicUrl` instead of the content' }),
  scanCount: Type.Integer({ minimum: 0 }),
  imageUrl: Text('http://localhost:8080/api/qrcode/render?content=https%3A%2F%2Fexample.com%2Fmenu'),
  publicUrl: Text('http://localhost:8080/public/qr/7f0c2d1e-4b5a-4c6d-8e9f-0a1b2c3d4e5f'),
  createdAt: Time,
  updatedAt: Time,
})
export type PublicQrCode = Static<typeof PublicQrCode>

/** The JSON form of the landing page of an asset. The other types have the shapes of their own domain. */
export const LandingContent = Model('LandingContent', {
  uuid: Text('7f0c2d1e-4b5a-4c6d-8e9f-0a1b2c3d4e5f'),
  kind: Text('ASSET'),
  fields: Type.Array(
    Model('LandingField', {
      key: Text('brand', { description: 'A column, or `field:` and the id of a field' }),
      label: Text('Brand'),
      value: Type.Unknown({ description: 'Null if it is empty', examples: ['Epson'] }),
      text: Type.Optional(Text('12 kg', { description: 'The value of a field of metadata as people read it' })),
    }),
    { description: 'Those that the owner made public' },
  ),
})
