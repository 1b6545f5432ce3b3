import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { allEndpoints } from '#app'
import { bindRole, createRole, unbindRoles } from '#domains/access/index.ts'
import type { AnyEndpoint } from '#http/endpoint.ts'

import { inProcess, type Person, startServer, type TestServer } from '../harness/index.ts'

/**
 * Every operation × everybody, against what its record says. Ids are such as nobody has and bodies are empty: who passes the
 * gate gets 400 or 404 (or an answer), never 401 or 403; who does not gets exactly 401 or 403.
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
    await ctx.db.write('test', async (tx) => {
      await unbindRoles(ctx, tx, people['roleless']!.id, 'APP', 0)
      await createRole(ctx, tx, { domain: 'PLATFORM', scopeId: 0, code: 'NOTHING', name: 'Nothing', points: [] })
      await bindRole(ctx, tx, people['pointless administrator']!.id, 'PLATFORM', 0, 'NOTHING')
    })
  })
  afterAll(() => server.stop())

  type Outcome = 'in' | 401 | 403

  function expected(endpoint: AnyEndpoint, who: string): Outcome {
    const { kind } = endpoint.access
    if (kind === 'open') return 'in'
    if (who === 'anonymous') return 401
    switch (kind) {
      case 'signedIn':
        return 'in'
      case 'app':
      case 'dual':
        return who === 'roleless' ? 403 : 'in'
      case 'org':
        return 403
      case 'admin':
        return who === 'pointless administrator' || who === 'administrator' ? 'in' : 403
      case 'platform':
        return who === 'administrator' ? 'in' : 403
    }
  }

  // They end the caller's own session, so they are tried by somebody made for it.
  const ENDS_SESSION = new Set(['/api/auth/logout', '/api/auth/account/delete'])

  for (const endpoint of allEndpoints) {
    test(`${endpoint.method} ${endpoint.path}`, async () => {
      for (const who of ['anonymous', 'user', 'roleless', 'pointless administrator', 'administrator']) {
        if (ENDS_SESSION.has(endpoint.path) && who !== 'anonymous') continue
        // Where a path names a user, everybody names themselves: seeing other people's rows is another rule (isolation.test.ts).
        const path = endpoint.path
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
