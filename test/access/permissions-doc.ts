/** Generates `docs/permissions.md` from the tables in the code: `bun test/access/permissions-doc.ts`. A test fails if the file is out of date. */

import { join } from 'node:path'

import type { PermissionDomain } from '#db/schema/access.ts'
import { isDelegableAtFirst, systemRoles } from '#domains/access/system-roles.ts'
import { pointName, points } from '#permission-points'

import { extraOperations, operations, pointsAskedFor } from './operations.ts'

export const documentPath = join(import.meta.dir, '../../docs/permissions.md')

const INTRODUCTION: Record<PermissionDomain, string> = {
  PLATFORM:
    'Points for the console, with access to the data of all users. SYSTEM_ADMIN holds all of them without stored rows.',
  APP: 'Points for the user’s own data. Managing your own account needs no point, so that no change of a role can lock users out.',
  ORG: 'Points for the data of one organization, held by its members. OWNER holds all of them without stored rows.',
}

function holders(domain: PermissionDomain, name: string): string {
  const roles = systemRoles.filter((r) => r.domain === domain && (r.points === 'everything' || r.points.includes(name)))
  return roles.map((role) => role.code).join(', ')
}

function askedForBy(domain: PermissionDomain, name: string): string {
  const by = [...operations, ...extraOperations].filter((operation) =>
    pointsAskedFor(operation).includes(`${domain} ${name}`),
  )
  return by.map(({ method, path }) => `\`${method} ${path}\``).join('<br>')
}

function section(domain: PermissionDomain): string {
  const rows = points.filter((point) => point.domain === domain)
  return [
    `## ${domain}: ${rows.length} points`,
    '',
    INTRODUCTION[domain],
    '',
    `| Point | Allows users to | System roles |${domain === 'ORG' ? ' Delegable |' : ''} Operations |`,
    `|---|---|---|${domain === 'ORG' ? '---|' : ''}---|`,
    ...rows.map((row) => {
      const name = pointName(row)
      const delegable = domain === 'ORG' ? ` ${isDelegableAtFirst(row) ? 'yes' : 'no'} |` : ''
      return `| \`${name}\` | ${row.description} | ${holders(domain, name)} |${delegable} ${askedForBy(domain, name)} |`
    }),
    '',
  ].join('\n')
}

export function permissionsDocument(): string {
  return [
    '# Permission points',
    '',
    '<!-- Generated from src/permission-points.ts and src/domains/access by `bun test/access/permissions-doc.ts`. -->',
    '',
    `Tessera has ${points.length} permission points in three permission domains. The tables show what each point allows, which system roles hold it on`,
    'a new server, and which operations require it. Administrators can change the points of every system role except OWNER and',
    'SYSTEM_ADMIN, and they can add roles. Only SYSTEM_ADMIN can change points and system roles, and grant or revoke PLATFORM roles.',
    'A disabled point is denied to everyone, including SYSTEM_ADMIN and OWNER. The only exceptions are `rbac_permission:read`,',
    '`rbac_permission:update` and `rbac_user_role:revoke`: SYSTEM_ADMIN keeps them, so that points can be enabled again and roles taken away.',
    '',
    'An operation that is in both the APP and the ORG table requires the ORG point if the request names an organization (`orgId`), and',
    'otherwise the APP point. If the path contains the id of something that an organization owns, the point is required in that',
    'organization too.',
    '',
    'In a DISABLED organization only points with the action `read` or `export` count, for the owner too: its members can view it and leave it.',
    'Where another point is needed, members get 403 with a message that the organization is disabled.',
    '',
    'The owner of an organization can give the ORG points in roles of its own ([roles.md](roles.md)), except ' +
      'those marked “no” under Delegable, which guard the organization and its roles. Only SYSTEM_ADMIN changes this mark.',
    '',
    section('PLATFORM'),
    section('APP'),
    section('ORG'),
  ].join('\n')
}

if (import.meta.main) await Bun.write(documentPath, permissionsDocument())
