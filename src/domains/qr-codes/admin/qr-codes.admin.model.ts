/** Lists of the codes, scan records and categories of all users, for administrators. */

import { keywordFilter, ownerFields, ownerFilters, timeFilters } from '#domains/admin/index.ts'
import { Id, Line, Model, Nullable, PageOf, PageQuery, Sort, type Static, Time, Type } from '#http/schema.ts'

import { CategoryView } from '../categories/categories.model.ts'
import { CategoryFilter, ContentTypeName, QrCodeView } from '../codes/codes.model.ts'
import { ScanSource, ScanView } from '../scans/scans.model.ts'

const sort = Sort(['createdAt'])

export const AllCodesQuery = PageQuery({
  ...ownerFilters,
  ...keywordFilter('name, content, remark and tags'),
  contentType: Type.Optional(ContentTypeName),
  isPublic: Type.Optional(Type.Boolean()),
  isDynamic: Type.Optional(Type.Boolean()),
  blocked: Type.Optional(Type.Boolean()),
  host: Type.Optional(
    Line(253, 1, {
      description:
        'Codes whose content is an address on this host or a sub-domain of it, or whose rules or fallback name it',
      examples: ['example.com'],
    }),
  ),
  categoryId: Type.Optional(CategoryFilter),
  deleted: Type.Boolean({ default: false, description: '`true` lists the codes in the trash, `false` all others' }),
  sort,
})
export type AllCodesQuery = Static<typeof AllCodesQuery>

export const ByCode = Type.Object({ qrCodeId: Id })

export const BlockCode = Model('BlockQrCode', {
  blocked: Type.Boolean(),
  reason: Type.Optional(
    Nullable(Line(200, 0, { description: 'For the owner and the operation log', examples: ['Phishing'] })),
  ),
})
export type BlockCode = Static<typeof BlockCode>

export const AnyCodeView = Model('AdminQrCode', {
  ...QrCodeView.properties,
  deletedAt: Nullable({ ...Time, description: 'When it was moved to the trash' }),
  ...ownerFields,
})
export type AnyCodeView = Static<typeof AnyCodeView>
export const AnyCodePage = PageOf(AnyCodeView)

export const AllScansQuery = PageQuery({
  qrCodeId: Type.Optional({ ...Id, description: 'Scans of this code' }),
  source: Type.Optional(ScanSource),
  contentType: Type.Optional(ContentTypeName),
  userId: Type.Optional({ ...Id, description: 'The user who scanned' }),
  ...timeFilters,
  ...keywordFilter('content, title and address'),
  sort,
})
export type AllScansQuery = Static<typeof AllScansQuery>

export const AnyScanView = Model('AdminScanRecord', {
  ...ScanView.properties,
  owner: { ...ownerFields.owner, description: 'The user who scanned' },
})
export type AnyScanView = Static<typeof AnyScanView>
export const AnyScanPage = PageOf(AnyScanView)

export const AllCategoriesQuery = PageQuery({ ...ownerFilters, ...keywordFilter('the name'), sort })
export type AllCategoriesQuery = Static<typeof AllCategoriesQuery>

export const ByCategory = Type.Object({ categoryId: Id })

export const AnyCategoryView = Model('AdminCategory', { ...CategoryView.properties, ...ownerFields })
export type AnyCategoryView = Static<typeof AnyCategoryView>
export const AnyCategoryPage = PageOf(AnyCategoryView)
