import type { AppContext } from '#context'
import { readServerValues } from '#domains/settings/index.ts'
import { endpoint, platform } from '#http/endpoint.ts'
import { Model, type Static } from '#http/schema.ts'

import { IdentityView } from '../identity/identity.model.ts'
import { identityView } from '../identity/identity.service.ts'
import { MailView } from '../mail/mail.model.ts'
import { mailView } from '../mail/mail.service.ts'
import { ServerVersion } from '../server.model.ts'

const OverviewView = Model('ServerValues', { version: ServerVersion, identity: IdentityView, mail: MailView })

async function overview(ctx: AppContext): Promise<Static<typeof OverviewView>> {
  const { values, version } = await readServerValues(ctx.db.read)
  return {
    version,
    identity: identityView(ctx, values, version),
    mail: mailView(ctx, values.mail, version),
  }
}

export const overviewEndpoints = [
  endpoint({
    id: 'server.values',
    method: 'GET',
    path: '/api/admin/server',
    summary: 'Get the values of the server that administrators change in the browser',
    tag: 'Server',
    access: platform('system:read'),
    data: OverviewView,
    run: ({ ctx }) => overview(ctx),
  }),
]
