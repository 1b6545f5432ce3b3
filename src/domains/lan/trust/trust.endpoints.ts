import { addressOf } from '#http/caller.ts'
import { endpoint, open } from '#http/endpoint.ts'
import { Model, Text, Type } from '#http/schema.ts'

import { profileOf } from './profile.view.ts'
import { trustPage } from './trust.page.ts'
import { mayRead, systemOf } from './trust.rules.ts'
import { authorityOf, trustOf } from './trust.service.ts'

const refuses = { 404: 'The server does not run for a private network (`TESSERA_LAN`).' } as const
const TrustCheck = Model('TrustCheck', {
  ok: Type.Boolean({ description: 'Always true' }),
  fingerprint: Text('4F2A 91C0 …', { description: 'SHA-256 of the authority, in groups of four' }),
})

const common = { method: 'GET', tag: 'Public pages', access: open, refuses } as const

const file = (body: string | Uint8Array<ArrayBuffer>, type: string): Response =>
  new Response(body, { headers: { 'content-type': type, 'cache-control': 'no-store' } })

export const trustEndpoints = [
  endpoint({
    ...common,
    id: 'lan.trustPage',
    path: '/trust',
    summary: 'Show how devices learn to trust this server',
    description:
      'For servers of a private network, which issue their own certificates. This page and the files below it are also served over plain http.',
    answers: 'text/html',
    run: ({ ctx, request, caller }) => trustPage(ctx, trustOf(ctx, request), systemOf(caller.userAgent), caller.locale),
  }),
  endpoint({
    ...common,
    id: 'lan.trustDer',
    path: '/trust/ca.crt',
    summary: 'Download the certificate of the authority (DER)',
    answers: 'application/x-x509-ca-cert',
    run: ({ ctx }) => file(new Uint8Array(authorityOf(ctx).authority.der), 'application/x-x509-ca-cert'),
  }),
  endpoint({
    ...common,
    id: 'lan.trustPem',
    path: '/trust/ca.pem',
    summary: 'Download the certificate of the authority (PEM)',
    answers: 'application/x-pem-file',
    run: ({ ctx }) => file(`${authorityOf(ctx).authority.pem}\n`, 'application/x-pem-file'),
  }),
  endpoint({
    ...common,
    id: 'lan.trustProfile',
    path: '/trust/ca.mobileconfig',
    summary: 'Download the profile that installs the certificate on Apple devices',
    answers: 'application/x-apple-aspen-config',
    run: ({ ctx, caller }) =>
      file(profileOf(authorityOf(ctx).authority, ctx.seal, caller.locale), 'application/x-apple-aspen-config'),
  }),
  endpoint({
    ...common,
    id: 'lan.trustCheck',
    path: '/trust/check',
    summary: 'Check whether the device trusts this server',
    description:
      'The page about trust asks over https, which fails until the device trusts the authority. Scripts of the same host over plain http may read the answer.',
    answers: 'application/json',
    data: TrustCheck,
    run({ ctx, request }) {
      const headers = new Headers({ 'cache-control': 'no-store', vary: 'origin' })
      const origin = request.headers.get('origin') ?? ''
      if (mayRead(origin, addressOf(request).hostname)) headers.set('access-control-allow-origin', origin)
      return Response.json({ ok: true, fingerprint: authorityOf(ctx).authority.fingerprint }, { headers })
    },
  }),
]
