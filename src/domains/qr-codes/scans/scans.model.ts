import { limitOf } from '#domains/settings/index.ts'
import type { Budget } from '#http/budget.ts'
import {
  Enum,
  Id,
  Latitude,
  Line,
  Longitude,
  Model,
  Named,
  Nullable,
  PageOf,
  PageQuery,
  Raw,
  type Static,
  Text,
  Time,
  Type,
} from '#http/schema.ts'
import { DAY } from '#platform/clock.ts'

import { ContentTypeName, MAX_CONTENT_BYTES } from '../codes/codes.model.ts'
import { ByDay, DaysQuery } from '../stats/stats.model.ts'

/** Scans that are recorded one by one count together with the records of pushes, so that there is no second way around the limit. */
export const NEW_RECORDS: Budget = {
  name: 'sync.records',
  counts: { en: 'recorded scans and pushed records', zh: '扫码与推送记录' },
  per: 'user',
  limit: limitOf('budget.pushedRecordsPerUser'),
  windowMs: DAY,
  durable: true,
}

export const SOURCES = ['CAMERA', 'IMAGE', 'MANUAL'] as const
export const ScanSource = Named('ScanSource', Enum(SOURCES))
const Title = Line(100, 0, { examples: ['Menu at the door'] })
const Address = Line(200, 0, { examples: ['1 West Lake Road, Hangzhou'] })

const together = { dependentRequired: { latitude: ['longitude'], longitude: ['latitude'] } }

export const CreateScan = Model('CreateScanRecord', together, {
  content: Raw(MAX_CONTENT_BYTES, 1, {
    description: 'The content of the code, unchanged',
    examples: ['https://example.com/menu'],
  }),
  contentType: Type.Optional(Nullable(ContentTypeName)),
  source: Type.Optional(Nullable(ScanSource)),
  title: Type.Optional(Nullable(Title)),
  favorite: Type.Optional(Nullable(Type.Boolean())),
  latitude: Type.Optional(Nullable(Latitude)),
  longitude: Type.Optional(Nullable(Longitude)),
  address: Type.Optional(Nullable(Address)),
  scannedAt: Type.Optional(Nullable(Time)),
})
export type CreateScan = Static<typeof CreateScan>

/** Absent fields stay; null clears a field. The content, its position and its time cannot be changed. */
export const UpdateScan = Model('UpdateScanRecord', {
  favorite: Type.Optional(Type.Boolean()),
  title: Type.Optional(Nullable(Title)),
  address: Type.Optional(Nullable(Address)),
})
export type UpdateScan = Static<typeof UpdateScan>

export const ListQuery = PageQuery({
  favorite: Type.Optional(Type.Boolean()),
  keyword: Type.Optional(
    Line(100, 0, { description: 'Searched for in content, title and address', examples: ['menu'] }),
  ),
  contentType: Type.Optional(ContentTypeName),
  source: Type.Optional(ScanSource),
  from: Type.Optional({ ...Time, description: 'Only records scanned at this time or later' }),
  to: Type.Optional({ ...Time, description: 'Only records scanned before this time' }),
})
export type ListQuery = Static<typeof ListQuery>

export const KINDS = [
  'QR_CODE',
  'ACTIVITY',
  'ASSET',
  'SUPPLY',
  'LOCATION',
  'BLANK',
  'PASS',
  'CHECK_IN',
  'ORG_JOIN',
  'USER',
  'URL',
  'TEXT',
] as const
export type Kind = (typeof KINDS)[number]

export const Resolved = Model('ScanTarget', {
  kind: Enum(KINDS, { description: 'BLANK: a label that stands for nothing yet, and that you may bind' }),
  id: Type.Optional(Id),
  title: Type.Optional(Text('Spring menu', { description: 'Of a label its number' })),
  slug: Type.Optional(Text('k7mpx2wr', { description: 'Of a label only' })),
  number: Type.Optional(Text('LIB-00042', { description: 'Of a label only' })),
})
export type Resolved = Static<typeof Resolved>

const shown = {
  id: Id,
  content: Text('https://example.com/menu'),
  contentType: ContentTypeName,
  source: ScanSource,
  qrCodeId: Nullable(Id),
  title: Nullable(Text('Menu at the door')),
  favorite: Type.Boolean(),
  latitude: Nullable(Latitude),
  longitude: Nullable(Longitude),
  address: Nullable(Text('1 West Lake Road, Hangzhou')),
  scannedAt: Time,
  createdAt: Time,
}
export const ScanView = Model('ScanRecord', shown)
export type ScanView = Static<typeof ScanView>
export const ScanPage = PageOf(ScanView)

export const ResolvedScanView = Model('ResolvedScanRecord', { ...shown, resolved: Resolved })
export type ResolvedScanView = Static<typeof ResolvedScanView>

export const StatsQuery = DaysQuery({})
export const ScanStats = Model('ScanStats', {
  total: Type.Integer(),
  favorites: Type.Integer(),
  byType: Type.Array(Type.Object({ contentType: ContentTypeName, count: Type.Integer() })),
  bySource: Type.Array(Type.Object({ source: ScanSource, count: Type.Integer() })),
  byDay: ByDay,
})
export type ScanStats = Static<typeof ScanStats>
