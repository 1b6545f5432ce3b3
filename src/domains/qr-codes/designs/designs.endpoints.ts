import { dual, type DualAccess, endpoint, type RowOf } from '#http/endpoint.ts'
import { ById, InOrg } from '#http/schema.ts'

import { organizationOfDesign, versionOfDesign } from '../looks/looks.store.ts'
import {
  CreateDesign,
  DeleteQuery,
  DesignPage,
  DesignsQuery,
  DesignView,
  MAX_DESIGNS,
  UpdateDesign,
} from './designs.model.ts'
import * as service from './designs.service.ts'

const tag = 'QR codes'
const design: RowOf<DualAccess, typeof ById> = {
  version: versionOfDesign,
  view: DesignView,
  show: ({ ctx, owner, params }) => service.getDesign(ctx, owner, params.id),
}

const CHECKED =
  'A picture with it is drawn and read first; a design that cannot be read is refused, and nothing changes.'

export const designEndpoints = [
  endpoint({
    id: 'qrCodeDesigns.list',
    method: 'GET',
    path: '/api/qr-code-designs',
    summary: 'List the designs of QR codes',
    description: 'Yours, or with `orgId` those of that organization, in the order of their names.',
    tag,
    access: dual('qr_code:read'),
    query: DesignsQuery,
    data: DesignPage,
    run: ({ ctx, owner, query }) => service.listDesigns(ctx, owner, query),
  }),
  endpoint({
    id: 'qrCodeDesigns.create',
    method: 'POST',
    path: '/api/qr-code-designs',
    summary: 'Create a design of QR codes',
    description: `${CHECKED} At most ${MAX_DESIGNS} for a user or an organization.`,
    tag,
    access: dual('qr_code:create'),
    query: InOrg,
    body: CreateDesign,
    data: DesignView,
    refuses: { 404: 'The organization does not exist.' },
    run: ({ ctx, owner, body }) => service.createDesign(ctx, owner, body),
  }),
  endpoint({
    id: 'qrCodeDesigns.update',
    method: 'PUT',
    path: '/api/qr-code-designs/:id',
    summary: 'Update a design of QR codes',
    description: `Absent fields stay. ${CHECKED} Codes that have it get new pictures.`,
    tag,
    access: dual('qr_code:update', organizationOfDesign),
    params: ById,
    query: InOrg,
    body: UpdateDesign,
    data: DesignView,
    row: design,
    run: ({ ctx, owner, params, body }) => service.updateDesign(ctx, owner, params.id, body),
  }),
  endpoint({
    id: 'qrCodeDesigns.delete',
    method: 'DELETE',
    path: '/api/qr-code-designs/:id',
    summary: 'Delete a design of QR codes',
    description: 'Batches of labels that have it become plain.',
    tag,
    access: dual('qr_code:delete', organizationOfDesign),
    params: ById,
    query: DeleteQuery,
    row: design,
    run: ({ ctx, owner, params, query }) => service.deleteDesign(ctx, owner, params.id, query.force ?? false),
  }),
]
