/** Shapes of QR codes in requests and answers. */

import {
  Deferred,
  Description,
  Enum,
  Id,
  Line,
  Model,
  Name,
  Named,
  Nullable,
  PageOf,
  PageQuery,
  Raw,
  RowVersion,
  Sort,
  SortOrder,
  type Static,
  Text,
  Time,
  Type,
} from '#http/schema.ts'
import { CONTENT_TYPES } from '#lib/content-type.ts'
import { LEVELS } from '#lib/qr/spec.ts'

export const ContentTypeName = Named('ContentType', Enum(CONTENT_TYPES, { examples: ['URL'] }))
export const Level = Named(
  'ErrorCorrectionLevel',
  Enum(LEVELS, { description: 'Error correction: L 7 %, M 15 %, Q 25 %, H 30 %', examples: ['M'] }),
)
export type Level = Static<typeof Level>

/** Bytes that a symbol of version 40 holds in byte mode: ISO/IEC 18004, table 7. */
export const CAPACITY: Readonly<Record<Level, number>> = { L: 2953, M: 2331, Q: 1663, H: 1273 }

export const MAX_CONTENT_BYTES = CAPACITY.L

export const Color = Type.String({ pattern: '^[0-9a-fA-F]{6}$', description: 'Six hex digits', examples: ['1a2b3c'] })
const Background = { ...Color, examples: ['ffffff'] }
/** Width of the quiet zone, in modules. */
export const Margin = Type.Integer({ minimum: 0, maximum: 10 })

/** No content has more characters than bytes; `codes.rules.ts` counts the bytes. */
export const Content = Raw(MAX_CONTENT_BYTES, 1, {
  description: `The encoded content, at most ${MAX_CONTENT_BYTES} bytes in UTF-8`,
  examples: ['https://example.com/menu'],
})

export const Style = Model('QrCodeStyleInput', {
  fg: Type.Optional(Nullable(Color)),
  bg: Type.Optional(Nullable(Background)),
  level: Type.Optional(Nullable(Level)),
  margin: Type.Optional(Nullable(Margin)),
})

export const MAX_TAGS = 20
const Tags = Type.Array(Line(50, 1), { maxItems: MAX_TAGS, examples: [['menu', 'spring']] })

/** The organization whose codes the request is about; without it, the caller's own codes. */
const OrgId = Type.Optional(Id)
const NullableOrgId = Type.Optional(Nullable(Id))

const DYNAMIC_DESCRIPTION =
  'The pictures hold `shortUrl`, or `publicUrl` without a slug, instead of the content: every scan is counted, and the content can change ' +
  'after the picture is printed. Scans find nothing while the code is not public'

export const OPENS = ['TARGET', 'PAGE'] as const
const Opens = Enum(OPENS, { examples: ['TARGET'] })
const OPENS_DESCRIPTION =
  'Opened by a scan: the content, if it is a web address, or the share page. Null, and ignored in requests, for codes that are neither dynamic nor have a slug'

/** Custom slugs have 3 to 50 characters; an imported one that is sent back may be longer. */
export const Slug = Line(100, 1, {
  description:
    'Last part of the short link: 3 to 50 letters, digits and hyphens, with no hyphen at either end; stored in lower case. It belongs to the ' +
    'code forever; one that is replaced still leads to it. Without one, a code gets a random slug when it becomes dynamic, and keeps the one that it has otherwise',
  examples: ['spring-menu'],
})

const DESIGN_DESCRIPTION =
  'A design of the same owner, which the pictures have instead of `style`. Null: none. A new code of an organization without this field has its default design'

const writable = {
  name: Name,
  content: Content,
  contentType: Type.Optional(Nullable(ContentTypeName)),
  categoryId: Type.Optional(Nullable(Id)),
  tags: Type.Optional(Nullable(Tags)),
  remark: Type.Optional(Nullable(Description)),
  isPublic: Type.Optional(
    Nullable({
      ...Type.Boolean(),
      description: 'Without it, a request that makes a code dynamic also makes it public if you may do that',
    }),
  ),
  isDynamic: Type.Optional(Nullable({ ...Type.Boolean(), description: DYNAMIC_DESCRIPTION })),
  style: Type.Optional(Nullable(Style)),
  opens: Type.Optional(Nullable({ ...Opens, description: OPENS_DESCRIPTION })),
  slug: Type.Optional({ ...Nullable(Slug), examples: [null] }),
  designId: Type.Optional(Nullable({ ...Id, description: DESIGN_DESCRIPTION })),
}

export const NewQrCode = Type.Object(writable)
export type NewQrCode = Static<typeof NewQrCode>

export const CreateQrCode = Model('CreateQrCode', { ...writable, orgId: NullableOrgId })

/** Absent fields stay; null clears a field (name and content cannot be cleared). */
export const UpdateQrCode = Named(
  'UpdateQrCode',
  Type.Partial(Type.Object({ ...writable, pinned: Type.Boolean(), sortOrder: SortOrder, orgId: NullableOrgId })),
)
export type UpdateQrCode = Static<typeof UpdateQrCode>

export const MAX_BATCH = 500
export const BatchItem = Model('NewQrCode', writable)
/** The service checks the items, so that one answer lists every bad one, whether its shape, its content or its category is wrong. */
export const CreateBatch = Model('CreateQrCodes', {
  items: Deferred(Type.Array(BatchItem, { minItems: 1, maxItems: MAX_BATCH })),
  orgId: NullableOrgId,
})

export const CategoryFilter = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: '0: codes without a category. Any other id includes its sub-categories',
  examples: [0],
})

export const PinCode = Model('PinQrCode', { pinned: Type.Boolean(), orgId: NullableOrgId })
export const PublishCode = Model('PublishQrCode', { isPublic: Type.Boolean(), orgId: NullableOrgId })

const MAX_IDS = 500

export const ListQuery = PageQuery({
  orgId: OrgId,
  categoryId: Type.Optional(CategoryFilter),
  keyword: Type.Optional(
    Line(100, 0, { description: 'Searched for in name, content, remark and tags', examples: ['menu'] }),
  ),
  contentType: Type.Optional(ContentTypeName),
  isPublic: Type.Optional(Type.Boolean()),
  pinned: Type.Optional(Type.Boolean()),
  ids: Type.Optional(Type.Array(Id, { maxItems: MAX_IDS, description: 'Only these, separated by commas' })),
  sort: Sort(['name', 'createdAt', 'updatedAt', 'scanCount']),
})
export type ListQuery = Static<typeof ListQuery>

export const StyleView = Model('QrCodeStyle', { fg: Color, bg: Background, level: Level, margin: Margin })

const SCANS_DESCRIPTION =
  'Openings of the public page, and scan records of its content or link: of each session at most one a minute'

export const qrCodeFields = {
  id: Id,
  uuid: Type.String({ format: 'uuid', examples: ['7f0c2d1e-4b5a-4c6d-8e9f-0a1b2c3d4e5f'] }),
  name: Text('Spring menu'),
  content: Text('https://example.com/menu'),
  contentType: ContentTypeName,
  categoryId: Nullable(Id),
  tags: Type.Array(Text('menu')),
  remark: Text('Table 7, by the window'),
  style: StyleView,
  isPublic: Type.Boolean(),
  isDynamic: { ...Type.Boolean(), description: DYNAMIC_DESCRIPTION },
  pinned: Type.Boolean(),
  sortOrder: SortOrder,
  orgId: Nullable(Id),
  userId: Id,
  scanCount: Type.Integer({ minimum: 0, description: SCANS_DESCRIPTION }),
  imageUrl: Type.String({
    description: 'Address of the picture (PNG) of `pictureContent`',
    examples: ['http://localhost:8080/api/qrcode/render?content=https%3A%2F%2Fexample.com%2Fmenu'],
  }),
  publicUrl: Type.String({
    description: 'Address of the share page; 404 unless the code is public',
    examples: ['http://localhost:8080/public/qr/7f0c2d1e-4b5a-4c6d-8e9f-0a1b2c3d4e5f'],
  }),
  slug: Nullable({ ...Text('spring-menu'), description: 'Last part of the short link' }),
  shortUrl: Nullable({
    ...Text('http://localhost:8080/q/spring-menu'),
    description: 'The short link; 404 unless the code is public',
  }),
  pictureContent: {
    ...Text('HTTP://LOCALHOST:8080/Q/SPRING-MENU'),
    description:
      'Text in the picture. Of a dynamic code: the short link, in upper case where that leads to the same place, or `publicUrl` without a slug',
  },
  opens: Nullable({ ...Opens, description: OPENS_DESCRIPTION }),
  designId: Nullable(Id),
  blockedAt: Nullable({ ...Time, description: 'When an administrator blocked the code' }),
  version: RowVersion,
  createdAt: Time,
  updatedAt: Time,
}

export const QrCodeView = Model('QrCode', qrCodeFields)
export type QrCodeView = Static<typeof QrCodeView>
export const QrCodePage = PageOf(QrCodeView)

export const WARNINGS = ['NOT_PUBLIC', 'PICTURE_CHANGED'] as const
const Warning = Model('QrCodeWarning', {
  code: Enum(WARNINGS, {
    description:
      '`NOT_PUBLIC`: scans of a dynamic code find nothing. `PICTURE_CHANGED`: the picture holds something else than before',
    examples: ['PICTURE_CHANGED'],
  }),
  message: Text('The picture has changed'),
  details: Nullable(
    Type.Object(
      { before: Text('http://localhost:8080/public/qr/7f0c2d1e'), after: Text('HTTP://LOCALHOST:8080/Q/MENU') },
      { description: 'For `PICTURE_CHANGED`: `pictureContent` before and after the write' },
    ),
  ),
})
export type Warning = Static<typeof Warning>

/** The answer of writes. */
export const WrittenQrCode = Model('WrittenQrCode', { ...qrCodeFields, warnings: Type.Array(Warning) })
export type WrittenQrCode = Static<typeof WrittenQrCode>

export const Created = Model('CreatedQrCodes', { items: Type.Array(WrittenQrCode), count: Type.Integer() })
