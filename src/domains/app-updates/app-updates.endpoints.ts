import { endpoint, open, platform, publisher } from '#http/endpoint.ts'
import { Nullable, Type } from '#http/schema.ts'

import {
  AppUpdatePage,
  AppUpdatesQuery,
  AppUpdateView,
  ByAnyName,
  ByFileName,
  CheckQuery,
  LARGEST_PACKAGE,
  NEW_PACKAGES,
  NEW_VERSIONS,
  NewAppUpdate,
  PackageView,
  UpdateCheck,
} from './app-updates.model.ts'
import {
  checkForUpdate,
  downloadPackage,
  findLatest,
  listUpdates,
  listVersions,
  publishUpdate,
  storePackage,
} from './app-updates.service.ts'

const tag = 'App updates'

export const appUpdateEndpoints = [
  endpoint({
    id: 'appUpdates.check',
    method: 'GET',
    path: '/api/app/update/check',
    summary: 'Check for an app update',
    tag,
    access: open,
    query: CheckQuery,
    data: UpdateCheck,
    run: ({ ctx, query }) => checkForUpdate(ctx, query.versionCode),
  }),
  endpoint({
    id: 'appUpdates.versions',
    method: 'GET',
    path: '/api/app/update/versions',
    summary: 'List the latest app versions',
    description: 'The latest three, newest first.',
    tag,
    access: open,
    data: Type.Array(AppUpdateView),
    run: ({ ctx }) => listVersions(ctx),
  }),
  endpoint({
    id: 'appUpdates.latest',
    method: 'GET',
    path: '/api/app/update/latest',
    summary: 'Get the latest app version',
    description: '`data` is null if nothing is published.',
    tag,
    access: open,
    data: Nullable(AppUpdateView),
    run: ({ ctx }) => findLatest(ctx),
  }),
  endpoint({
    id: 'appUpdates.download',
    method: 'GET',
    path: '/api/app/download/:fileName',
    summary: 'Download an app package',
    description:
      'Packages of published versions only. `Repr-Digest` has the SHA-256 of the whole package. An interrupted download continues ' +
      'with `Range` and `If-Range`.',
    tag,
    access: open,
    params: ByAnyName,
    answers: 'application/octet-stream',
    sendsRanges: true,
    run: ({ ctx, params, request }) => downloadPackage(ctx, params.fileName, request),
  }),
  endpoint({
    id: 'appUpdates.putPackage',
    method: 'PUT',
    path: '/api/app/packages/:fileName',
    summary: 'Upload an app package',
    description:
      'The body is the package. If you send the same bytes under the same name again, you get the same answer. Packages cannot be ' +
      'downloaded before a version with them is published.',
    tag,
    access: publisher('app_update:publish'),
    params: ByFileName,
    data: PackageView,
    logs: 'APP_PACKAGE_UPLOAD',
    refuses: {
      400: 'The body is empty or incomplete, or the name belongs to a package with other bytes.',
      413: 'The package is larger than the setting `app.maxPackageBytes`.',
    },
    checksSecret: true,
    budgets: [NEW_PACKAGES],
    streamsBody: true,
    maxBody: LARGEST_PACKAGE,
    run: ({ ctx, actor, caller, params, request }) => storePackage(ctx, { actor, caller, request }, params.fileName),
  }),
  endpoint({
    id: 'appUpdates.publish',
    method: 'POST',
    path: '/api/app/update/publish',
    summary: 'Publish an app version',
    description:
      'The version code must be greater than that of every published version. If you publish the same version again, you get the ' +
      'same answer.',
    tag,
    access: publisher('app_update:publish'),
    body: NewAppUpdate,
    data: AppUpdateView,
    logs: 'APP_UPDATE_PUBLISH',
    checksSecret: true,
    budgets: [NEW_VERSIONS],
    run: ({ ctx, actor, caller, request, body }) => publishUpdate(ctx, { actor, caller, request }, body),
  }),
  endpoint({
    id: 'appUpdates.list',
    method: 'GET',
    path: '/api/admin/app-updates',
    summary: 'List all app versions',
    description: 'Newest first.',
    tag,
    access: platform('app_update:read'),
    query: AppUpdatesQuery,
    data: AppUpdatePage,
    run: ({ ctx, query }) => listUpdates(ctx, query),
  }),
]
