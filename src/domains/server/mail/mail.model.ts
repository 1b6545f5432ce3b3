import { Enum, Line, Model, Multiline, Nullable, Raw, type Static, Text, Time, Type } from '#http/schema.ts'
import { TRIAL_STEPS } from '#platform/mail/trial.ts'

import { EXAMPLE_CERTIFICATE, ServerVersion, Sources } from '../server.model.ts'

const Kind = Enum(['NONE', 'SMTP'])
const Security = Enum(['TLS', 'STARTTLS', 'NONE'], {
  description: 'TLS from the first byte (usually port 465), STARTTLS (587), or none, in a private network only',
})
const Port = Type.Integer({ minimum: 1, maximum: 65_535, examples: [465] })

export const MailView = Model('ServerMail', {
  version: ServerVersion,
  kind: Kind,
  host: Nullable(Text('smtp.example.org')),
  port: Nullable(Port),
  security: Nullable(Security),
  user: Nullable(Text('desk@library.example.org')),
  hasPassword: Type.Boolean(),
  from: Nullable(Text('Willow Street Library <desk@library.example.org>')),
  replyTo: Nullable(
    Text('desk@library.example.org', { description: 'Null: the e-mail of the contact, if there is one' }),
  ),
  caPem: Nullable(
    Text(EXAMPLE_CERTIFICATE, { description: 'The certificate authority to trust instead of those of the system' }),
  ),
  status: Model(
    'ServerMailStatus',
    { description: 'Of this process since its start' },
    { lastSentAt: Nullable(Time), lastError: Nullable(Text('smtp.example.org: 535 Authentication failed')) },
  ),
  sources: Sources,
})
export type MailView = Static<typeof MailView>

const PASSWORD_MAX = 1000

export const MailChange = Model(
  'ServerMailChange',
  { description: 'Fields that you leave out stay as they are. `kind: NONE` forgets all others.' },
  {
    kind: Type.Optional(Kind),
    host: Type.Optional(Line(253, 1, { examples: ['smtp.example.org'] })),
    port: Type.Optional(Nullable({ ...Port, description: 'Null: the usual one of `security`' })),
    security: Type.Optional(Security),
    user: Type.Optional(Nullable(Line(254, 0, { examples: ['desk@library.example.org'] }))),
    password: Type.Optional(
      Nullable(
        Raw(PASSWORD_MAX, 0, {
          description: 'Left out: the stored one stays. Null, or an empty text, deletes it. Never returned',
          examples: ['correct horse battery'],
        }),
      ),
    ),
    from: Type.Optional(Line(320, 3, { examples: ['Willow Street Library <desk@library.example.org>'] })),
    replyTo: Type.Optional(Nullable(Line(254, 0, { examples: ['desk@library.example.org'] }))),
    caPem: Type.Optional(Nullable(Multiline(50_000, 0, { examples: [EXAMPLE_CERTIFICATE] }))),
  },
)
export type MailChange = Static<typeof MailChange>

export const MailTest = Model('ServerMailTest', {
  to: Line(254, 3, { examples: ['mei@example.org'] }),
  mail: Type.Optional(MailChange),
})
export type MailTest = Static<typeof MailTest>

export const MailTestResult = Model('ServerMailTestResult', {
  accepted: Type.Boolean({ description: 'The mail server took the mail' }),
  steps: Type.Array(
    Model('ServerMailTestStep', {
      step: Enum(TRIAL_STEPS),
      ok: Type.Boolean(),
      ms: Type.Integer({ minimum: 0, description: 'Rounded to 100', examples: [100] }),
      answer: Text('250 2.0.0 Ok: queued', { description: 'Of the server, or what went wrong' }),
      advice: Nullable(
        Text('Check the user and the password. Many providers want a password made for applications.', {
          description: 'A possible remedy, in the language of the caller; null if the step worked',
        }),
      ),
    }),
    { description: 'In their order; the last one failed unless the mail was accepted' },
  ),
})
export type MailTestResult = Static<typeof MailTestResult>
