import { PublicActivity, PublicPass } from '#domains/activities/index.ts'
import { PublicAsset } from '#domains/assets/index.ts'
import { FoundForm } from '#domains/found/index.ts'
import { AnyText, Line, Merged, Model, Nullable, type Static, Text, Time, Type } from '#http/schema.ts'

import { ContentTypeName, StyleView } from '../codes/codes.model.ts'

/** Accepts any text: anything else than the uuid of a public code is answered with 404. */
export const ByUuid = Type.Object({ uuid: Line(64, 0, { examples: ['7f0c2d1e-4b5a-4c6d-8e9f-0a1b2c3d4e5f'] }) })

export const [PNG_FILE, SVG_FILE, CONTACT_FILE, EVENT_FILE] = ['code.png', 'code.svg', 'contact.vcf', 'event.ics']
/** Path of the files of a public code on this server. */
export const filesPath = (uuid: string): string => `/public/qr/${uuid}/`
/** Other names are answered with 404. */
export const ByFile = Type.Object({ ...ByUuid.properties, file: Line(64, 0, { examples: [PNG_FILE] }) })

/** More than the URL of a request may have. */
const MAX_QUERY = 65_536

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
  found: { ...Nullable(FoundForm), description: 'The finder card; null if the page shows none' },
  createdAt: Time,
  updatedAt: Time,
})
export type PublicQrCode = Static<typeof PublicQrCode>

/** Without limits: a page is shown whatever they contain. */
const Parameter = (description: string, example: string) =>
  Type.Optional(AnyText(MAX_QUERY, { description, examples: [example] }))
export const LandingQuery = Type.Object({
  code: Parameter('Of an activity that is INVITE_ONLY: its invite code', 'K7WPQ2MX'),
  tz: Parameter(
    'Time zone of the page: an IANA name or ±HH:MM (a plus sign must be sent as %2B). Default: that of the activity',
    'Asia/Shanghai',
  ),
  t: Parameter('Of a check-in whose code rotates: the code of the screen', 'KQ7MPX2W'),
})

export const LandingContent = Merged(
  'LandingContent',
  {
    description:
      'Of an activity and its check-in a `PublicActivity`, of a pass a `PublicPass`, of an asset its public `fields`. They have `uuid` in common; ' +
      'only activities have `name`, only passes `status`, only assets `kind`',
  },
  [PublicActivity, PublicPass, PublicAsset],
)
