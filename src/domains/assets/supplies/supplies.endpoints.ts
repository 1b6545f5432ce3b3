import { dual, type DualAccess, endpoint, type RowOf } from '#http/endpoint.ts'
import { EXPORT_LIMITS } from '#http/exports.ts'
import { ById, InOrg } from '#http/schema.ts'
import { TABLE_TYPES } from '#http/tables.ts'

import { exportMovements, exportSupplies } from './export.service.ts'
import {
  CreateMovement,
  CreateMovements,
  LoanPage,
  LoansQuery,
  MAX_MOVEMENTS,
  MovementPage,
  Movements,
  MovementsQuery,
  MovementView,
  ORG_MOVEMENTS,
  OWN_MOVEMENTS,
  ReverseMovement,
  SELF_SERVICE,
} from './movements.model.ts'
import * as movements from './movements.service.ts'
import { organizationOfMovement } from './movements.store.ts'
import {
  CreateSupply,
  ExportQuery,
  MAX_SUPPLIES,
  NEW_SUPPLIES,
  SuppliesQuery,
  SupplyPage,
  SupplyView,
  UpdateSupply,
} from './supplies.model.ts'
import * as service from './supplies.service.ts'
import { organizationOfSupply, versionOfSupply } from './supplies.store.ts'

const tag = 'Supplies'
const read = dual('asset:read', organizationOfSupply)
const supply: RowOf<DualAccess, typeof ById> = {
  version: versionOfSupply,
  view: SupplyView,
  show: ({ ctx, owner, params }) => service.getSupply(ctx, owner, params.id),
}
const MOVES =
  'Requires `asset:transfer`; where the supply permits self-service, members take for themselves and return their own without it. The stock ' +
  'never falls below 0, in total and at a place.'
const budgets = [ORG_MOVEMENTS, OWN_MOVEMENTS, SELF_SERVICE]

export const supplyEndpoints = [
  endpoint({
    id: 'supplies.list',
    method: 'GET',
    path: '/api/supplies',
    summary: 'List supplies',
    description: 'In the order of their names unless `sort` is given. `orgId` lists those of that organization.',
    tag,
    access: dual('asset:read'),
    query: SuppliesQuery,
    data: SupplyPage,
    run: ({ ctx, owner, query }) => service.listSupplies(ctx, owner, query),
  }),
  endpoint({
    id: 'supplies.create',
    method: 'POST',
    path: '/api/supplies',
    summary: 'Register a supply',
    description: `Movements then change its stock, which is 0 at first. At most ${MAX_SUPPLIES.toLocaleString('en')} for a user or an organization.`,
    tag,
    access: dual('asset:create'),
    query: InOrg,
    body: CreateSupply,
    data: SupplyView,
    budgets: [NEW_SUPPLIES],
    refuses: { 404: 'The organization does not exist.' },
    run: ({ ctx, owner, body, caller }) => service.createSupply(ctx, owner, body, caller),
  }),
  endpoint({
    id: 'supplies.movements',
    method: 'GET',
    path: '/api/supplies/movements',
    summary: 'List the movements of supplies',
    description: `The newest first. With \`format\` the answer is a file with all of them. ${EXPORT_LIMITS}`,
    tag,
    access: dual('asset:read'),
    query: MovementsQuery,
    data: MovementPage,
    answers: TABLE_TYPES,
    run: ({ ctx, owner, query, caller }) =>
      query.format === undefined
        ? movements.listMovements(ctx, owner, query)
        : exportMovements(ctx, owner, query, query.format, caller),
  }),
  endpoint({
    id: 'supplies.moveMany',
    method: 'POST',
    path: '/api/supplies/movements',
    summary: 'Record movements of several supplies',
    description: `At most ${MAX_MOVEMENTS}, in their order: all of them, or none. ${MOVES}`,
    tag,
    access: dual('asset:read'),
    query: InOrg,
    body: CreateMovements,
    data: Movements,
    budgets,
    run: ({ ctx, owner, body, caller }) => movements.createMovements(ctx, owner, body, caller),
  }),
  endpoint({
    id: 'supplies.export',
    method: 'GET',
    path: '/api/supplies/export',
    summary: 'Export supplies to a spreadsheet',
    description:
      'Takes the filters of the list. A supply has a row for each place where there are any. The columns are those of an import; ' +
      `\`template\` gives a table to fill in. ${EXPORT_LIMITS}`,
    tag,
    access: dual('asset:export'),
    query: ExportQuery,
    answers: TABLE_TYPES,
    run: ({ ctx, owner, query, caller }) => exportSupplies(ctx, owner, query, caller),
  }),
  endpoint({
    id: 'supplies.reverse',
    method: 'POST',
    path: '/api/supplies/movements/:id/reverse',
    summary: 'Reverse a movement of a supply',
    description: 'Books the opposite, once: again, it answers the same movement. 400 if the stock would fall below 0.',
    tag,
    access: dual('asset:transfer', organizationOfMovement),
    params: ById,
    query: InOrg,
    body: ReverseMovement,
    data: MovementView,
    budgets: [ORG_MOVEMENTS, OWN_MOVEMENTS],
    run: ({ ctx, owner, params, body, caller }) => movements.reverseMovement(ctx, owner, params.id, body, caller),
  }),
  endpoint({
    id: 'supplies.get',
    method: 'GET',
    path: '/api/supplies/:id',
    summary: 'Get a supply',
    tag,
    access: read,
    params: ById,
    query: InOrg,
    data: SupplyView,
    run: ({ ctx, owner, params }) => service.getSupply(ctx, owner, params.id),
  }),
  endpoint({
    id: 'supplies.update',
    method: 'PUT',
    path: '/api/supplies/:id',
    summary: 'Update a supply',
    description:
      'Absent fields stay; null clears a field. The stock is changed by movements only, which raise neither `version` nor `updatedAt`. ' +
      '`kind` cannot change after the first movement.',
    tag,
    access: dual('asset:update', organizationOfSupply),
    params: ById,
    query: InOrg,
    body: UpdateSupply,
    data: SupplyView,
    row: supply,
    run: ({ ctx, owner, params, body, caller }) => service.updateSupply(ctx, owner, params.id, body, caller),
  }),
  endpoint({
    id: 'supplies.delete',
    method: 'DELETE',
    path: '/api/supplies/:id',
    summary: 'Delete a supply',
    description: 'Its movements stay, and its number becomes free.',
    tag,
    access: dual('asset:delete', organizationOfSupply),
    params: ById,
    query: InOrg,
    refuses: { 400: 'People have some of it.' },
    row: supply,
    run: ({ ctx, owner, params }) => service.deleteSupply(ctx, owner, params.id),
  }),
  endpoint({
    id: 'supplies.loans',
    method: 'GET',
    path: '/api/supplies/:id/loans',
    summary: 'List who has some of a supply',
    description: 'Of a POOL. People without an account come first, in the order of their names.',
    tag,
    access: read,
    params: ById,
    query: LoansQuery,
    data: LoanPage,
    run: ({ ctx, owner, params, query }) => movements.listLoans(ctx, owner, params.id, query),
  }),
  endpoint({
    id: 'supplies.move',
    method: 'POST',
    path: '/api/supplies/:id/movements',
    summary: 'Record a movement of a supply',
    description: MOVES,
    tag,
    access: read,
    params: ById,
    query: InOrg,
    body: CreateMovement,
    data: MovementView,
    budgets,
    run: ({ ctx, owner, params, body, caller }) => movements.createMovement(ctx, owner, params.id, body, caller),
  }),
]
