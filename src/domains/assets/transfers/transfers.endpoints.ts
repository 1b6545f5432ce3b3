import { dual, endpoint } from '#http/endpoint.ts'
import { ById, InOrg } from '#http/schema.ts'
import { HOUR } from '#platform/clock.ts'

import { organizationOfAsset } from '../register/register.store.ts'
import { TransferAsset, TransferPage, Transferred, TransfersQuery } from './transfers.model.ts'
import { listTransfers, transferAsset } from './transfers.service.ts'

const tag = 'Assets'

export const transferEndpoints = [
  endpoint({
    id: 'assets.transfer',
    method: 'POST',
    path: '/api/assets/:id/transfer',
    summary: 'Transfer an asset to another custodian, location or organization',
    description:
      'Give at least one of `custodianId`, `locationId` and `toOrgId`; null clears custodian or location. With `toOrgId` your own asset ' +
      'becomes one of that organization, in which you need `asset:create`. Its category and the values of your own fields are then ' +
      'cleared, and so are custodian and location unless you give new ones. The new custodian is notified.',
    tag,
    access: dual('asset:transfer', organizationOfAsset),
    budgets: [
      {
        name: 'assets.transfer',
        counts: { en: 'transfers of assets', zh: '资产转移次数' },
        per: 'user',
        // Each adds a row to a history that stays, and can notify another user.
        limit: 2000,
        windowMs: HOUR,
      },
    ],
    params: ById,
    query: InOrg,
    body: TransferAsset,
    data: Transferred,
    refuses: { 403: 'You may not create assets in the organization.', 404: 'The organization does not exist.' },
    run: ({ ctx, owner, params, body, caller }) => transferAsset(ctx, owner, params.id, body, caller),
  }),
  endpoint({
    id: 'assets.transfers',
    method: 'GET',
    path: '/api/assets/:id/transfers',
    summary: 'List the transfers of an asset, newest first',
    tag,
    access: dual('asset:read', organizationOfAsset),
    params: ById,
    query: TransfersQuery,
    data: TransferPage,
    run: ({ ctx, owner, params, query }) => listTransfers(ctx, owner, params.id, query),
  }),
]
