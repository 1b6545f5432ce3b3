import { endpoint, open, signedIn } from '#http/endpoint.ts'

import { ById, ExportJob, ExportLink, LatestExport, LinkQuery, StartExport } from './exports.model.ts'
import { createLink, downloadExport, latestExport, startExport } from './exports.service.ts'

const tag = 'Profile'
const CONFIRMED = 'Code 4031: everybody must have signed in or confirmed within the last 10 minutes.'

export const exportEndpoints = [
  endpoint({
    id: 'ownData.start',
    method: 'POST',
    path: '/api/auth/export',
    summary: 'Export your data',
    description:
      'Makes one ZIP archive in the background: a page to read, a JSON file and a table of each kind of data, and your files. Of other people it ' +
      'has the nicknames and texts that you see, of organizations only what you made. Two exports run at once on a server; others wait. You can start one a ' +
      'day (429, 4022), unless it failed. 503 while the server has less than 1 GB of free disk space. The file is kept for 48 hours and does not count in your quota. You are notified.',
    tag,
    access: signedIn,
    body: StartExport,
    data: ExportJob,
    refuses: { 403: CONFIRMED },
    run: ({ ctx, actor, body, caller }) => startExport(ctx, actor, body, caller),
  }),
  endpoint({
    id: 'ownData.latest',
    method: 'GET',
    path: '/api/auth/export',
    summary: 'Get your latest data export',
    description: 'Null if there is none. While it is RUNNING, ask every few seconds for its `progress`.',
    tag,
    access: signedIn,
    data: LatestExport,
    run: ({ ctx, actor }) => latestExport(ctx, actor),
  }),
  endpoint({
    id: 'ownData.downloadLink',
    method: 'GET',
    path: '/api/auth/export/:id/download-link',
    summary: 'Get a download link of a data export',
    description:
      'For the user who started it. The link works without a token for 10 minutes, as long as the session lasts; a download that has begun continues.',
    tag,
    access: signedIn,
    params: ById,
    data: ExportLink,
    refuses: { 400: 'The export is not READY.' },
    run: ({ ctx, actor, params }) => createLink(ctx, actor, params.id),
  }),
  endpoint({
    id: 'ownData.download',
    method: 'GET',
    path: '/api/auth/export/:id/download',
    summary: 'Download a data export',
    description: 'With the link that `ownData.downloadLink` returns, and only with it. Supports `Range`.',
    tag,
    access: open,
    params: ById,
    query: LinkQuery,
    answers: 'application/zip',
    sendsRanges: true,
    refuses: { 403: 'The link has expired or was changed, or its session has ended.' },
    run: ({ ctx, request, params, query }) => downloadExport(ctx, request, params.id, query),
  }),
]
