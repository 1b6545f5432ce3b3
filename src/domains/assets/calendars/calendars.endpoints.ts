import { dual, endpoint, open } from '#http/endpoint.ts'
import { InOrg } from '#http/schema.ts'

import { ByFile, CalendarLink, CalendarState, CreateCalendar, NEW_LINKS } from './calendars.model.ts'
import * as service from './calendars.service.ts'

const tag = 'Assets'
const path = '/api/assets/calendar'

export const calendarEndpoints = [
  endpoint({
    id: 'assetCalendars.get',
    method: 'GET',
    path,
    summary: 'Check whether you have a link to the calendar of assets',
    tag,
    access: dual('asset:read'),
    query: InOrg,
    data: CalendarState,
    run: ({ ctx, owner }) => service.getCalendar(ctx, owner),
  }),
  endpoint({
    id: 'assetCalendars.create',
    method: 'POST',
    path,
    summary: 'Create a link to the calendar of assets',
    description:
      'Calendar programs can read it without signing in. It shows your reservations (those of all members if you are a keeper), the ends of warranties ' +
      'and the due dates of maintenance and loans, in the language of ' +
      'this request, as long as you may see the assets. A link that you had before no longer works. The link ends when your password ' +
      'changes, when you enable a second factor, and when your account is disabled.',
    tag,
    access: dual('asset:read'),
    query: InOrg,
    body: CreateCalendar,
    data: CalendarLink,
    budgets: [NEW_LINKS],
    ignoresKey: 'Its answer is a secret, of which the server keeps a hash only.',
    run: ({ ctx, owner, caller }) => service.createCalendar(ctx, owner, caller.locale),
  }),
  endpoint({
    id: 'assetCalendars.delete',
    method: 'DELETE',
    path,
    summary: 'Delete the link to the calendar of assets',
    tag,
    access: dual('asset:read'),
    query: InOrg,
    refuses: { 404: 'You have no link.' },
    run: ({ ctx, owner }) => service.deleteCalendar(ctx, owner),
  }),
  endpoint({
    id: 'assetCalendars.read',
    method: 'GET',
    path: '/public/calendars/:file',
    secrets: ['file'],
    summary: 'Get a calendar of assets by its secret link',
    description:
      'An iCalendar file (RFC 5545) with at most 500 reservations, 500 ends of warranties, 500 due dates of maintenance and 500 of loans.',
    tag: 'Public pages',
    access: open,
    checksSecret: true,
    params: ByFile,
    answers: 'text/calendar',
    run: ({ ctx, params }) => service.readCalendar(ctx, params.file),
  }),
]
