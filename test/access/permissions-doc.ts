/** Writes `docs/permissions.md` from the tables in code: `bun test/access/permissions-doc.ts`. A test keeps it true. */

import { join } from 'node:path'

import type { Domain } from '#db/schema/access.ts'
import { systemRoles } from '#domains/access/roles.ts'
import { pointName, points } from '#permission-points'

import { operations, pointsAskedFor } from './operations.ts'

export const documentPath = join(import.meta.dir, '../../docs/permissions.md')

const INTRODUCTION: Record<Domain, string> = {
  PLATFORM: 'The console: the rows of everybody. SYSTEM_ADMIN holds every point without a row saying so.',
  APP: 'One’s own things. Looking after one’s own account needs no point, so that no edit of a role can lock a person out.',
  ORG: 'The things of one organization, for its members. OWNER holds every point without a row saying so.',
}

function holders(domain: Domain, name: string): string {
  const roles = systemRoles.filter((r) => r.domain === domain && (r.points === 'everything' || r.points.includes(name)))
  return roles.map((role) => role.code).join(', ')
}

function askedForBy(domain: Domain, name: string): string {
  const by = operations.filter((operation) => pointsAskedFor(operation).includes(`${domain} ${name}`))
  return by.map(({ method, path }) => `\`${method} ${path}\``).join('<br>')
}

function section(domain: Domain): string {
  const rows = points.filter((point) => point.domain === domain)
  return [
    `## ${domain}: ${rows.length} points`,
    '',
    INTRODUCTION[domain],
    '',
    '| Point | Lets one | Held by | Asked for by |',
    '|---|---|---|---|',
    ...rows.map((row) => {
      const name = pointName(row)
      return `| \`${name}\` | ${row.description} | ${holders(domain, name)} | ${askedForBy(domain, name)} |`
    }),
    '',
  ].join('\n')
}

export function permissionsDocument(): string {
  return [
    '# Permission points',
    '',
    '<!-- Made from src/domains/access by `bun test/access/permissions-doc.ts`; a test fails when it is out of date. -->',
    '',
    `${points.length} points in three domains, and the system roles that hold them when a server is new. Administrators may change what`,
    'the roles hold, except OWNER and SYSTEM_ADMIN, and may add roles. A disabled point is off for everybody, SYSTEM_ADMIN and OWNER',
    'too; only `rbac_permission:read` and `rbac_permission:update` stay on for SYSTEM_ADMIN, as the way back.',
    '',
    'An operation in both the APP and the ORG table asks for the ORG point when the request names an organization (`orgId`), else for',
    'the APP point.',
    '',
    section('PLATFORM'),
    section('APP'),
    section('ORG'),
  ].join('\n')
}

if (import.meta.main) await Bun.write(documentPath, permissionsDocument())
