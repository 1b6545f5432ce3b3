import { Enum, Model, Named, type Static, Text, Type } from '#http/schema.ts'

const QR_CODE_TYPES = ['ACTIVITY', 'CHECK_IN', 'PASS'] as const

export const ActivityQrCode = Model('ActivityQrCode', {
  type: Named('ActivityQrCodeType', Enum(QR_CODE_TYPES, { examples: ['ACTIVITY'] })),
  title: Text('Lake cleanup'),
  content: Text('activity:42', { description: 'The content of the QR code' }),
  publicUrl: Text('http://localhost:8080/s/activity/7f0c2d1e-4b5a-4c6d-8e9f-0a1b2c3d4e5f', {
    description: 'The landing page',
  }),
  imageUrl: Text('http://localhost:8080/api/qrcode/render?content=activity%3A42', {
    description: 'The QR code as PNG; add `&size=`, `&format=svg`, `&margin=` or colors if you need others',
  }),
})
export type ActivityQrCode = Static<typeof ActivityQrCode>
export const ActivityQrCodes = Type.Array(ActivityQrCode)
