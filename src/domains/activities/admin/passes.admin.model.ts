/** Shapes of the passes of all activities, for administrators. */

import { ownerFields, timeFilters } from '#domains/admin/index.ts'
import { Id, Line, Model, Nullable, PageOf, PageQuery, Sort, type Static, Text, Type } from '#http/schema.ts'

import { PassView, RevokePass, Status } from '../passes/passes.model.ts'

export const AdminPassesQuery = PageQuery({
  keyword: Type.Optional(
    Line(100, 0, { description: 'Searched for in the name and the fields; or a whole `uuid`', examples: ['Lin'] }),
  ),
  activityId: Type.Optional(Id),
  status: Type.Optional(Status),
  userId: Type.Optional({ ...Id, description: 'The user who holds the pass' }),
  orgId: Type.Optional({ ...Id, description: 'The organization that owns the activity' }),
  ...timeFilters,
  sort: Sort(['createdAt']),
})
export type AdminPassesQuery = Static<typeof AdminPassesQuery>

const hidden = (example: string) =>
  Nullable(Text(example, { description: 'Always null, because it is as good as the pass' }))
const { uuid, qrContent: _, publicUrl, ...shown } = PassView.properties

export const AdminPassView = Model('AdminPass', {
  ...shown,
  uuid: hidden(uuid.examples[0]),
  qrContent: hidden('HTTPS://QR.EXAMPLE.ORG/S/PASS/AEAX6DBND2'),
  publicUrl: hidden(publicUrl.examples[0]),
  activityName: Text('Lake cleanup'),
  ...ownerFields,
  owner: Nullable({ ...ownerFields.owner, description: 'The holder; null for a guest without an account' }),
  orgId: { ...ownerFields.orgId, description: 'The organization that owns the activity' },
})
export type AdminPassView = Static<typeof AdminPassView>
export const AdminPassPage = PageOf(AdminPassView)

const { reason } = RevokePass.properties
export const AdminRevokePass = Model('AdminRevokePass', { reason })
