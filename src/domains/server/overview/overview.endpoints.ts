import { settings } from '#config/settings.ts'
import type { AppContext } from '#context'
import { readServerValues } from '#domains/settings/index.ts'
import { endpoint, platform } from '#http/endpoint.ts'
import { Enum, Model, type Static, Text, Type } from '#http/schema.ts'
import type { Locale } from '#lib/localized.ts'
import { SUPERVISORS } from '#platform/supervisor.ts'

import { CertificateView } from '../certificate/certificate.model.ts'
import { certificateView } from '../certificate/certificate.service.ts'
import { IdentityView } from '../identity/identity.model.ts'
import { identityView } from '../identity/identity.service.ts'
import { MailView } from '../mail/mail.model.ts'
import { mailView } from '../mail/mail.service.ts'
import { ReachView } from '../reach/reach.model.ts'
import { reachView } from '../reach/reach.service.ts'
import { UpdateView } from '../releases/releases.model.ts'
import { updateView } from '../releases/releases.service.ts'
import { restartNeed, supervisor } from '../restart/restart.service.ts'
import { ServerVersion, Sources } from '../server.model.ts'
import { givenAtStart } from '../server.service.ts'
import { SetupSummary } from '../setup/setup.model.ts'
import { setupOf, summaryOf } from '../setup/setup.rules.ts'

const OverviewView = Model('ServerValues', {
  version: ServerVersion,
  identity: IdentityView,
  certificate: CertificateView,
  mail: MailView,
  reach: ReachView,
  setup: SetupSummary,
  restart: Model(
    'ServerRestartNeed',
    { description: 'Of the process that answers' },
    {
      needed: Type.Boolean({ description: 'The configuration was changed after the start' }),
      fields: Type.Array(Text('smtpUrl'), { description: 'The changed settings, by the names of `sources`' }),
      problems: Type.Array(Text('port in tessera.toml is "x" but must be a whole number from 0 to 65535.'), {
        description: 'Why the next start would be refused',
      }),
    },
  ),
  supervisor: Enum(SUPERVISORS, { description: 'The program that starts the server again after a restart' }),
  update: UpdateView,
  ignored: Type.Array(Text('server.mail'), {
    description: 'Stored values that are not valid. The server works as if they did not exist.',
  }),
  sources: { ...Sources, description: 'Where each value of the configuration comes from' },
})
type OverviewView = Static<typeof OverviewView>

async function overview(ctx: AppContext, locale: Locale): Promise<OverviewView> {
  const { values, version, ignored } = await readServerValues(ctx.db.read)
  return {
    version,
    identity: identityView(ctx, values, version),
    certificate: await certificateView(ctx, values.certificate, version, locale),
    mail: mailView(ctx, values.mail, version),
    reach: await reachView(ctx, values, version, locale),
    setup: summaryOf(setupOf(values, ctx.origins)),
    restart: restartNeed(ctx),
    supervisor: supervisor(ctx),
    update: await updateView(ctx, locale),
    ignored: [...ignored],
    sources: Object.fromEntries(settings.map(({ key }) => [key, givenAtStart(ctx, key)?.source ?? 'DEFAULT'])),
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
