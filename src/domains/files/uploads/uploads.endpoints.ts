import { getSetting, LARGEST_UPLOAD } from '#domains/settings/index.ts'
import type { Budget } from '#http/budget.ts'
import { app, endpoint, open } from '#http/endpoint.ts'
import { FORM_OVERHEAD } from '#http/form.ts'
import { InOrg } from '#http/schema.ts'
import { HOUR } from '#platform/clock.ts'

import {
  AskForUpload,
  ByUploadId,
  FinishUpload,
  SignedUpload,
  UploadedFile,
  UploadForm,
  UploadTicket,
} from './uploads.model.ts'
import * as service from './uploads.service.ts'

const tag = 'Files'

const uploads: Budget = {
  name: 'uploads',
  counts: { en: 'uploads', zh: '上传' },
  per: 'user',
  limit: 2000,
  windowMs: HOUR,
}

const NOT_FOR_ORG = 'The caller may not upload files of this type for the organization.'
const NO_ORG = 'The organization does not exist.'
const REFUSED_CONTENT =
  'The type, decided from the bytes, is not allowed for this `type`, or the image cannot be decoded.'

export const uploadEndpoints = [
  endpoint({
    id: 'files.upload',
    method: 'POST',
    path: '/api/files/upload',
    summary: 'Upload a file',
    description:
      'The type is decided from the bytes. Images are turned upright, lose their metadata, and get a thumbnail. The answer has the ' +
      'time and the position that the image contained, as `capture`.',
    tag,
    access: app('file:upload'),
    query: InOrg,
    body: UploadForm,
    acceptsFile: { maxBytes: (ctx) => getSetting(ctx, 'upload.maxBytes'), required: true },
    maxBody: LARGEST_UPLOAD + FORM_OVERHEAD,
    budgets: [uploads],
    data: UploadedFile,
    refuses: { 403: NOT_FOR_ORG, 404: NO_ORG, 415: REFUSED_CONTENT },
    run: ({ ctx, actor, query, body, upload }) => service.uploadForm(ctx, actor, { ...body, ...query }, upload),
  }),
  endpoint({
    id: 'files.createTicket',
    method: 'POST',
    path: '/api/files/sts-token',
    summary: 'Ask for an upload link',
    description:
      'Reserves `size` bytes for 15 minutes. Send exactly that many bytes to `url` with PUT and `headers`, then call ' +
      '`POST /api/files/callback`.',
    tag,
    access: app('file:upload'),
    query: InOrg,
    body: AskForUpload,
    budgets: [uploads],
    data: UploadTicket,
    refuses: { 403: NOT_FOR_ORG, 404: NO_ORG },
    run: ({ ctx, actor, query, body }) => service.createTicket(ctx, actor, { ...body, ...query }),
  }),
  endpoint({
    id: 'files.receiveBytes',
    method: 'PUT',
    path: '/api/files/uploads/:uploadId',
    summary: 'Send the bytes of an upload',
    description:
      'By the link of the ticket. It may be repeated until the upload is finished: the last complete body counts.',
    tag,
    access: open,
    params: ByUploadId,
    query: SignedUpload,
    streamsBody: true,
    maxBody: LARGEST_UPLOAD,
    refuses: { 403: 'The link is invalid or has expired.' },
    run: ({ ctx, params, query, request }) => service.receiveBytes(ctx, params.uploadId, query, request),
  }),
  endpoint({
    id: 'files.finishUpload',
    method: 'POST',
    path: '/api/files/callback',
    summary: 'Finish an upload',
    description: 'Checks the bytes and makes a file of them. A repeated call answers the same file.',
    tag,
    access: app('file:upload'),
    body: FinishUpload,
    data: UploadedFile,
    refuses: { 403: NOT_FOR_ORG, 404: 'There is no such upload of yours.', 415: REFUSED_CONTENT },
    run: ({ ctx, actor, body }) => service.finishUpload(ctx, actor, body),
  }),
]
