/** Profiles of labels of a user or an organization. */

import type { AppContext } from '#context'
import { ownerExists } from '#db/owner-counts.ts'
import { orgOf, ownerKey } from '#db/owner-key.ts'
import type { Page, PageInput } from '#db/paging.ts'
import type { Owner } from '#http/endpoint.ts'
import { badRequest, type FieldProblem, notFound } from '#http/errors.ts'
import { invalidAll } from '#http/validate.ts'
import { BUILT_IN } from '#lib/labels/media.ts'

import { type CreateProfile, MAX_PROFILES, type ProfileView, type UpdateProfile } from './labels.model.ts'
import { mediaView, settingsOf } from './labels.rules.ts'
import * as store from './labels.store.ts'

export async function listProfiles(ctx: AppContext, owner: Owner, query: PageInput): Promise<Page<ProfileView>> {
  const page = await store.profilesPage(ctx.db.read, ownerKey(owner), query)
  return { ...page, items: page.items.map(toView) }
}

export async function getProfile(ctx: AppContext, owner: Owner, id: number): Promise<ProfileView> {
  const row = await store.findProfile(ctx.db.read, ownerKey(owner), id)
  if (row === undefined) throw notFound()
  return toView(row)
}

export async function createProfile(ctx: AppContext, owner: Owner, input: CreateProfile): Promise<ProfileView> {
  const key = ownerKey(owner)
  const problems: FieldProblem[] = []
  const settings = settingsOf(input, 'body', problems)
  if (problems.length > 0) throw invalidAll(problems)
  return ctx.db.write('labels.createProfile', async (tx) => {
    if (!(await ownerExists(tx, key))) throw notFound()
    if ((await store.countProfiles(tx, key)) >= MAX_PROFILES)
      throw badRequest(`There can be at most ${MAX_PROFILES} label profiles`, `最多创建 ${MAX_PROFILES} 个标签配置`)
    return toView(await store.insertProfile(tx, key, { name: input.name, settings }))
  })
}

export async function updateProfile(
  ctx: AppContext,
  owner: Owner,
  id: number,
  input: UpdateProfile,
): Promise<ProfileView> {
  const key = ownerKey(owner)
  return ctx.db.write('labels.updateProfile', async (tx) => {
    const row = await store.findProfile(tx, key, id)
    if (row === undefined) throw notFound()
    const problems: FieldProblem[] = []
    const settings = settingsOf(input, 'body', problems, row.settings)
    if (problems.length > 0) throw invalidAll(problems)
    return toView(await store.updateProfile(tx, row, { name: input.name ?? row.name, settings }))
  })
}

export async function deleteProfile(ctx: AppContext, owner: Owner, id: number): Promise<void> {
  await ctx.db.write('labels.deleteProfile', async (tx) => {
    if (!(await store.deleteProfile(tx, ownerKey(owner), id))) throw notFound()
  })
}

function toView({ id, owner, name, settings, version, createdAt, updatedAt }: store.ProfileRow): ProfileView {
  const { media, symbology, content, level, placement, fields, fieldLabels, logo, border, rotate } = settings
  const { offsetX, offsetY, scaleX, scaleY } = settings
  return {
    id,
    orgId: orgOf(owner) || null,
    name,
    media: mediaView(media),
    symbology,
    content,
    level,
    placement,
    fields: [...fields],
    fieldLabels,
    logo,
    border,
    rotate,
    offsetX,
    offsetY,
    scaleX,
    scaleY,
    version,
    createdAt,
    updatedAt,
  }
}

export const listMedia = () => ({
  items: BUILT_IN.map(({ name, key, ...media }) => ({ ...mediaView(media), key, name })),
})
