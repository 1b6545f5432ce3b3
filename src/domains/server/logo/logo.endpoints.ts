import { endpoint, open, platform } from '#http/endpoint.ts'
import { FORM_OVERHEAD } from '#http/form.ts'
import { Type } from '#http/schema.ts'

import { IdentityView } from '../identity/identity.model.ts'
import { showIdentity } from '../identity/identity.service.ts'
import { serverVersionRow } from '../server.service.ts'
import { deleteLogo, readPicture, setLogo } from './logo.service.ts'

const MAX_BYTES = 2 * 1024 * 1024

const change = {
  tag: 'Server',
  access: platform('setting:update'),
  path: '/api/admin/server/logo',
  row: serverVersionRow(IdentityView, ({ ctx }) => showIdentity(ctx)),
  data: IdentityView,
  logs: 'SERVER_UPDATE',
} as const

export const logoEndpoints = [
  endpoint({
    ...change,
    id: 'server.logo.update',
    method: 'PUT',
    summary: 'Upload the logo of the server',
    description:
      'A PNG, JPEG or WebP image of at most 2 MB and 40 megapixels, with at least 128 pixels on both sides. It is re-encoded, and icons for ' +
      'browsers and home screens are made of it. Each logo has addresses of its own; those of the logo before answer 404.',
    body: Type.Object({}),
    acceptsFile: { maxBytes: () => MAX_BYTES, required: true },
    maxBody: MAX_BYTES + FORM_OVERHEAD,
    refuses: { 415: 'The bytes are no PNG, JPEG or WebP image, or the image cannot be decoded.' },
    run: ({ ctx, actor, upload }) => setLogo(ctx, actor, upload),
  }),
  endpoint({
    ...change,
    id: 'server.logo.delete',
    method: 'DELETE',
    summary: 'Remove the logo of the server',
    description: 'It has the mark of the product again.',
    run: ({ ctx, actor }) => deleteLogo(ctx, actor),
  }),
  endpoint({
    id: 'server.logo.picture',
    method: 'GET',
    path: '/icons/:key/:file',
    summary: 'Show a picture of the logo',
    description:
      '`logo.png`, square icons of 32, 180, 192 and 512 pixels (`192.png`), and `maskable.png`, which phones cut into their own shape. ' +
      '`logoUrl` and `iconUrl` of `GET /api/server` are such addresses.',
    tag: 'Public pages',
    access: open,
    params: Type.Object({
      key: Type.String({ maxLength: 50, examples: ['k3f9x0a2b4c6'] }),
      file: Type.String({ maxLength: 20, examples: ['192.png'] }),
    }),
    answers: 'image/png',
    sendsRanges: true,
    refuses: { 404: 'The server has another logo by now, or none.' },
    run: ({ ctx, request, params }) => readPicture(ctx, request, params.key, params.file),
  }),
]
