import { Type } from '@sinclair/typebox'

import { endpoint, open } from '#http/endpoint.ts'
import { Model } from '#http/schema.ts'

import { showLicenses } from './licenses.page.ts'
import { listLicenses } from './licenses.service.ts'

const LicensedPackageView = Model('LicensedPackage', {
  name: Type.String({ examples: ['react'] }),
  version: Type.String({ examples: ['19.3.1'] }),
  license: Type.String({ description: 'An SPDX expression', examples: ['MIT'] }),
  text: Type.String({
    description: 'Where its source code is, if the licence demands that, and the texts of its licences and notices',
    examples: ['MIT License\n\nCopyright (c) Meta Platforms, Inc. and affiliates. …'],
  }),
})

const LicensesView = Model('Licenses', {
  items: Type.Array(LicensedPackageView),
  total: Type.Integer({ minimum: 0, examples: [1] }),
})

const refuses = { 404: 'The server runs from its sources and was never built.' } as const

export const licensesEndpoints = [
  endpoint({
    id: 'licenses.list',
    method: 'GET',
    path: '/api/licenses',
    summary: 'List the licences of the packages in the program',
    description:
      'All packages whose code the executable contains, with the runtime. `tessera licenses` prints the same.',
    tag: 'Operations',
    access: open,
    data: LicensesView,
    refuses,
    run: () => listLicenses(),
  }),
  endpoint({
    id: 'licenses.page',
    method: 'GET',
    path: '/licenses',
    summary: 'Show the licences of the packages in the program',
    tag: 'Public pages',
    access: open,
    answers: 'text/html',
    refuses,
    run: ({ ctx, request, caller }) => showLicenses(ctx, request, caller.locale),
  }),
]
