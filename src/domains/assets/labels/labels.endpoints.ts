import { dual, type DualAccess, endpoint, type RowOf, signedIn } from '#http/endpoint.ts'
import { ById, InOrg } from '#http/schema.ts'

import {
  Calibrate,
  CreateProfile,
  LabelCount,
  LABELS,
  MAX_LABELS,
  MAX_PROFILES,
  MediaList,
  PrintLabels,
  ProfilePage,
  ProfilesQuery,
  ProfileView,
  UpdateProfile,
} from './labels.model.ts'
import { countLabels, printCalibration, printLabels } from './labels.service.ts'
import { organizationOfProfile, versionOfProfile } from './labels.store.ts'
import * as profiles from './profiles.service.ts'

const tag = 'Assets'
const FILES = 'application/pdf, image/svg+xml, image/png, application/zip, text/plain'
const profile: RowOf<DualAccess, typeof ById> = {
  version: versionOfProfile,
  view: ProfileView,
  show: ({ ctx, owner, params }) => profiles.getProfile(ctx, owner, params.id),
}
const ONE_AT_A_TIME =
  'A user has one such file at a time, and two are made at once; further requests get 429 with code 4022.'

export const labelEndpoints = [
  endpoint({
    id: 'assets.labels',
    method: 'POST',
    path: '/api/assets/labels',
    summary: 'Download labels of assets, supplies or locations',
    description:
      `At most ${MAX_LABELS} labels, with copies. Name either \`ids\` or a \`filter\`; locations without \`ids\` are all of the organization. PDF has a ` +
      'page for each label or sheet; ZPL is for label printers; several SVG or PNG are a zip with `index.csv`. The same request gives the same ' +
      `bytes as long as nothing changes. ${ONE_AT_A_TIME}`,
    tag,
    access: dual('asset:read'),
    query: InOrg,
    body: PrintLabels,
    answers: FILES,
    budgets: [LABELS],
    run: ({ ctx, owner, body, caller }) => printLabels(ctx, owner, body, caller),
  }),
  endpoint({
    id: 'assets.countLabels',
    method: 'POST',
    path: '/api/assets/labels/count',
    summary: 'Count the labels that a request would print',
    description:
      'Also lists the things without a label, and says if links on paper would lead to an address that others cannot open.',
    tag,
    access: dual('asset:read'),
    query: InOrg,
    body: PrintLabels,
    data: LabelCount,
    ignoresKey: 'It creates nothing.',
    run: ({ ctx, owner, body, caller }) => countLabels(ctx, owner, body, caller),
  }),
  endpoint({
    id: 'labelProfiles.list',
    method: 'GET',
    path: '/api/label-profiles',
    summary: 'List the profiles of labels',
    description: 'Yours, or with `orgId` those of that organization, in the order of their names.',
    tag,
    access: dual('asset:read'),
    query: ProfilesQuery,
    data: ProfilePage,
    run: ({ ctx, owner, query }) => profiles.listProfiles(ctx, owner, query),
  }),
  endpoint({
    id: 'labelProfiles.media',
    method: 'GET',
    path: '/api/label-profiles/media',
    summary: 'List the built-in media of labels',
    description:
      'Lengths are in millimetres. A tape is as wide as its `width`; the length of its labels depends on what is on them.',
    tag,
    access: signedIn,
    data: MediaList,
    run: () => profiles.listMedia(),
  }),
  endpoint({
    id: 'labelProfiles.calibrate',
    method: 'POST',
    path: '/api/label-profiles/calibration',
    summary: 'Download a calibration page for a printer',
    description: `A frame, rulers in millimetres, and at each edge of the frame its length. ${ONE_AT_A_TIME}`,
    tag,
    access: dual('asset:read'),
    query: InOrg,
    body: Calibrate,
    answers: FILES,
    run: ({ ctx, owner, body, caller }) => printCalibration(ctx, owner, body, caller),
  }),
  endpoint({
    id: 'labelProfiles.create',
    method: 'POST',
    path: '/api/label-profiles',
    summary: 'Create a profile of labels',
    description: `At most ${MAX_PROFILES} for a user or an organization.`,
    tag,
    access: dual('asset:update'),
    query: InOrg,
    body: CreateProfile,
    data: ProfileView,
    refuses: { 404: 'The organization does not exist.' },
    run: ({ ctx, owner, body }) => profiles.createProfile(ctx, owner, body),
  }),
  endpoint({
    id: 'labelProfiles.update',
    method: 'PUT',
    path: '/api/label-profiles/:id',
    summary: 'Update a profile of labels',
    description: 'Absent fields stay.',
    tag,
    access: dual('asset:update', organizationOfProfile),
    params: ById,
    query: InOrg,
    body: UpdateProfile,
    data: ProfileView,
    row: profile,
    run: ({ ctx, owner, params, body }) => profiles.updateProfile(ctx, owner, params.id, body),
  }),
  endpoint({
    id: 'labelProfiles.delete',
    method: 'DELETE',
    path: '/api/label-profiles/:id',
    summary: 'Delete a profile of labels',
    tag,
    access: dual('asset:update', organizationOfProfile),
    params: ById,
    query: InOrg,
    row: profile,
    run: ({ ctx, owner, params }) => profiles.deleteProfile(ctx, owner, params.id),
  }),
]
