import { app, endpoint, open, signedUrl } from '#http/endpoint.ts'
import { ById, Type } from '#http/schema.ts'

import { CONTENT_URL } from '../files.view.ts'
import { ContentQuery, ImageQuery, SignedUrl, SignedUrlQuery } from './content.model.ts'
import { createSignedUrl, readContent, readPublicImage } from './content.service.ts'

const tag = 'Files'

export const contentEndpoints = [
  endpoint({
    id: 'files.content',
    method: 'GET',
    path: '/api/files/:id/content',
    summary: 'Download a file',
    description:
      'Supports `Range`, and `If-None-Match` and `If-Range` with the `ETag`. A deleted file is answered with 404, whether the signed URL ' +
      'has expired or not.',
    tag,
    access: signedUrl(CONTENT_URL, ['id', 'variant', 'disposition'], 'file:read'),
    params: ById,
    query: ContentQuery,
    answers: '*/*',
    sendsRanges: true,
    refuses: { 403: 'The URL has expired or was changed, or the token has no permission to read files.' },
    run: ({ ctx, actor, request, params, query }) => readContent(ctx, actor, request, params.id, query),
  }),
  endpoint({
    id: 'files.signedUrl',
    method: 'GET',
    path: '/api/files/signed-url',
    summary: 'Create a signed URL of a file',
    description: 'It works without a token until it expires, and stops working as soon as the file is deleted.',
    tag,
    access: app('file:read'),
    query: SignedUrlQuery,
    data: SignedUrl,
    refuses: { 404: 'There is no such file or thumbnail, or you may not see it.' },
    run: ({ ctx, actor, query }) => createSignedUrl(ctx, actor, query),
  }),
  endpoint({
    id: 'files.publicImage',
    method: 'GET',
    path: '/public/images/:key',
    summary: 'Show a public image',
    description:
      'Pictures of users and organizations, and covers of public activities. Each has an address of its own, which ends when the ' +
      'picture is replaced, so caches may keep it.',
    tag,
    access: open,
    params: Type.Object({ key: Type.String({ maxLength: 100, examples: ['5hYt0QmZr8KpWc2LxVbN3a'] }) }),
    query: ImageQuery,
    answers: 'image/jpeg, image/png, image/webp',
    sendsRanges: true,
    run: ({ ctx, request, params, query }) => readPublicImage(ctx, request, params.key, query.variant),
  }),
]
