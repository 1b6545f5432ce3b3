import type { AppContext } from '#context'
import { readServerValues } from '#domains/settings/index.ts'
import { endpoint, platform } from '#http/endpoint.ts'
import { Model, type Static } from '#http/schema.ts'
import type { Locale } from '#lib/localized.ts'

import { CertificateView } from '../certificate/certificate.model.ts'
import { certificateView } from '../certificate/certificate.service.ts'
import { IdentityView } from '../identity/identity.model.ts'
import { identityView } from '../identity/identity.service.ts'
import { MailView } from '../mail/mail.model.ts'
import { mailView } from '../mail/mail.service.ts'
import { ReachView } from '../reach/reach.model.ts'
import { reachView } from '../reach/reach.service.ts'
import { ServerVersion } from '../server.model.ts'
import { SetupSummary } from '../setup/setup.model.ts'
import { setupOf, summaryOf } from '../setup/setup.rules.ts'

const OverviewView = Model('ServerValues', {
  version: ServerVersion,
  identity: IdentityView,
  certificate: CertificateView,
  mail: MailView,
  reach: ReachView,
  setup: SetupSummary,
})

async function overview(ctx: AppContext, locale: Locale): Promise<Static<typeof OverviewView>> {
  const { values, version } = await readServerValues(ctx.db.read)
  return {
    version,
    identity: identityView(ctx, values, version),
    certificate: await certificateView(ctx, values.certificate, version, locale),
    mail: mailView(ctx, values.mail, version),
    reach: await reachView(ctx, values, version, locale),
    setup: summaryOf(setupOf(values, ctx.origins)),
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
    run: ({ ctx, caller }) => overview(ctx, caller.locale),
  }),
]
