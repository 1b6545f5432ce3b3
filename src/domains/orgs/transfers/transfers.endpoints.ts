import { alias, endpoint, org, signedIn } from '#http/endpoint.ts'
import { ById, Id, Model, Type } from '#http/schema.ts'

import { OrgView } from '../organizations/organizations.model.ts'
import * as service from './transfers.service.ts'

const tag = 'Organizations'

/** `userId`: the new owner, who must be a member. */
const OfferTransfer = Model('TransferOwnership', { userId: Id })
const AnswerTransfer = Model('AnswerTransfer', { accept: Type.Boolean() })

const offerTransfer = endpoint({
  id: 'orgs.transfer',
  method: 'POST',
  path: '/api/orgs/:id/transfer',
  summary: 'Transfer an organization to another member who accepts it',
  description:
    'Only for the owner. The member becomes the owner by accepting within 7 days; until then `pendingTransfer` shows the offer to both. ' +
    'The former owner stays a member with the role ADMIN. 400 while another member has an offer.',
  tag,
  access: org('org:transfer'),
  params: ById,
  body: OfferTransfer,
  data: OrgView,
  run: ({ ctx, actor, params, body, caller }) =>
    service.offerTransfer(ctx, actor, params.id, body.userId, caller.locale),
})

export const transferEndpoints = [
  offerTransfer,
  alias(offerTransfer, { id: 'orgs.transferOwnership', path: '/api/orgs/:id/transfer-ownership' }),
  endpoint({
    id: 'orgs.withdrawTransfer',
    method: 'DELETE',
    path: '/api/orgs/:id/transfer',
    summary: 'Withdraw the offer of an organization',
    description: 'Only for the owner. 404 if there is no open offer.',
    tag,
    access: org('org:transfer'),
    params: ById,
    run: ({ ctx, actor, params }) => service.withdrawTransfer(ctx, actor, params.id),
  }),
  endpoint({
    id: 'orgs.answerTransfer',
    method: 'POST',
    path: '/api/orgs/:id/transfer/answer',
    summary: 'Accept or decline an offered organization',
    description: 'If you accept, you become the owner at once. 404 if the organization was not offered to you.',
    tag,
    access: signedIn,
    params: ById,
    body: AnswerTransfer,
    data: OrgView,
    refuses: { 400: 'The offer has expired.', 403: 'The organization is disabled.' },
    run: ({ ctx, actor, params, body, caller }) =>
      service.answerTransfer(ctx, actor, params.id, body.accept, caller.locale),
  }),
]
