import { endpoint, open, signedIn } from '#http/endpoint.ts'

import { ByMailToken, ChooseMails, MAIL_PATH, PreferencesView, UpdatePreferences } from './mail.model.ts'
import { mailPage } from './mail.page.ts'
import * as service from './mail.service.ts'

const refuses = { 404: 'The link is wrong.' } as const

export const mailEndpoints = [
  endpoint({
    id: 'notifications.preferences',
    method: 'GET',
    path: '/api/notifications/preferences',
    summary: 'Get which mails you want',
    tag: 'Notifications',
    access: signedIn,
    data: PreferencesView,
    run: ({ ctx, actor }) => service.showPreferences(ctx, actor),
  }),
  endpoint({
    id: 'notifications.changePreferences',
    method: 'PUT',
    path: '/api/notifications/preferences',
    summary: 'Change which mails you want',
    description:
      'Fields that you leave out stay as they are. Mails go to proved addresses only, if the server has a mail server.',
    tag: 'Notifications',
    access: signedIn,
    body: UpdatePreferences,
    data: PreferencesView,
    run: ({ ctx, actor, body }) => service.changePreferences(ctx, actor, body),
  }),
  endpoint({
    id: 'mail.page',
    method: 'GET',
    path: `${MAIL_PATH}/:token`,
    secrets: ['token'],
    summary: 'Show the page on which mails about activities or assets, or invitations, are stopped',
    description: 'Linked from each of these mails. Opening it changes nothing. Wrong links count among 60 a minute.',
    tag: 'Public pages',
    access: open,
    params: ByMailToken,
    answers: 'text/html',
    refuses,
    run: async ({ ctx, params, caller }) =>
      mailPage(ctx, params.token, await service.showMailPage(ctx, params.token, caller), { caller, isChanged: false }),
  }),
  endpoint({
    id: 'mail.choose',
    method: 'POST',
    path: `${MAIL_PATH}/:token`,
    secrets: ['token'],
    summary: 'Choose which mails about activities or assets an address gets',
    description: 'Sent by the page, and by mail programs as the one-click form of RFC 8058.',
    tag: 'Public pages',
    access: open,
    params: ByMailToken,
    body: ChooseMails,
    acceptsForm: true,
    answers: 'text/html',
    refuses: { ...refuses, 400: 'The page of the link does not have this choice.' },
    run: async ({ ctx, params, body, caller }) =>
      mailPage(ctx, params.token, await service.chooseMails(ctx, params.token, body.choice ?? 'ORGANIZER', caller), {
        caller,
        isChanged: true,
      }),
  }),
]
