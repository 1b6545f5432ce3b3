import { MAINTENANCE_KINDS, MAINTENANCE_RESULTS } from '#db/schema/asset-maintenance.ts'
import type { Budget } from '#http/budget.ts'
import {
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
  RowVersion,
  type Static,
  Text,
  Time,
  Type,
} from '#http/schema.ts'
import { DAY } from '#platform/clock.ts'

import { Day, PriceInput } from '../register/register.model.ts'

/** Plans of one owner. Every write of an asset that changes its plans reads all of them. */
export const MAX_PLANS = 200
/** Records of one asset. */
export const MAX_RECORDS = 500
export const MAX_FILES = 5

/** A plan of a category can change as many assets as the category has. */
export const PLAN_WRITES: Budget = {
  name: 'maintenance-plans',
  counts: { en: 'new and changed plans of maintenance', zh: '新建和修改维护计划次数' },
  per: 'user',
  limit: 500,
  windowMs: DAY,
  durable: true,
}
export const RECORD_WRITES: Budget = {
  name: 'maintenance-records',
  counts: { en: 'maintenance records', zh: '维护记录' },
  per: 'user',
  limit: 5000,
  windowMs: DAY,
  durable: true,
}

const Kind = Named('MaintenanceKind', Enum(MAINTENANCE_KINDS, { examples: ['INSPECTION'] }))
const Result = Named('MaintenanceResult', Enum(MAINTENANCE_RESULTS, { examples: ['PASSED'] }))
const optional = <T extends Parameters<typeof Nullable>[0]>(schema: T) => Type.Optional(Nullable(schema))
const OrgId = optional(Id)
const day = (example: string, description?: string) => ({
  ...Day,
  examples: [example],
  ...(description && { description }),
})

const interval = {
  days: optional(Type.Integer({ minimum: 1, maximum: 3650, examples: [90] })),
  months: optional(Type.Integer({ minimum: 1, maximum: 1200, examples: [12] })),
}
const Every = Model(
  'MaintenanceInterval',
  { 'x-alternatives': { keyword: 'oneOf', options: ['days', 'months'] } },
  interval,
)
const LeadDays = Type.Integer({
  minimum: 0,
  maximum: 365,
  default: 14,
  description: 'Somebody is notified so many days before the due date',
  examples: [14],
})

const plan = {
  name: { ...Name, examples: ['Electrical safety check'] },
  kind: Kind,
  every: {
    ...Every,
    description:
      'Either days or months. Months count by the calendar: a month after 31 January is the last day of February',
  },
  firstDue: day('2026-09-01'),
  leadDays: Type.Optional(LeadDays),
  assigneeId: optional({
    ...Id,
    description: 'Who is notified: a member. Without one, the custodian of each asset is, or else the keepers',
  }),
  note: optional(Description),
}
const target = {
  assetId: optional({ ...Id, description: 'The asset that it is for' }),
  categoryId: optional({
    ...Id,
    description: 'It holds for all assets of this category and of those below it, except scrapped ones',
  }),
}

const planExamples = [
  { name: 'Electrical safety check', kind: 'INSPECTION', every: { months: 12 }, firstDue: '2026-09-01', assetId: 42 },
]
/** Exactly one of `assetId` and `categoryId`. */
export const CreatePlan = Model(
  'CreateMaintenancePlan',
  { examples: planExamples },
  { ...plan, ...target, orgId: OrgId },
)
export type CreatePlan = Static<typeof CreatePlan>
export const UpdatePlan = Named(
  'UpdateMaintenancePlan',
  Type.Partial(Type.Object({ ...plan, ...target, orgId: OrgId }), {
    examples: [{ every: { months: 6 }, leadDays: 7 }],
  }),
)
export type UpdatePlan = Static<typeof UpdatePlan>

export const PlansQuery = PageQuery({
  orgId: Type.Optional(Id),
  assetId: Type.Optional({ ...Id, description: 'Only plans that hold for this asset' }),
})
export type PlansQuery = Static<typeof PlansQuery>

export const PlanView = Model('MaintenancePlan', {
  id: Id,
  orgId: Nullable(Id),
  name: Text('Electrical safety check'),
  kind: Kind,
  assetId: Nullable(Id),
  categoryId: Nullable(Id),
  every: Type.Object({ days: Nullable(Type.Integer()), months: Nullable(Type.Integer()) }),
  firstDue: Text('2026-09-01'),
  leadDays: Type.Integer({ examples: [14] }),
  assigneeId: Nullable(Id),
  note: Text('By an electrician'),
  createdBy: Id,
  version: RowVersion,
  createdAt: Time,
  updatedAt: Time,
})
export type PlanView = Static<typeof PlanView>
export const PlanPage = PageOf(PlanView)

const record = {
  kind: Kind,
  doneOn: day('2026-08-28'),
  cost: optional(PriceInput),
  supplier: optional(Line(100, 0, { examples: ['Volt Ltd'] })),
  result: optional(Result),
  note: optional(Description),
  fileIds: optional(
    Type.Array(Id, {
      maxItems: MAX_FILES,
      uniqueItems: true,
      description:
        'Files that you have uploaded with type `asset` (for an asset of an organization, also with its `orgId`)',
      examples: [[]],
    }),
  ),
  planId: optional({ ...Id, description: 'The plan that it fulfils; it must hold for the asset' }),
  nextDue: optional(day('2027-09-01', 'The next due date of the plan, if not the one that its interval gives')),
  status: Type.Optional(
    Enum(['REPAIR', 'IN_USE'], {
      description: 'Only with `kind` REPAIR: the new status of the asset',
      examples: ['IN_USE'],
    }),
  ),
}
const recordExamples = [
  { kind: 'INSPECTION', doneOn: '2026-08-28', cost: '49.90', supplier: 'Volt Ltd', result: 'PASSED', planId: 42 },
]
export const CreateRecord = Model('CreateMaintenanceRecord', { examples: recordExamples }, { ...record, orgId: OrgId })
export type CreateRecord = Static<typeof CreateRecord>
export const UpdateRecord = Named(
  'UpdateMaintenanceRecord',
  Type.Partial(Type.Object({ ...record, orgId: OrgId }), { examples: [{ cost: '59.90', note: 'Cable replaced' }] }),
)
export type UpdateRecord = Static<typeof UpdateRecord>

export const ByRecord = Type.Object({ id: Id, recordId: Id })
export const RecordsQuery = PageQuery({ orgId: Type.Optional(Id) })

export const RecordView = Model('MaintenanceRecord', {
  id: Id,
  assetId: Id,
  kind: Kind,
  doneOn: Text('2026-08-28'),
  cost: Nullable(Text('49.90', { description: 'With two decimals' })),
  supplier: Text('Volt Ltd'),
  result: Result,
  note: Text('New cable'),
  fileIds: Type.Array(Id),
  files: Type.Array(
    Model('MaintenanceFile', {
      fileId: Id,
      name: Text('report.pdf'),
      url: Text('http://localhost:8080/api/files/42/content'),
    }),
  ),
  planId: Nullable(Id),
  nextDue: Nullable(Text('2027-09-01')),
  createdBy: Id,
  version: RowVersion,
  createdAt: Time,
  updatedAt: Time,
})
export type RecordView = Static<typeof RecordView>
export const RecordPage = PageOf(RecordView)

export const DueQuery = PageQuery({
  orgId: Type.Optional(Id),
  to: Type.Optional(day('2026-09-30', 'Due on this day or earlier')),
  overdue: Type.Optional(Type.Boolean({ description: 'Whether it was due before today' })),
  assigneeId: Type.Optional(Id),
  assetId: Type.Optional(Id),
})
export type DueQuery = Static<typeof DueQuery>

export const DueView = Model('MaintenanceDue', {
  assetId: Id,
  name: Text('Drill'),
  assetNo: Text('A-2026-00001'),
  planId: Id,
  planName: Text('Electrical safety check'),
  dueOn: Text('2026-09-01'),
  overdue: Type.Boolean({ description: 'Whether it was due before today, in the zone of the owner' }),
  assigneeId: Nullable({ ...Id, description: 'That of the plan' }),
})
export type DueView = Static<typeof DueView>
export const DuePage = PageOf(DueView)
