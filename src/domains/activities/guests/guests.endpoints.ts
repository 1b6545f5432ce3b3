import { endpoint, open, signedIn } from '#http/endpoint.ts'
import { wantsJson } from '#http/refusals.ts'
import { secretSuccess } from '#http/respond.ts'

import { AskForLink, CheckMail, GuestForm, NewGuest } from '../guest-forms/guest-forms.model.ts'
import { REGISTRATION_CHANGES, RegistrationView } from '../registrations/registrations.model.ts'
import { claimGuest } from './claims.service.ts'
import * as page from './guest-page.service.ts'
import { ByActivity, BySecret, ClaimGuest, FormQuery, GuestAction, GuestPage } from './guests.model.ts'
import { changedPage, checkMailPage, guestPage } from './guests.page.ts'
import * as service from './guests.service.ts'

const tag = 'Registration'
const NOT_SEEN = 'The activity is INVITE_ONLY, and the code is missing or wrong, or its organization is disabled.'
const WRONG_LINK = 'The link is wrong or has ended.'
const CHECK_MAIL = { state: 'CHECK_MAIL' } as const

const PAGE = '/s/registration/:secret'
const secretLink = { secrets: ['secret'], tag, access: open, isForCrowds: true, params: BySecret } as const

export const guestEndpoints = [
  endpoint({
    id: 'guests.form',
    method: 'GET',
    path: '/public/activities/:uuid/guests/form',
    secrets: ['uuid'],
    summary: 'Get the form for people without an account',
    description: 'Only while guests can register. An INVITE_ONLY activity needs its `code`.',
    tag,
    access: open,
    isForCrowds: true,
    isSecretLink: true,
    params: ByActivity,
    query: FormQuery,
    data: GuestForm,
    refuses: { 400: 'Guests cannot register for this activity now.', 403: NOT_SEEN },
    run: ({ ctx, params, query, caller }) => service.showForm(ctx, params.uuid, caller, query.code),
  }),
  endpoint({
    id: 'guests.register',
    method: 'POST',
    path: '/public/activities/:uuid/guests',
    secrets: ['uuid'],
    summary: 'Register for an activity without an account',
    description:
      'Sent by the form on the page of the activity, or as JSON. The registration is PENDING and takes no place until it is confirmed by the link of ' +
      'a mail, within 24 hours. An address that has a registration gets its link again, and nothing changes. ' +
      '200 forms a minute from an IP address, and further limits that the settings of the server name.',
    tag,
    access: open,
    isForCrowds: true,
    params: ByActivity,
    body: NewGuest,
    acceptsForm: true,
    answers: 'text/html',
    data: CheckMail,
    refuses: {
      400: 'Guests cannot register for this activity now, or the form is too old or too new.',
      403: NOT_SEEN,
    },
    run: async ({ ctx, params, body, caller, request }) => {
      await service.addGuest(ctx, params.uuid, body, caller)
      return wantsJson(request) ? CHECK_MAIL : checkMailPage(ctx, params.uuid, caller.locale)
    },
  }),
  endpoint({
    id: 'guests.sendLink',
    method: 'POST',
    path: '/public/activities/:uuid/guests/link',
    secrets: ['uuid'],
    summary: 'Ask for the link of a guest again',
    description: 'The answer is always the same. The link is mailed to the address if it has a registration.',
    tag,
    access: open,
    isForCrowds: true,
    params: ByActivity,
    body: AskForLink,
    acceptsForm: true,
    answers: 'text/html',
    data: CheckMail,
    refuses: { 403: 'The organization is disabled.' },
    run: async ({ ctx, params, body, caller, request }) => {
      await service.sendLink(ctx, params.uuid, body.email, caller)
      return wantsJson(request) ? CHECK_MAIL : checkMailPage(ctx, params.uuid, caller.locale)
    },
  }),
  endpoint({
    ...secretLink,
    id: 'guests.page',
    method: 'GET',
    path: PAGE,
    summary: 'Show the registration of a guest',
    description:
      'An HTML page, or JSON with `Accept: application/json`. Opening it changes nothing. Wrong links count among 60 a minute.',
    readsQuery: ['ask', 'lang'],
    answers: 'text/html',
    data: GuestPage,
    refuses: { 404: WRONG_LINK },
    run: async ({ ctx, params, caller, request }) =>
      wantsJson(request)
        ? secretSuccess(await page.readGuest(ctx, params.secret, caller), caller.requestId)
        : guestPage(ctx, params.secret, { caller, request }),
  }),
  endpoint({
    ...secretLink,
    id: 'guests.change',
    method: 'POST',
    path: PAGE,
    summary: 'Change the registration of a guest',
    description:
      'Sent by the page, or as JSON. `confirm` gives the place, or that on the waiting list; if there is none, the registration ends. `cancel` deletes a ' +
      'registration that was not confirmed. `answers` replaces all answers while registration is open. `resend-pass` mails the link of the pass.',
    body: GuestAction,
    acceptsForm: true,
    answers: 'text/html',
    data: GuestPage,
    refuses: {
      400: 'The activity is not active, its registration is closed, or there is no pass to send.',
      403: 'The organization is disabled.',
      404: WRONG_LINK,
    },
    run: async ({ ctx, params, body, caller, request }) => {
      const changed = await page.changeGuest(ctx, params.secret, body, caller)
      return wantsJson(request)
        ? changed
        : changedPage(ctx, params.secret, changed, { action: body.action, locale: caller.locale })
    },
  }),
  endpoint({
    ...secretLink,
    id: 'guests.calendar',
    method: 'GET',
    path: `${PAGE}/calendar.ics`,
    summary: 'Get the calendar file of the activity of a guest',
    readsQuery: ['lang'],
    answers: 'text/calendar',
    refuses: { 404: WRONG_LINK },
    run: ({ ctx, params, caller }) => page.guestCalendar(ctx, params.secret, caller),
  }),
  endpoint({
    ...secretLink,
    id: 'guests.pass',
    method: 'GET',
    path: `${PAGE}/pass`,
    summary: 'Open the pass of a guest',
    answers: 'text/html',
    refuses: { 404: 'The link is wrong or has ended, or the guest has no pass.' },
    run: ({ ctx, params, caller }) => page.guestPass(ctx, params.secret, caller),
  }),
  endpoint({
    id: 'guests.claim',
    method: 'POST',
    path: '/api/registrations/guest/claim',
    summary: 'Move the registration of a guest into your account',
    description:
      'With the secret of the link that the guest got by mail, which ends. The pass of the guest is then yours too. Of two accounts at once, one gets it.',
    tag,
    access: signedIn,
    budgets: [REGISTRATION_CHANGES],
    body: ClaimGuest,
    data: RegistrationView,
    refuses: {
      400: 'You have registered for this activity, or have a pass for it, or may not see it, or the guest has no place.',
      404: WRONG_LINK,
    },
    ignoresKey: 'It checks a secret.',
    run: ({ ctx, actor, body, caller }) => claimGuest(ctx, actor, body.secret, caller),
  }),
]
