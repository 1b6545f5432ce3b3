import { dual, endpoint } from '#http/endpoint.ts'
import { ById, InOrg } from '#http/schema.ts'

import { organizationOf } from '../things.service.ts'
import { FoundCardView, UpdateFoundCard } from './cards.model.ts'
import { getCard, updateCard } from './cards.service.ts'

const change =
  'Absent fields stay. As long as `when` allows, the public page shows the text and a form with which a finder writes to the owner: see ' +
  '`/api/found-reports`. '

export const cardEndpoints = [
  endpoint({
    id: 'found.assetCard',
    method: 'GET',
    path: '/api/assets/:id/found-card',
    summary: 'Get the finder card of an asset',
    tag: 'Lost and found',
    access: dual('asset:read', organizationOf('ASSET')),
    params: ById,
    query: InOrg,
    data: FoundCardView,
    run: ({ ctx, owner, params }) => getCard(ctx, 'ASSET', owner, params.id),
  }),
  endpoint({
    id: 'found.updateAssetCard',
    method: 'PUT',
    path: '/api/assets/:id/found-card',
    summary: 'Update the finder card of an asset',
    description: `${change}Of an asset without \`publicFields\` the page shows only this card.`,
    tag: 'Lost and found',
    access: dual('asset:update', organizationOf('ASSET')),
    params: ById,
    query: InOrg,
    body: UpdateFoundCard,
    data: FoundCardView,
    run: ({ ctx, owner, params, body, caller }) => updateCard(ctx, 'ASSET', owner, params.id, body, caller),
  }),
  endpoint({
    id: 'found.codeCard',
    method: 'GET',
    path: '/api/qr-codes/:id/found-card',
    summary: 'Get the finder card of a QR code',
    tag: 'Lost and found',
    access: dual('qr_code:read', organizationOf('QR_CODE')),
    params: ById,
    query: InOrg,
    data: FoundCardView,
    run: ({ ctx, owner, params }) => getCard(ctx, 'QR_CODE', owner, params.id),
  }),
  endpoint({
    id: 'found.updateCodeCard',
    method: 'PUT',
    path: '/api/qr-codes/:id/found-card',
    summary: 'Update the finder card of a QR code',
    description: `${change}The page exists only while the code is public. A tag for a bag is a changeable code that opens its page.`,
    tag: 'Lost and found',
    access: dual('qr_code:update', organizationOf('QR_CODE')),
    params: ById,
    query: InOrg,
    body: UpdateFoundCard,
    data: FoundCardView,
    refuses: { 400: '`when` is LOST.' },
    run: ({ ctx, owner, params, body, caller }) => updateCard(ctx, 'QR_CODE', owner, params.id, body, caller),
  }),
]
