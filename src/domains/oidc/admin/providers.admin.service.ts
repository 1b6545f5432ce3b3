/** Adds, changes and deletes providers. */

import type { AppContext } from '#context'
import type { RoleLine } from '#db/schema/oidc.ts'
import type { Tx } from '#db/store.ts'
import { requireConfirmationOfAll } from '#domains/accounts/index.ts'
import { findOrg } from '#domains/orgs/index.ts'
import { getSetting } from '#domains/settings/index.ts'
import type { LoggedActor } from '#http/endpoint.ts'
import { notFound } from '#http/errors.ts'
import { mayBePublic } from '#platform/public-post.ts'

import { endOrphanedSessions, endSessionsOf } from '../links/links.service.ts'
import { countStranded } from '../links/links.store.ts'
import { issuerNotPublic, keyTaken, tooManyProviders, unknownOrg, wouldStrand } from '../oidc.errors.ts'
import { MAX_PROVIDERS } from '../oidc.model.ts'
import { backchannelUri, redirectUri } from '../providers/providers.rules.ts'
import * as store from '../providers/providers.store.ts'
import { deleteGivenBy } from '../roles/roles.store.ts'
import type {
  ChangedProvider,
  DeletedProvider,
  NewProvider,
  ProviderChange,
  ProviderList,
  ProviderView,
} from './providers.admin.model.ts'

const toView = ({ config }: AppContext, row: store.ProviderRow): ProviderView => ({
  id: row.id,
  key: row.key,
  name: row.name,
  issuer: row.issuer,
  clientId: row.clientId,
  hasSecret: row.clientSecret !== null,
  scopes: row.scopes,
  enabled: row.enabled,
  createAccounts: row.createAccounts,
  linkByEmail: row.linkByEmail,
  trustMfa: row.trustMfa,
  groupsClaim: row.groupsClaim,
  roleMap: row.roleMap.map(({ group, orgId, roleCode }) => ({ group, orgId, roleCode })),
  roleMode: row.roleMode,
  logout: row.logout,
  redirectUri: redirectUri(config.publicUrl, row.key),
  backchannelUri: backchannelUri(config.publicUrl, row.key),
  lastError: row.lastError,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
})

/** Without the secret: the log says only whether there is one, and that it was replaced. */
const logged = (row: store.ProviderRow, replacesKey = false) => ({
  key: row.key,
  name: row.name,
  issuer: row.issuer,
  clientId: row.clientId,
  client: row.clientSecret === null ? 'public' : replacesKey ? 'with a new key' : 'with a key',
  scopes: row.scopes,
  enabled: row.enabled,
  createAccounts: row.createAccounts,
  linkByEmail: row.linkByEmail,
  trustMfa: row.trustMfa,
  groupsClaim: row.groupsClaim,
  roleMap: row.roleMap,
  roleMode: row.roleMode,
  logout: row.logout,
})

export const listAllProviders = async (ctx: AppContext): Promise<ProviderList> => ({
  items: (await store.listProviders(ctx.db.read)).map((row) => toView(ctx, row)),
})

const DEFAULTS = {
  scopes: 'openid email profile',
  enabled: true,
  createAccounts: false,
  linkByEmail: false,
  trustMfa: false,
  groupsClaim: 'groups',
  roleMap: [],
  roleMode: 'ADD',
  logout: 'NONE',
} as const

/** @throws AppError 400 */
function checkIssuer({ config }: AppContext, issuer: string | undefined): void {
  if (issuer === undefined) return
  const url = URL.parse(issuer)
  if (url === null || !mayBePublic(url, config.privateTargets)) throw issuerNotPublic()
}

/** @throws AppError 400 */
async function checkOrgs(tx: Tx, roleMap: readonly RoleLine[] | undefined): Promise<void> {
  const known = new Map<number, boolean>()
  for (const [i, { orgId }] of (roleMap ?? []).entries()) {
    if (!known.has(orgId)) known.set(orgId, (await findOrg(tx, orgId)) !== undefined)
    if (known.get(orgId) !== true) throw unknownOrg(i)
  }
}

const withOpenid = (scopes: string): string => (scopes.split(' ').includes('openid') ? scopes : `openid ${scopes}`)

export async function createProvider(ctx: AppContext, actor: LoggedActor, body: NewProvider): Promise<ProviderView> {
  await requireConfirmationOfAll(ctx, actor)
  checkIssuer(ctx, body.issuer)
  const { clientSecret, ...fields } = body
  const scopes = withOpenid(fields.scopes ?? DEFAULTS.scopes)
  const provider = {
    ...DEFAULTS,
    ...given(fields),
    scopes,
    clientSecret: clientSecret ? ctx.seal.seal(clientSecret) : null,
  } as store.NewProvider
  const row = await actor.write('oidc.createProvider', async (tx) => {
    await checkOrgs(tx, provider.roleMap)
    if ((await store.listProviders(tx)).length >= MAX_PROVIDERS) throw tooManyProviders(MAX_PROVIDERS)
    const row = await store.insertProvider(tx, provider)
    if (row === undefined) throw keyTaken()
    return { result: row, logged: { targetId: row.id, targetName: row.key, after: logged(row) } }
  })
  return toView(ctx, row)
}

/** The fields of the table that a body has. Others are ignored, as everywhere. */
function given(body: ProviderChange): Partial<store.NewProvider> {
  const names = ['key', 'name', 'issuer', 'clientId', ...Object.keys(DEFAULTS)] as (keyof ProviderChange)[]
  return Object.fromEntries(names.filter((name) => body[name] !== undefined).map((name) => [name, body[name]]))
}

/** Users who could no longer sign in if the provider were not there. */
async function strandedBy(ctx: AppContext, tx: Tx, { id, issuer, enabled }: store.ProviderRow): Promise<number> {
  if (!enabled) return 0
  const others = (await store.listProviders(tx)).filter((one) => one.enabled && one.id !== id).map((one) => one.issuer)
  if (others.includes(issuer)) return 0
  const onlyProviders = (await getSetting(ctx, 'security.localSignIn')) === 'ADMINS'
  return countStranded(tx, { issuer, others, onlyProviders })
}

/** Sessions end if it is disabled or becomes another provider. @throws AppError 400 if users would be left without a way in */
export async function changeProvider(
  ctx: AppContext,
  actor: LoggedActor,
  id: number,
  { clientSecret, ...body }: ProviderChange,
  force: boolean,
): Promise<ChangedProvider> {
  await requireConfirmationOfAll(ctx, actor)
  checkIssuer(ctx, body.issuer)
  const change = given(body)
  if (change.scopes !== undefined) change.scopes = withOpenid(change.scopes)
  const { row, stranded, isOther } = await actor.write('oidc.changeProvider', async (tx) => {
    const before = await store.findProvider(tx, id)
    if (before === undefined) throw notFound()
    await checkOrgs(tx, body.roleMap)
    if (change.key !== undefined && change.key !== before.key && (await store.findByKey(tx, change.key)))
      throw keyTaken()
    const replaces = clientSecret !== undefined && !isSameSecret(ctx, before.clientSecret, clientSecret)
    const secret = replaces ? { clientSecret: clientSecret ? ctx.seal.seal(clientSecret) : null } : {}
    const after = { ...before, ...change, ...secret }
    const isOther = after.issuer !== before.issuer || after.clientId !== before.clientId
    const ends = before.enabled && (!after.enabled || after.issuer !== before.issuer)
    const stranded = ends ? await strandedBy(ctx, tx, before) : 0
    if (stranded > 0 && !force) throw wouldStrand(stranded)
    const entry = { targetId: id, targetName: before.key, before: logged(before), after: logged(after, replaces) }
    if (Bun.deepEquals(entry.before, entry.after))
      return { result: { row: before, stranded: 0, isOther: false }, logged: 'unchanged' }
    const row = await store.updateProvider(tx, id, { ...change, ...secret })
    return { result: { row, stranded, isOther }, logged: entry }
  })
  if (isOther) await endSessionsOf(ctx, id)
  if (!row.enabled) await endOrphanedSessions(ctx)
  return { ...toView(ctx, row), stranded }
}

const isSameSecret = (ctx: AppContext, sealed: string | null, next: string | null): boolean =>
  (sealed === null ? '' : ctx.seal.open(sealed)) === (next ?? '')

/** Identities of an issuer that no provider has are deleted by a job. */
export async function removeProvider(
  ctx: AppContext,
  actor: LoggedActor,
  id: number,
  force: boolean,
): Promise<DeletedProvider> {
  await requireConfirmationOfAll(ctx, actor)
  const stranded = await actor.write('oidc.deleteProvider', async (tx) => {
    const row = await store.findProvider(tx, id)
    if (row === undefined) throw notFound()
    const stranded = await strandedBy(ctx, tx, row)
    if (stranded > 0 && !force) throw wouldStrand(stranded)
    await store.deleteProvider(tx, id)
    await deleteGivenBy(tx, id)
    return { result: stranded, logged: { targetId: id, targetName: row.key, before: logged(row) } }
  })
  await endOrphanedSessions(ctx)
  return { stranded }
}
