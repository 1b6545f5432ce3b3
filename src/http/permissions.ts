/** Whether a caller may use an operation, and whose rows it is about. */

import type { AppContext, Changed } from '#context'
import type { PermissionDomain } from '#db/schema/access.ts'
import type { MaybePromise } from '#lib/maybe-promise.ts'
import { readPointOf } from '#permission-points'
import { topic } from '#platform/bus.ts'

import type { Access, Actor, DualAccess, Owner } from './endpoint.ts'
import { AppError, forbidden, notFound } from './errors.ts'
import type { PathParams } from './router.ts'
import { invalid } from './validate.ts'

/** Ids of the users whose roles changed; all if a role or a permission point changed. */
export const accessChanged = topic<Changed<number>>('access.changed')

/** Questions about the roles of users. The domains answer them (app.ts). */
export interface PermissionGates {
  can(ctx: AppContext, userId: number, domain: PermissionDomain, scopeId: number, point: string): MaybePromise<boolean>
  /** Whether the user holds any role in the PLATFORM domain. */
  isAdministrator(ctx: AppContext, userId: number): MaybePromise<boolean>
  /** Whether the user holds a role in any organization. */
  isMember(ctx: AppContext, userId: number): MaybePromise<boolean>
  /** Why a user without the point in the organization is refused: `noPermission`, or `organizationDisabled` to members. */
  refusalIn(ctx: AppContext, userId: number, orgId: number, point: string): MaybePromise<AppError>
}

export const noPermission = forbidden('You do not have permission for this operation', '没有权限执行此操作')
export const organizationDisabled = forbidden(
  'The organization is disabled: nothing can be changed until an administrator of the server enables it',
  '该组织已被停用，在服务器管理员重新启用之前不能进行任何更改',
)
/** Business code 4035. (Another 4035 is a 400, of signing in.) */
export const secondFactorRequired = new AppError(403, 4035, {
  en: 'This organization requires a second factor of its members: set up an authenticator app, or have every sign-in ask for a passkey',
  zh: '该组织要求成员启用第二重验证，请先在账号中设置身份验证器，或将通行密钥设为每次登录都要求使用',
})

export class Permissions {
  constructor(
    readonly ctx: AppContext,
    readonly gates: PermissionGates,
  ) {}

  /**
   * `named`: the organization that a request for a `dual` operation names, as `organizationNamed` returns it.
   * @throws AppError 403 without the permission that the record asks for
   */
  require(access: Access, actor: Actor | undefined, params: PathParams, named: unknown): MaybePromise<void> {
    const organization = access.kind === 'org' ? (params['orgId'] ?? params['id']) : named
    const isAllowed = this.#permits(access, actor, organization)
    if (isAllowed !== true) return this.#refuseUnless(isAllowed, access, actor, organization)
  }

  async #refuseUnless(
    isAllowed: MaybePromise<boolean>,
    access: Access,
    actor: Actor | undefined,
    organization: unknown,
  ): Promise<void> {
    if (await isAllowed) return
    if (actor === undefined || (access.kind !== 'org' && access.kind !== 'dual')) throw noPermission
    throw await this.gates.refusalIn(this.ctx, actor.userId, idOf(organization), access.point)
  }

  /** `organization`: the one in which `org` and `dual` operations ask for their point. */
  #permits(access: Access, actor: Actor | undefined, organization: unknown): MaybePromise<boolean> {
    // Everyone else without a token has been refused before, and publisher keys and tokens of gates have been checked.
    if (actor === undefined) return ['open', 'signedUrl', 'publisher', 'gate'].includes(access.kind)
    switch (access.kind) {
      case 'open':
      case 'gate':
      case 'key':
      case 'signedIn':
        return true
      case 'admin':
        return this.gates.isAdministrator(this.ctx, actor.userId)
      case 'app':
      case 'signedUrl':
        return this.gates.can(this.ctx, actor.userId, 'APP', 0, access.point)
      case 'platform':
      case 'publisher':
        return this.gates.can(this.ctx, actor.userId, 'PLATFORM', 0, access.point)
      case 'org':
        return this.#inOrganization(actor, organization, access.point)
      case 'dual':
        return organization === undefined
          ? this.gates.can(this.ctx, actor.userId, 'APP', 0, access.point)
          : this.#inOrganization(actor, organization, access.point)
    }
  }

  /**
   * The owner whose point `permit` checked, or the owner of the row that the path names. `params`: validated.
   * @throws AppError 404 for rows of which the caller may not know, 403 for rows that the caller may read only
   */
  ownerOf(access: DualAccess, actor: Actor, params: unknown, named: unknown): MaybePromise<Owner> {
    const { userId } = actor
    if (named !== undefined) return { userId, orgId: Number(named) }
    const personal = { userId, orgId: 0 }
    const { organizationOf } = access
    if (organizationOf === undefined) return personal
    const { ctx } = this
    const given = params as Readonly<Record<string, number | string>>
    const id = Object.values(given).find((value) => typeof value === 'number')!
    const find = async () =>
      this.#ownerOfRow(actor, access, await organizationOf(ctx.db.read, id, { ctx, params: given }))
    // Most users are in no organization. They need no extra query.
    const isMember = this.gates.isMember(this.ctx, userId)
    if (isMember instanceof Promise) return isMember.then((member) => (member ? find() : personal))
    return isMember ? find() : personal
  }

  async #ownerOfRow(actor: Actor, access: DualAccess, orgId: number | undefined): Promise<Owner> {
    const { userId } = actor
    if (orgId === undefined) throw notFound()
    // The service finds personal rows of the caller only.
    if (orgId === 0 || (await this.#inOrganization(actor, orgId, access.point))) return { userId, orgId }
    const mayRead = await this.#inOrganization(actor, orgId, readPointOf(access.point))
    const refusal = await this.gates.refusalIn(this.ctx, userId, orgId, access.point)
    throw mayRead || refusal === secondFactorRequired ? refusal : notFound()
  }

  #inOrganization(actor: Actor, given: unknown, point: string): MaybePromise<boolean> {
    const orgId = idOf(given)
    return Number.isSafeInteger(orgId) && orgId > 0 && this.gates.can(this.ctx, actor.userId, 'ORG', orgId, point)
  }
}

/** The id in unchecked input. `Number()` throws for some objects. */
const idOf = (given: unknown): number =>
  typeof given === 'string' || typeof given === 'number' ? Number(given) : Number.NaN

/**
 * The `orgId` of the query, or else of the body. Undefined if both are absent.
 *
 * @throws AppError 400 if both are present and name different organizations
 */
export function organizationNamed(query: Readonly<Record<string, string>> | undefined, body: unknown): unknown {
  const inQuery = query?.['orgId'] ?? query?.['org_id']
  const inBody = orgIdOf(body) ?? undefined
  if (inQuery !== undefined && inBody !== undefined && idOf(inQuery) !== idOf(inBody))
    throw invalid('body.orgId', 'names another organization than the query', '与查询参数中的组织不一致')
  return inQuery ?? inBody
}

/** Reads the name like `normalize.ts`: if the camelCase name is present, even null, it wins. */
function orgIdOf(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return undefined
  const { orgId, org_id } = body as { orgId?: unknown; org_id?: unknown }
  return orgId === undefined ? org_id : orgId
}
