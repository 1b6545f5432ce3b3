/** Shapes of labels and batches of labels in requests and answers. In the API a label is called a blank. */

import {
  Enum,
  Id,
  InOrg,
  Line,
  Model,
  Name,
  Named,
  Nullable,
  OneOf,
  PageOf,
  PageQuery,
  Raw,
  type Static,
  Text,
  Time,
  Type,
} from '#http/schema.ts'

import { NewQrCode } from '../codes/codes.model.ts'

/** Labels of one batch. */
export const MAX_COUNT = 5000

export const BlankStatus = Named('BlankStatus', Enum(['FREE', 'BOUND', 'VOID']))
export const BlankKind = Named('BlankKind', Enum(['QR_CODE', 'ASSET', 'LOCATION', 'ACTIVITY']))

export const BySlug = Type.Object({
  slug: Type.String({ minLength: 1, maxLength: 100, description: 'In any case', examples: ['k7mpx2wr'] }),
})

export const CreateBlanks = Model('CreateQrBlanks', {
  count: Type.Integer({ minimum: 1, maximum: MAX_COUNT, examples: [50] }),
  name: { ...Name, examples: ['Labels for the library'] },
  prefix: Type.Optional(
    Nullable(
      Type.String({
        pattern: '^[A-Z0-9-]{0,10}$',
        description: 'The beginning of each number. Numbers run on from the last batch with the same prefix',
        examples: ['LIB-'],
      }),
    ),
  ),
  digits: Type.Optional(
    Nullable(Type.Integer({ minimum: 4, maximum: 8, default: 5, description: 'Digits of each number, at least' })),
  ),
  designId: Type.Optional(
    Nullable({
      ...Id,
      description: 'A design of the same owner with which the labels can be read. Null or absent: plain',
    }),
  ),
  orgId: Type.Optional(Nullable(Id)),
  requestId: Type.Optional(
    Nullable(
      Raw(64, 8, {
        description: 'Chosen by the client. Another request with the same one is answered with the first batch',
        examples: ['0f8fad5b-d9cb-469f-a165-70867728950e'],
      }),
    ),
  ),
})
export type CreateBlanks = Static<typeof CreateBlanks>

export const BatchView = Model('QrBlankBatch', {
  id: Id,
  orgId: Nullable(Id),
  name: Text('Labels for the library'),
  prefix: Text('LIB-'),
  digits: Type.Integer({ examples: [5] }),
  first: Type.Integer({ description: 'The first number, without prefix', examples: [1] }),
  last: Type.Integer({ examples: [500] }),
  count: Type.Integer({ examples: [500] }),
  bound: Type.Integer({ description: 'Labels that stand for something', examples: [312] }),
  void: Type.Integer({ description: 'Labels that are no longer used', examples: [4] }),
  designId: Nullable({ ...Id, description: 'Null also after its deletion' }),
  createdAt: Time,
})
export type BatchView = Static<typeof BatchView>
export const BatchPage = PageOf(BatchView)
export const BatchesQuery = PageQuery({ ...InOrg.properties })
export type BatchesQuery = Static<typeof BatchesQuery>

export const BlankView = Model('QrBlank', {
  slug: Text('k7mpx2wr'),
  shortUrl: Text('https://qr.example.org/q/k7mpx2wr'),
  number: Text('LIB-00042'),
  batchId: Id,
  orgId: Nullable(Id),
  status: BlankStatus,
  kind: Nullable(BlankKind),
  targetId: Nullable(Id),
  title: Nullable(Text('Projector', { description: 'Null also if you may not know of the thing' })),
  boundBy: Nullable({ ...Id, description: 'The user who bound it' }),
  boundAt: Nullable(Time),
  scanCount: Type.Integer({ minimum: 0 }),
})
export type BlankView = Static<typeof BlankView>
export const BlankPage = PageOf(BlankView)

export const BlanksQuery = PageQuery({
  ...InOrg.properties,
  batchId: Type.Optional(Id),
  status: Type.Optional(BlankStatus),
  kind: Type.Optional(BlankKind),
  targetId: Type.Optional({ ...Id, description: 'The thing that they stand for, with its `kind`' }),
  keyword: Type.Optional(Line(100, 0, { description: 'Searched for in number and slug', examples: ['00042'] })),
})
export type BlanksQuery = Static<typeof BlanksQuery>

export const BindBlank = OneOf('BindQrBlank', ['id', 'create'], {
  kind: BlankKind,
  id: Type.Optional(Nullable({ ...Id, description: 'The thing, which must belong to the owner of the label' })),
  create: Type.Optional(
    Nullable({
      ...NewQrCode,
      description: 'A new QR code, only with the kind QR_CODE. It is changeable unless `isDynamic` is false',
    }),
  ),
  orgId: Type.Optional(Nullable(Id)),
})
export type BindBlank = Static<typeof BindBlank>

export const BLANK_FORMATS = ['csv', 'zip', 'pdf'] as const
/** The media types of these formats. */
export const EXPORT_TYPES = 'text/csv, application/zip, application/pdf'
export const ExportBatch = Type.Object({
  ...InOrg.properties,
  format: Enum(BLANK_FORMATS, {
    default: 'csv',
    description: '`zip` contains an SVG for each label, `pdf` a page for each, with the number beneath',
  }),
  widthMm: Type.Number({
    minimum: 8,
    maximum: 1000,
    default: 30,
    description: 'The width of a label with its quiet zone, in millimetres',
    examples: [30],
  }),
})
export type ExportBatch = Static<typeof ExportBatch>
