import { dual, type DualAccess, endpoint, type RowOf } from '#http/endpoint.ts'
import { ById, InOrg } from '#http/schema.ts'

import { organizationOfCode, versionOfCode } from '../codes/codes.store.ts'
import { LinkView, TriedLink, TryLink, UpdateLink } from './links.model.ts'
import { getLink, tryLink, updateLink } from './links.service.ts'

const tag = 'QR codes'
const link: RowOf<DualAccess, typeof ById> = {
  version: versionOfCode,
  view: LinkView,
  show: ({ ctx, owner, params }) => getLink(ctx, owner, params.id),
}

export const linkEndpoints = [
  endpoint({
    id: 'qrCodes.link',
    method: 'GET',
    path: '/api/qr-codes/:id/link',
    summary: 'Get the short link of a QR code',
    description: 'Answers 404 if the code has no slug.',
    tag,
    access: dual('qr_code:read', organizationOfCode),
    params: ById,
    query: InOrg,
    data: LinkView,
    run: ({ ctx, owner, params }) => getLink(ctx, owner, params.id),
  }),
  endpoint({
    id: 'qrCodes.updateLink',
    method: 'PUT',
    path: '/api/qr-codes/:id/link',
    summary: 'Change where the short link of a QR code leads',
    description:
      'Absent fields stay; null clears a field. A code without a slug gets one. The target is the content of the code, which `PUT /api/qr-codes/{id}` changes.',
    tag,
    access: dual('qr_code:update', organizationOfCode),
    params: ById,
    query: InOrg,
    body: UpdateLink,
    data: LinkView,
    row: link,
    run: ({ ctx, owner, params, body }) => updateLink(ctx, owner, params.id, body),
  }),
  endpoint({
    id: 'qrCodes.tryLink',
    method: 'POST',
    path: '/api/qr-codes/:id/link/try',
    summary: 'Try where the short link of a QR code leads',
    description: 'For a visitor at this time, with this device, language and country. Counts nothing.',
    tag,
    access: dual('qr_code:read', organizationOfCode),
    params: ById,
    query: InOrg,
    body: TryLink,
    data: TriedLink,
    ignoresKey: 'It changes nothing.',
    run: ({ ctx, owner, params, body }) => tryLink(ctx, owner, params.id, body),
  }),
]
