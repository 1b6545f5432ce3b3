import { dual, dualByRow, endpoint, signedIn } from '#http/endpoint.ts'
import { EXPORT_LIMITS } from '#http/exports.ts'
import { ById, InOrg } from '#http/schema.ts'

import { bindBlank, releaseBlank, voidBlank } from './binding.service.ts'
import {
  BatchesQuery,
  BatchPage,
  BatchView,
  BindBlank,
  BlankPage,
  BlanksQuery,
  BlankView,
  BySlug,
  CreateBlanks,
  EXPORT_TYPES,
  ExportBatch,
  MAX_COUNT,
} from './blanks.model.ts'
import { createBatch, getBlank, listBatches, listBlanks } from './blanks.service.ts'
import { organizationOfBatch } from './blanks.store.ts'
import { exportBatch } from './export.service.ts'

const tag = 'Labels'
const LIMIT = '20 wrong short links from one address within a minute are followed by 429 with code 4022.'

export const blankEndpoints = [
  endpoint({
    id: 'qrBlanks.create',
    method: 'POST',
    path: '/api/qr-codes/blanks',
    summary: 'Create a batch of labels, which lead nowhere yet',
    description: `All of up to ${MAX_COUNT} labels or none. Their numbers follow those of the last batch with the same prefix, without gap. Labels that nothing is bound to count in the quota of QR codes.`,
    tag,
    access: dual('qr_code:create'),
    query: InOrg,
    body: CreateBlanks,
    data: BatchView,
    refuses: { 404: 'The organization does not exist.' },
    run: ({ ctx, owner, body }) => createBatch(ctx, owner, body),
  }),
  endpoint({
    id: 'qrBlanks.list',
    method: 'GET',
    path: '/api/qr-codes/blanks',
    summary: 'List labels',
    description: 'The newest batch first, in the order of numbers.',
    tag,
    access: dual('qr_code:read'),
    query: BlanksQuery,
    data: BlankPage,
    run: ({ ctx, owner, query }) => listBlanks(ctx, owner, query),
  }),
  endpoint({
    id: 'qrBlanks.batches',
    method: 'GET',
    path: '/api/qr-codes/batches',
    summary: 'List batches of labels',
    description: 'Newest first.',
    tag,
    access: dual('qr_code:read'),
    query: BatchesQuery,
    data: BatchPage,
    run: ({ ctx, owner, query }) => listBatches(ctx, owner, query),
  }),
  endpoint({
    id: 'qrBlanks.export',
    method: 'GET',
    path: '/api/qr-codes/batches/:id/export',
    summary: 'Export the labels of a batch for printing',
    description: `Number and address of each label, an SVG for each, or a PDF with a page for each in its true size. Void labels are left out. ${EXPORT_LIMITS}`,
    tag,
    access: dual('qr_code:export', organizationOfBatch),
    params: ById,
    query: ExportBatch,
    answers: EXPORT_TYPES,
    run: ({ ctx, owner, params, query, caller }) => exportBatch(ctx, owner, params.id, query, caller),
  }),
  endpoint({
    id: 'qrBlanks.get',
    method: 'GET',
    path: '/api/qr-codes/blanks/:slug',
    summary: 'Get a label by the end of its short link',
    description: `Answers 404 unless you may read the QR codes of its owner. ${LIMIT}`,
    tag,
    access: signedIn,
    params: BySlug,
    data: BlankView,
    run: ({ ctx, actor, params, caller }) => getBlank(ctx, actor.userId, params.slug, caller),
  }),
  endpoint({
    id: 'qrBlanks.bind',
    method: 'POST',
    path: '/api/qr-codes/blanks/:slug/bind',
    summary: 'Bind a label to the thing that it stands for',
    description:
      'You also need the permission to change the thing, which must belong to the owner of the label. The first binding wins: the error of a later one ' +
      'has the label in `data`. The same binding again changes nothing. A dynamic code that gets its slug by it becomes plain if it may not be readable with its design.',
    tag,
    access: dualByRow('qr_code:update'),
    params: BySlug,
    query: InOrg,
    body: BindBlank,
    data: BlankView,
    run: ({ ctx, owner, params, body, caller }) => bindBlank(ctx, owner, params.slug, body, caller),
  }),
  endpoint({
    id: 'qrBlanks.release',
    method: 'POST',
    path: '/api/qr-codes/blanks/:slug/release',
    summary: 'Unbind a label, which then leads nowhere again',
    tag,
    access: dualByRow('qr_code:update'),
    params: BySlug,
    query: InOrg,
    data: BlankView,
    run: ({ ctx, owner, params, caller }) => releaseBlank(ctx, owner, params.slug, caller),
  }),
  endpoint({
    id: 'qrBlanks.void',
    method: 'POST',
    path: '/api/qr-codes/blanks/:slug/void',
    summary: 'End the use of a label permanently',
    tag,
    access: dualByRow('qr_code:update'),
    params: BySlug,
    query: InOrg,
    data: BlankView,
    run: ({ ctx, owner, params, caller }) => voidBlank(ctx, owner, params.slug, caller),
  }),
]
