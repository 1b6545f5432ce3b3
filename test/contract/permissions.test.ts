import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { allEndpoints } from '#app'
import { bindPlatformRole, createRole, unbindRoles } from '#domains/access/index.ts'
import type { AnyEndpoint } from '#http/endpoint.ts'

import { inProcess, ok, type Person, startServer, type TestServer } from '../harness/index.ts'

/**
 * Every operation with every kind of caller. Ids do not exist and bodies are empty: a caller with permission gets 400, 404 or an
 * answer, a caller without it exactly 401 or 403.
 */
describe.if(inProcess)('permission matrix', () => {
  let server: TestServer
  const people: Record<string, Person> = {}

  beforeAll(async () => {
    server = await startServer()
    people['user'] = await server.person()
    people['roleless'] = await server.person()
    people['pointless administrator'] = await server.person()
    people['administrator'] = await server.admin()
    const { ctx } = server
    // Otherwise reset codes are refused to everyone.
    ok(
      await people['administrator'].call('admin.settings.update', {
        body: { values: { 'security.adminResetCodes': true } },
      }),
    )
    await ctx.db.write('test', async (tx) => {
      await unbindRoles(tx, people['roleless']!.id, 'APP', 0)
      await createRole(tx, { domain: 'PLATFORM', scopeId: 0, code: 'NOTHING', name: 'Nothing', points: [] })
      await bindPlatformRole(ctx, tx, people['pointless administrator']!.id, 'NOTHING')
    })
  })
  afterAll(() => server.stop())

  type Outcome = 'in' | 401 | 403

  function expected(endpoint: AnyEndpoint, who: string): Outcome {
    const { kind } = endpoint.access
    if (kind === 'open') return 'in'
    // Nobody of them has the token of a gate or an API key: keys.test.ts calls all operations with keys.
    if (who === 'anonymous' || kind === 'gate' || kind === 'key') return 401
    switch (kind) {
      case 'signedIn':
        return 'in'
      case 'app':
      case 'signedUrl':
      case 'dual':
        return who === 'roleless' ? 403 : 'in'
      case 'org':
        return 403
      case 'admin':
        return who === 'pointless administrator' || who === 'administrator' ? 'in' : 403
      case 'platform':
      case 'publisher':
        return who === 'administrator' ? 'in' : 403
    }
  }

  // They would end the session of the callers, so only the anonymous caller calls them.
  const ENDS_SESSION = new Set([
    '/api/auth/logout',
    '/api/auth/account/delete',
    '/api/admin/users/:userId/sessions/end',
  ])

  for (const endpoint of allEndpoints) {
    test(`${endpoint.method} ${endpoint.path} admits exactly the callers that its record admits`, async () => {
      for (const who of ['anonymous', 'user', 'roleless', 'pointless administrator', 'administrator']) {
        if (ENDS_SESSION.has(endpoint.path) && who !== 'anonymous') continue
        // Users in the path are the callers themselves, who get no reset codes: isolation.test.ts checks rows of other users.
        const path = endpoint.path
          .replace(':userId/reset-code', '999999999/reset-code')
          .replace(':userId', String(people[who]?.id ?? 999_999_999))
          .replace(/:\w+/g, '999999999')
        const options = endpoint.body ? { body: {} } : {}
        const reply = people[who]
          ? await people[who].send(endpoint.method, path, options)
          : await server.request(endpoint.method, path, options)
        const outcome: Outcome = reply.status === 401 || reply.status === 403 ? reply.status : 'in'
        expect(`${who}: ${outcome}`, reply.text.slice(0, 200)).toBe(`${who}: ${expected(endpoint, who)}`)
      }
    })
  }
})
