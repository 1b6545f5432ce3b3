import type { Budget } from '#http/budget.ts'
import {
  Id,
  Line,
  Model,
  Multiline,
  Nullable,
  PageOf,
  PageQuery,
  ShownAs,
  type Static,
  Text,
  Time,
  Type,
} from '#http/schema.ts'
import { DAY } from '#platform/clock.ts'

export const DOWNLOAD_PATH = '/api/app/download/'

/** Bytes. The setting `app.maxPackageBytes` cannot allow more. */
export const LARGEST_PACKAGE = 4 * 1024 * 1024 * 1024

/** The largest that Android accepts is a little smaller: 2,100,000,000. */
const MAX_VERSION = 2_147_483_647
/** Versions that `GET /api/app/update/versions` lists. */
export const SHOWN_VERSIONS = 3

const FileName = Type.String({
  pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$',
  description: '1 to 100 letters, digits and . _ -; the first is a letter or digit',
  examples: ['tessera-1.4.0.apk'],
})
export const ByFileName = Type.Object({ fileName: FileName })
/** For downloads, which answer 404 to names that no package can have. */
export const ByAnyName = Type.Object({ fileName: Text('tessera-1.4.0.apk') })

const sha256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'
const VersionCode = Type.Integer({ minimum: 1, maximum: MAX_VERSION, examples: [14] })
const downloadUrl = 'https://qr.example.org/api/app/download/tessera-1.4.0.apk'
const Size = Type.Integer({ minimum: 0, description: 'Bytes', examples: [48_211_034] })
const Flag = (description: string) => Type.Integer({ minimum: 0, maximum: 1, description, examples: [0] })
const GivenFlag = (description: string) =>
  ShownAs(Type.Union([Type.Integer({ minimum: 0, maximum: 1 }), Type.Boolean()], { default: 0 }), {
    ...Flag(`${description}. \`true\` and \`false\` are accepted too`),
    default: 0,
  })

const MAJOR = '1 for a major version: like `forceUpdate`, the update cannot be put off'
const FORCED = '1 if apps must update before they continue'

export const PackageView = Model('AppPackage', {
  fileName: Text('tessera-1.4.0.apk'),
  fileSize: Size,
  sha256: Type.String({ description: 'In hex', examples: [sha256] }),
  downloadUrl: Type.String({
    description: 'Works once a version with the package is published',
    examples: [downloadUrl],
  }),
})
export type PackageView = Static<typeof PackageView>

const version = {
  versionCode: VersionCode,
  versionName: Text('1.4.0'),
  downloadUrl: Text(downloadUrl),
  fileSize: Size,
  releaseNotes: Type.String({ description: 'Markdown', examples: ['- Photos load **faster**'] }),
  releaseNotesHtml: Type.String({
    description: 'Safe to show as it is',
    examples: ['<ul>\n<li>Photos load <strong>faster</strong></li>\n</ul>'],
  }),
  isMajor: Flag(MAJOR),
  forceUpdate: Flag(FORCED),
  sha256: Type.String({ description: 'Of the package, in hex', examples: [sha256] }),
}

export const AppUpdateView = Model('AppUpdate', { id: Id, ...version, createdAt: Time })
export type AppUpdateView = Static<typeof AppUpdateView>
export const AppUpdatePage = PageOf(AppUpdateView)
export const AppUpdatesQuery = PageQuery({})
export type AppUpdatesQuery = Static<typeof AppUpdatesQuery>

export const CheckQuery = Type.Object({
  versionCode: Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'The version code of the installed app',
    examples: [13],
  }),
})

export const UpdateCheck = Model(
  'AppUpdateCheck',
  { description: 'The latest version. Everything but `hasUpdate` is null if nothing is published.' },
  {
    hasUpdate: Type.Boolean({ description: 'Whether the version code of the latest version is greater' }),
    versionCode: Nullable(version.versionCode),
    versionName: Nullable(version.versionName),
    downloadUrl: Nullable(version.downloadUrl),
    fileSize: Nullable(version.fileSize),
    releaseNotes: Nullable(version.releaseNotes),
    releaseNotesHtml: Nullable(version.releaseNotesHtml),
    isMajor: Nullable(version.isMajor),
    forceUpdate: Nullable(version.forceUpdate),
    sha256: Nullable(version.sha256),
  },
)
export type UpdateCheck = Static<typeof UpdateCheck>

export const NewAppUpdate = Model('NewAppUpdate', {
  versionCode: VersionCode,
  versionName: Line(50, 1, { examples: ['1.4.0'] }),
  downloadUrl: Line(1000, 1, {
    description: 'The `downloadUrl` of an uploaded package, or its path',
    examples: ['/api/app/download/tessera-1.4.0.apk'],
  }),
  fileSize: Type.Optional(Nullable({ ...Size, description: 'Bytes. Must be the size of the package if it is given' })),
  sha256: Type.Optional(
    Nullable(
      Type.String({ description: 'In hex. Must be the hash of the package if it is given', examples: [sha256] }),
    ),
  ),
  releaseNotes: Multiline(100_000, 0, { default: '', description: 'Markdown', examples: ['- Photos load **faster**'] }),
  isMajor: GivenFlag(MAJOR),
  forceUpdate: GivenFlag(FORCED),
})
export type NewAppUpdate = Static<typeof NewAppUpdate>

const perDay = (name: string, en: string, zh: string): Budget => ({
  name,
  counts: { en, zh },
  per: 'address',
  limit: 100,
  windowMs: DAY,
  durable: true,
  countedByRun: true,
})
/** They bound the damage of a stolen key. Only new packages and versions count. */
export const NEW_PACKAGES = perDay('app packages', 'new app packages', '新安装包')
export const NEW_VERSIONS = perDay('app versions', 'new app versions', '新版本')
