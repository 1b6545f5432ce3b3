/** Roles that organizations make themselves: their names, and the presets from which they can start. Pure. */

import type { RolePreset } from '#db/schema/access.ts'
import type { Localized } from '#lib/localized.ts'
import type { OrgPoint } from '#permission-points'

import { systemRoles } from './system-roles.ts'

export const MAX_OWN_ROLES = 20
export const MAX_POINTS_OF_OWN_ROLE = 60

/** A point of a role. `isInForce`: the role grants it now. */
export interface BoundPoint {
  readonly roleId: number
  readonly name: string
  readonly isInForce: boolean
}

interface Preset {
  readonly key: RolePreset
  readonly name: Localized
  readonly points: readonly OrgPoint[]
}

/** Roles to start from. A role does not change when its preset does. */
export const PRESETS: readonly Preset[] = [
  {
    key: 'GATE',
    name: { en: 'Gate staff', zh: '检票员' },
    points: ['org:read', 'activity:read', 'pass:read', 'pass:verify', 'checkin:read'],
  },
  {
    key: 'KEEPER',
    name: { en: 'Asset keeper', zh: '资产管理员' },
    points: [
      'org:read',
      'asset:read',
      'asset:create',
      'asset:update',
      'asset:transfer',
      'asset:export',
      'inventory:manage',
      'inventory:scan',
      'location:read',
      'meta_field:read',
      'meta_template:read',
      'meta_value:read',
      'meta_value:update',
      'member:read',
    ],
  },
  {
    key: 'BORROWER',
    name: { en: 'Borrower', zh: '借用人' },
    points: ['org:read', 'asset:read', 'location:read'],
  },
  {
    key: 'ORGANIZER',
    name: { en: 'Event organizer', zh: '活动组织者' },
    points: [
      'org:read',
      'activity:read',
      'activity:create',
      'activity:update',
      'activity:publish',
      'checkin:read',
      'checkin:create',
      'pass:read',
      'pass:issue',
      'pass:verify',
      'pass:revoke',
      'pass_template:manage',
      'member:read',
    ],
  },
]

/** The name as it is compared: without case and width. */
export const nameKeyOf = (name: string): string => name.normalize('NFKC').trim().toLowerCase()

const systemNames: ReadonlySet<string> = new Set(systemRoles.flatMap(({ name }) => Object.values(name).map(nameKeyOf)))

/** Whether it is the name of a system role in any language. */
export const isSystemName = (nameKey: string): boolean => systemNames.has(nameKey)

/** Leaves room for the number. */
const MAX_CODE = 44

/** Codes for a role of this name, the best one first. */
export function* codesFor(name: string): Generator<string> {
  const words = name
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
  const base = words.slice(0, MAX_CODE).replaceAll(/^_+|_+$/g, '')
  if (base !== '') yield base
  for (let n = base === '' ? 1 : 2; ; n++) yield base === '' ? `R${n}` : `${base}_${n}`
}
