import type { AppContext } from '#context'
import { spend } from '#db/counters.ts'
import { note } from '#db/notes.ts'
import { mapPage, type Page } from '#db/paging.ts'
import type { Tx } from '#db/store.ts'
import { dropBytes, keepBytes, withStoredBytes } from '#domains/files/index.ts'
import { getSetting, setSetting } from '#domains/settings/index.ts'
import { ownAddresses } from '#http/addresses.ts'
import { receiveBytes } from '#http/body.ts'
import { type BudgetUse, budgetUsedUp, usesOf } from '#http/budget.ts'
import { answerBytes } from '#http/byte-response.ts'
import { addressOf, publisherKey } from '#http/caller.ts'
import type { Caller, LogEntry, LoggedActor } from '#http/endpoint.ts'
import { type AppError, badRequest, notFound, unauthorized } from '#http/errors.ts'
import { invalid } from '#http/validate.ts'
import { renderMarkdown } from '#lib/markdown/index.ts'
import { sha256 } from '#platform/ids.ts'

import {
  type AppUpdatesQuery,
  type AppUpdateView,
  NEW_PACKAGES,
  NEW_VERSIONS,
  type NewAppUpdate,
  type PackageView,
  SHOWN_VERSIONS,
  type UpdateCheck,
} from './app-updates.model.ts'
import { fileNameIn, isSamePublication } from './app-updates.rules.ts'
import * as store from './app-updates.store.ts'
import { toAppUpdateView, toPackageView, toUpdateCheck } from './app-updates.view.ts'

const wrongPublisherKey = () => unauthorized('The publisher key is wrong or was revoked', '发布密钥不正确或已被撤销')

const emptyPackage = () => badRequest('The package is empty', '安装包为空')
const packageTaken = () =>
  badRequest(
    'There is already a package of this name with other bytes: choose another name',
    '已有同名但内容不同的安装包，请更换文件名',
  )

const notAPackage = () =>
  badRequest(
    'The field downloadUrl is not the address of a package that was uploaded to this service',
    'downloadUrl 须为已上传到本服务的安装包地址',
  )
const otherSize = (size: number) =>
  invalid('body.fileSize', `does not match the package, which has ${size} bytes`, `与安装包不符，安装包为 ${size} 字节`)
const otherHash = () => invalid('body.sha256', 'does not match the bytes of the package', '与安装包的内容不符')

const versionPublished = () =>
  invalid('body.versionCode', 'is already published with other contents', '该版本号已发布过不同的内容')
const versionTooSmall = (latest: number) =>
  invalid('body.versionCode', `must be greater than ${latest}, the latest version`, `须大于最新版本号 ${latest}`)

/** Undefined if the key may publish, otherwise the 401 to answer. */
export async function refusePublisherKey(ctx: AppContext, key: string): Promise<AppError | undefined> {
  return (await store.findActiveKey(ctx.db.read, sha256(key))) === undefined ? wrongPublisherKey() : undefined
}

export async function checkForUpdate(ctx: AppContext, installed: number): Promise<UpdateCheck> {
  const [latest] = await store.listNewest(ctx.db.read, 1)
  return toUpdateCheck(ctx, latest, installed)
}

export async function listVersions(ctx: AppContext): Promise<AppUpdateView[]> {
  return (await store.listNewest(ctx.db.read, SHOWN_VERSIONS)).map((row) => toAppUpdateView(ctx, row))
}

export async function findLatest(ctx: AppContext): Promise<AppUpdateView | null> {
  const [latest] = await store.listNewest(ctx.db.read, 1)
  return latest === undefined ? null : toAppUpdateView(ctx, latest)
}

export const listUpdates = async (ctx: AppContext, query: AppUpdatesQuery): Promise<Page<AppUpdateView>> =>
  mapPage(await store.updatesPage(ctx.db.read, query), (row) => toAppUpdateView(ctx, row))

/** The bytes of a package that belongs to a published version. */
export async function downloadPackage(ctx: AppContext, fileName: string, request: Request): Promise<Response> {
  const found = await store.findPublishedPackage(ctx.db.read, fileName)
  if (found === undefined) throw notFound()
  const { size, key } = found
  const headers = {
    // The bytes of a name never change.
    'cache-control': 'public, max-age=86400',
    'repr-digest': `sha-256=:${Buffer.from(found.sha256, 'hex').toString('base64')}:`,
  }
  return answerBytes(
    request,
    {
      size,
      etag: `"${found.sha256}"`,
      type: 'application/octet-stream',
      disposition: 'attachment',
      name: fileName,
      headers,
    },
    (range) => ctx.blobs.read(key, range),
  )
}

/** Whose request it is. `actor`: undefined if a key is used. */
interface Publishing {
  readonly actor: LoggedActor | undefined
  readonly caller: Caller
  readonly request: Request
}

/** Stores the body as a package. The same bytes under the same name are stored once. @throws AppError 400 if they are others */
export async function storePackage(
  ctx: AppContext,
  { actor, caller, request }: Publishing,
  fileName: string,
): Promise<PackageView> {
  const staged = await receiveBytes(request, ctx.staging, await getSetting(ctx, 'app.maxPackageBytes'))
  try {
    if (staged.size === 0) throw emptyPackage()
    const known = await store.findPackage(ctx.db.read, fileName)
    if (known !== undefined) {
      const same = withSameBytes(known, staged)
      await actor?.write('appUpdates.storePackage', async () => ({ result: same, logged: 'unchanged' }))
      return toPackageView(ctx, same)
    }
    const uses = await usesOf(ctx, NEW_PACKAGES, { actor: undefined, caller })
    const row = await withStoredBytes(ctx, [staged], ([bytes]) =>
      write(ctx, actor, 'appUpdates.storePackage', async (tx): Promise<Written<store.PackageRow>> => {
        const publisherKeyId = actor === undefined ? await keyOf(tx, request) : null
        const blobId = await keepBytes(tx, bytes!)
        const isNew = await store.insertPackage(tx, fileName, blobId)
        if (isNew) await count(ctx, tx, uses)
        else await dropBytes(ctx, tx, blobId)
        const result = withSameBytes((await store.findPackage(tx, fileName))!, staged)
        if (!isNew) return { result, logged: 'unchanged' }
        const { size, sha256: hash } = result
        tx.afterCommit(() => ctx.log.info('an app package was uploaded', { fileName, publisherKeyId }))
        return { result, logged: { targetName: fileName, after: { fileName, size, sha256: hash } } }
      }),
    )
    return toPackageView(ctx, row)
  } finally {
    await staged.dispose()
  }
}

function withSameBytes(known: store.PackageRow, given: { readonly sha256: string }): store.PackageRow {
  if (known.sha256 !== given.sha256) throw packageTaken()
  return known
}

/** @throws AppError 429 */
async function count(ctx: AppContext, tx: Tx, uses: readonly BudgetUse[]): Promise<void> {
  const refusal = await spend(tx, uses, ctx.clock.now())
  if (refusal) throw budgetUsedUp(refusal)
}

interface Written<T> {
  readonly result: T
  readonly logged: LogEntry | 'unchanged'
}

/** A write with a row in the operation log, which names users: what a key does is in the server log only. */
const write = async <T>(
  ctx: AppContext,
  actor: LoggedActor | undefined,
  name: string,
  fn: (tx: Tx) => Promise<Written<T>>,
): Promise<T> => actor?.write(name, fn) ?? ctx.db.write(name, async (tx) => (await fn(tx)).result)

/** Publishes a version, or returns the row of the same publication. */
export async function publishUpdate(
  ctx: AppContext,
  { actor, caller, request }: Publishing,
  body: NewAppUpdate,
): Promise<AppUpdateView> {
  const fileName = fileNameIn(body.downloadUrl, [...ownAddresses(ctx), addressOf(request).origin])
  if (fileName === undefined) throw notAPackage()
  const { html: releaseNotesHtml } = await renderMarkdown(body.releaseNotes)
  const uses = await usesOf(ctx, NEW_VERSIONS, { actor: undefined, caller })

  const publish = async (tx: Tx): Promise<Written<store.AppUpdateRow>> => {
    const publisherKeyId = actor === undefined ? await keyOf(tx, request) : null
    const found = await checkedPackage(tx, fileName, body)
    const { versionCode, versionName, releaseNotes } = body
    const publication = {
      versionCode,
      versionName,
      packageId: found.id,
      releaseNotes,
      isMajor: Boolean(body.isMajor),
      forceUpdate: Boolean(body.forceUpdate),
    }
    const existing = await store.findUpdate(tx, versionCode)
    if (existing !== undefined && isSamePublication(existing, publication))
      return { result: existing, logged: 'unchanged' }
    if (existing !== undefined) throw versionPublished()
    // No other write comes between this check and the insert.
    const [latest] = await store.listNewest(tx, 1)
    if (latest !== undefined && latest.versionCode > versionCode) throw versionTooSmall(latest.versionCode)
    await count(ctx, tx, uses)
    const publishedBy = actor?.userId ?? null
    await store.insertUpdate(tx, { ...publication, releaseNotesHtml, publishedBy, publisherKeyId })
    const row = (await store.findUpdate(tx, versionCode))!
    await saveSettings(tx, toAppUpdateView(ctx, row))
    note(tx, { type: 'app_update.published', id: row.id, data: { id: row.id, name: versionName } })
    const { isMajor, forceUpdate } = publication
    tx.afterCommit(() => ctx.log.info('an app version was published', { versionCode, fileName, publisherKeyId }))
    return {
      result: row,
      logged: {
        targetId: row.id,
        targetName: versionName,
        after: { versionCode, versionName, fileName, sha256: row.sha256, isMajor, forceUpdate },
      },
    }
  }

  return toAppUpdateView(ctx, await write(ctx, actor, 'appUpdates.publish', publish))
}

/** The id of the key in the request. Asked for again in the write, because the key may have been revoked since. */
async function keyOf(tx: Tx, request: Request): Promise<number> {
  const id = await store.findActiveKey(tx, sha256(publisherKey(request) ?? ''))
  if (id === undefined) throw wrongPublisherKey()
  return id
}

/** @throws AppError 400 if there is no such package, or its bytes are not those that the publication names */
async function checkedPackage(tx: Tx, fileName: string, body: NewAppUpdate): Promise<store.PackageRow> {
  const found = await store.findPackage(tx, fileName)
  if (found === undefined) throw notAPackage()
  const { fileSize = null, sha256: hash = null } = body
  if (fileSize !== null && fileSize !== found.size) throw otherSize(found.size)
  if (hash !== null && hash.toLowerCase() !== found.sha256) throw otherHash()
  return found
}

/** The settings of the latest version (spec §2.7). */
async function saveSettings(tx: Tx, latest: AppUpdateView): Promise<void> {
  await setSetting(tx, 'app.latest_version_code', latest.versionCode)
  await setSetting(tx, 'app.latest_version_name', latest.versionName)
  await setSetting(tx, 'app.download_url', latest.downloadUrl)
  await setSetting(tx, 'app.file_size', latest.fileSize)
  await setSetting(tx, 'app.release_notes', latest.releaseNotes)
  await setSetting(tx, 'app.is_major', latest.isMajor)
  await setSetting(tx, 'app.force_update', latest.forceUpdate)
}
