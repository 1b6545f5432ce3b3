import { DEPRECIATION_METHODS } from '#db/schema/assets.ts'
import { Enum, Id, Model, Nullable, PageOf, PageQuery, type Static, Text, Type } from '#http/schema.ts'
import { TABLE_FORMATS } from '#http/tables.ts'

import { Day } from '../register/register.model.ts'

export const DepreciationQuery = PageQuery({
  orgId: Type.Optional(Id),
  asOf: Type.Optional({ ...Day, description: 'Today by default' }),
  categoryId: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: '0: assets without a category. Any other id includes its sub-categories',
      examples: [0],
    }),
  ),
  format: Type.Optional(Enum(TABLE_FORMATS, { description: 'All assets as a file, instead of a page' })),
})
export type DepreciationQuery = Static<typeof DepreciationQuery>

const Amount = (example: string) => Text(example, { description: 'With two decimals' })

const DepreciationRow = Model('DepreciationRow', {
  assetId: Id,
  name: Text('Laptop'),
  assetNo: Text('A-2026-00001'),
  categoryId: Nullable(Id),
  purchaseDate: Nullable(Text('2026-03-01')),
  price: Nullable(Amount('1200.00')),
  method: Nullable(Enum(DEPRECIATION_METHODS)),
  months: Nullable(Type.Integer({ description: 'The useful life', examples: [36] })),
  elapsedMonths: Nullable(Type.Integer({ minimum: 0, examples: [10] })),
  depreciated: Nullable(Amount('333.33')),
  bookValue: Nullable(Amount('866.67')),
  endsOn: Nullable(Text('2029-03-01', { description: 'The day on which a straight line ends' })),
})
export type DepreciationRow = Static<typeof DepreciationRow>

export const DepreciationReport = Model('DepreciationReport', {
  ...PageOf(DepreciationRow).properties,
  asOf: Text('2026-12-31'),
  totals: Model('DepreciationTotals', {
    assets: Type.Integer({ minimum: 0, description: 'Assets with a value' }),
    without: Type.Integer({
      minimum: 0,
      description: 'Assets without a price, a purchase date or a method, which the sums leave out',
    }),
    price: Amount('1200.00'),
    depreciated: Amount('333.33'),
    bookValue: Amount('866.67'),
  }),
})
export type DepreciationReport = Static<typeof DepreciationReport>

export const CostsQuery = Type.Object({
  orgId: Type.Optional(Id),
  from: Type.Optional({ ...Day, description: 'Done on this day or later' }),
  to: Type.Optional({ ...Day, description: 'Done on this day or earlier' }),
})
export type CostsQuery = Static<typeof CostsQuery>

/** Groups of one list: the most expensive ones. */
export const MAX_GROUPS = 200
const count = Type.Integer({ minimum: 0, examples: [3] })
const group = { records: count, cost: Amount('149.70') }
export const CostsReport = Model('MaintenanceCosts', {
  records: { ...count, description: 'Records with a cost' },
  cost: Amount('149.70'),
  byAsset: Type.Array(
    Model('CostsOfAsset', { assetId: Id, name: Text('Drill'), assetNo: Text('A-2026-00001'), ...group }),
    {
      description: `The ${MAX_GROUPS} most expensive ones, as in the other lists`,
    },
  ),
  byCategory: Type.Array(Model('CostsOfCategory', { categoryId: Nullable(Id), ...group })),
  bySupplier: Type.Array(
    Model('CostsOfSupplier', { supplier: Text('Volt Ltd', { description: 'Empty if none is given' }), ...group }),
  ),
})
export type CostsReport = Static<typeof CostsReport>
