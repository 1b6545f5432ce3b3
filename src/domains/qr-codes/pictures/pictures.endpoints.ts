import { dual, endpoint, open } from '#http/endpoint.ts'
import { ById, InOrg } from '#http/schema.ts'

import { organizationOfCode } from '../codes/codes.store.ts'
import { ByKey, CheckDesign, CHECKS, DesignCheck, DesignQuery, PictureQuery } from './pictures.model.ts'
import { checkLook, codePicture, designPicture } from './pictures.service.ts'

export const pictureEndpoints = [
  endpoint({
    id: 'qrCodeDesigns.check',
    method: 'POST',
    path: '/api/qr-code-designs/check',
    summary: 'Check whether a design of QR codes can be read',
    description:
      'Draws the content with the design and reads the picture at several sizes, blurred, turned, pale and with noise. Changes nothing. ' +
      'A problem with the code `UNREADABLE` is found only if there is no other one. One check runs at a time for each user; if too many wait, ' +
      'the answer is 503 with `Retry-After`.',
    tag: 'QR codes',
    access: dual('qr_code:read'),
    query: InOrg,
    body: CheckDesign,
    data: DesignCheck,
    budgets: [CHECKS],
    ignoresKey: 'It changes nothing.',
    run: ({ ctx, owner, body, caller }) => checkLook(ctx, owner, body, caller.locale),
  }),
  endpoint({
    id: 'qrCodes.picture',
    method: 'GET',
    path: '/api/qr-codes/:id/picture',
    summary: 'Download the picture of a QR code',
    description: 'With its design, or in its plain style. A PDF, and an SVG or PNG with `widthMm`, is true to size.',
    tag: 'QR codes',
    access: dual('qr_code:read', organizationOfCode),
    params: ById,
    query: PictureQuery,
    answers: 'image/png, image/svg+xml, application/pdf',
    refuses: { 404: 'The code does not exist or belongs to another owner.' },
    run: ({ ctx, owner, params, query }) => codePicture(ctx, owner, params.id, query),
  }),
  endpoint({
    id: 'qrcode.design',
    method: 'GET',
    path: '/api/qrcode/design/:key',
    summary: 'Show the picture of a QR code with a design',
    description:
      'The address is `imageUrl` of the code. A picture never changes: a change of content or design makes another address, and the ' +
      'earlier one works for 30 days more.',
    tag: 'Public pages',
    access: open,
    params: ByKey,
    query: DesignQuery,
    answers: 'image/png, image/svg+xml',
    refuses: { 404: 'There is no such picture, or it was replaced more than 30 days ago.' },
    run: ({ ctx, params, query, request }) => designPicture(ctx, params.key, query, request),
  }),
]
