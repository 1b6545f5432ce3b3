import { endpoint, signedIn } from '#http/endpoint.ts'
import { ById } from '#http/schema.ts'

import { FoundReportPage, FoundReportStatus, FoundReportView, NewFoundMessage, ReportsQuery } from './reports.model.ts'
import * as service from './reports.service.ts'

const tag = 'Lost and found'
const refuses = { 403: 'You may see the report, but not change the thing that it is about.' } as const

export const reportEndpoints = [
  endpoint({
    id: 'found.reports',
    method: 'GET',
    path: '/api/found-reports',
    summary: 'List the reports of finders, newest first',
    description:
      'About your own things, or those of an organization: `asset:read` there shows the reports about assets, `qr_code:read` those about codes.',
    tag,
    access: signedIn,
    query: ReportsQuery,
    data: FoundReportPage,
    refuses: { 403: 'You may read neither assets nor QR codes of the organization.' },
    run: ({ ctx, actor, query }) => service.listReports(ctx, actor, query),
  }),
  endpoint({
    id: 'found.report',
    method: 'GET',
    path: '/api/found-reports/:id',
    summary: 'Get the report of a finder with its messages',
    tag,
    access: signedIn,
    params: ById,
    data: FoundReportView,
    run: ({ ctx, actor, params }) => service.getReport(ctx, actor, params.id),
  }),
  endpoint({
    id: 'found.answer',
    method: 'POST',
    path: '/api/found-reports/:id/messages',
    summary: 'Send an answer to a finder',
    description:
      'The finder reads the answer on the page of the conversation and does not learn who wrote it. Needs `asset:update` or `qr_code:update`.',
    tag,
    access: signedIn,
    params: ById,
    body: NewFoundMessage,
    data: FoundReportView,
    refuses: { ...refuses, 400: 'The conversation is closed or has ended.' },
    run: ({ ctx, actor, params, body }) => service.answerFinder(ctx, actor, params.id, body.message),
  }),
  endpoint({
    id: 'found.changeStatus',
    method: 'PATCH',
    path: '/api/found-reports/:id',
    summary: 'Change the status of a report',
    description:
      'RETURNED also changes the status of an asset that is LOST to IN_USE. CLOSED ends the conversation for both sides.',
    tag,
    access: signedIn,
    params: ById,
    body: FoundReportStatus,
    data: FoundReportView,
    refuses,
    run: ({ ctx, actor, params, body }) => service.changeStatus(ctx, actor, params.id, body.status),
  }),
  endpoint({
    id: 'found.deleteReport',
    method: 'DELETE',
    path: '/api/found-reports/:id',
    summary: 'Delete a report with its conversation',
    tag,
    access: signedIn,
    params: ById,
    refuses,
    run: ({ ctx, actor, params }) => service.deleteReport(ctx, actor, params.id),
  }),
]
