/** Helpers for the tests of personal invitations. */

import type { InvitationView, NewInvitations } from '#domains/activities/invitations/invitations.model.ts'

import { ok, type Person } from '../harness/index.ts'

type Some = { readonly id: number }

export const invite = (person: Person, { id }: Some, body: NewInvitations) =>
  person.call('activityInvitations.create', { params: { id }, body })
export const invited = async (person: Person, activity: Some, body: NewInvitations): Promise<InvitationView[]> =>
  ok(await invite(person, activity, body)).data.items
/** Without mails. */
export const withCode = async (person: Person, activity: Some, body: NewInvitations = {}): Promise<InvitationView> =>
  (await invited(person, activity, { count: 1, ...body }))[0]!

export const invitations = async (person: Person, { id }: Some, query = {}): Promise<InvitationView[]> =>
  ok(await person.call('activityInvitations.list', { params: { id }, query: { size: 100, ...query } })).data.items
export const invitationNow = async (person: Person, activity: Some, { id }: Some): Promise<InvitationView> =>
  (await invitations(person, activity)).find((one) => one.id === id)!

export const revoke = (person: Person, { id }: Some, invitation: Some) =>
  person.call('activityInvitations.revoke', { params: { id, invitationId: invitation.id } })
export const sendAgain = (person: Person, { id }: Some, invitation: Some) =>
  person.call('activityInvitations.send', { params: { id, invitationId: invitation.id } })
