import { dual, endpoint } from '#http/endpoint.ts'
import { ById, InOrg } from '#http/schema.ts'

import { organizationOfAsset } from '../register/register.store.ts'
import { CHECK_OUTS, CheckIn, CheckOut, LoanPage, LoansQuery, LoanView } from './loans.model.ts'
import * as service from './loans.service.ts'

const tag = 'Assets'

export const loanEndpoints = [
  endpoint({
    id: 'assets.loans',
    method: 'GET',
    path: '/api/assets/loans',
    summary: 'List the loans of assets',
    description: 'The newest first, open ones and returned ones.',
    tag,
    access: dual('asset:read'),
    query: LoansQuery,
    data: LoanPage,
    run: ({ ctx, owner, query }) => service.listLoans(ctx, owner, query),
  }),
  endpoint({
    id: 'assets.checkOut',
    method: 'POST',
    path: '/api/assets/:id/check-out',
    summary: 'Check an asset out to a borrower',
    description:
      'Give either `userId` or `personName`. An asset has one open loan at most; while it has one, it cannot be deleted. Its custodian ' +
      'does not change. When `dueAt` has passed, the borrower is notified once; if the borrower has no account, you are.',
    tag,
    access: dual('asset:transfer', organizationOfAsset),
    budgets: [CHECK_OUTS],
    params: ById,
    query: InOrg,
    body: CheckOut,
    data: LoanView,
    run: ({ ctx, owner, params, body }) => service.checkOut(ctx, owner, params.id, body),
  }),
  endpoint({
    id: 'assets.checkIn',
    method: 'POST',
    path: '/api/assets/:id/check-in',
    summary: 'Check an asset in again',
    description:
      'With `locationId` the asset moves there, and its history gets a row. 400 if the asset is not on loan.',
    tag,
    access: dual('asset:transfer', organizationOfAsset),
    params: ById,
    query: InOrg,
    body: CheckIn,
    data: LoanView,
    run: ({ ctx, owner, params, body }) => service.checkIn(ctx, owner, params.id, body),
  }),
]
