import { endpoint, platform } from '#http/endpoint.ts'
import { HOUR } from '#platform/clock.ts'

import { OWNER_REFUSAL, serverVersionRow } from '../server.service.ts'
import { MailChange, MailTest, MailTestResult, MailView } from './mail.model.ts'
import { showMail, testMail, updateMail } from './mail.service.ts'

const tag = 'Server'
const refuses = { 403: OWNER_REFUSAL }

export const mailEndpoints = [
  endpoint({
    id: 'server.mail.update',
    method: 'PUT',
    path: '/api/admin/server/mail',
    summary: 'Change the mail server',
    description:
      'Acts at once, also on mails that wait. Values with which the server was started cannot be changed here. The other administrators are notified.',
    tag,
    access: platform('setting:update'),
    row: serverVersionRow(MailView, ({ ctx }) => showMail(ctx)),
    body: MailChange,
    data: MailView,
    logs: 'SERVER_UPDATE',
    refuses,
    run: ({ ctx, actor, body }) => updateMail(ctx, actor, body),
  }),
  endpoint({
    id: 'server.mail.test',
    method: 'POST',
    path: '/api/admin/server/mail/test',
    summary: 'Send a test mail',
    description:
      'At once, outside the queue, with the mail server in force or with the values of `mail`, which are not stored. Takes 30 seconds at most. ' +
      'The answer is 200 also if the mail server refuses the mail.',
    tag,
    access: platform('setting:update'),
    body: MailTest,
    ignoresKey: 'It sends a mail, whose steps are its answer.',
    data: MailTestResult,
    budgets: [
      {
        name: 'server.mailTest',
        counts: { en: 'test mails', zh: '测试邮件' },
        per: 'user',
        limit: 10,
        windowMs: HOUR,
        durable: true,
      },
    ],
    refuses,
    run: ({ ctx, actor, body, caller }) => testMail(ctx, actor, body, caller.locale),
  }),
]
