import { dualByRow, endpoint } from '#http/endpoint.ts'
import { ById, Count, InOrg } from '#http/schema.ts'

import {
  ByList,
  CreateList,
  ListPage,
  ListsQuery,
  ListView,
  MAX_LISTS,
  ReorderLists,
  UpdateList,
} from './check-in-lists.model.ts'
import * as service from './check-in-lists.service.ts'

const tag = 'Passes'
const path = '/api/activities/:id/lists'
const refuses = {
  400: 'The input is not valid, or the activity is over.',
  403: 'You may see the activity, but not change it.',
}

export const checkInListEndpoints = [
  endpoint({
    id: 'checkInLists.list',
    method: 'GET',
    path,
    summary: 'List the check-in lists of an activity',
    description:
      'In the order that managers gave them. For users who may verify passes of the activity (`pass:verify`).',
    tag,
    access: dualByRow('pass:verify'),
    params: ById,
    query: ListsQuery,
    data: ListPage,
    run: ({ ctx, owner, params, query, caller }) => service.listLists(ctx, params.id, query, { viewer: owner, caller }),
  }),
  endpoint({
    id: 'checkInLists.create',
    method: 'POST',
    path,
    summary: 'Add a check-in list to an activity',
    description:
      `For a workshop, a meal or another door: each pass has a count of its own on each list. At most ${MAX_LISTS}. The entrance of the activity ` +
      'is not one of them: passes that are redeemed without a list count there.',
    tag,
    access: dualByRow('activity:update'),
    params: ById,
    query: InOrg,
    body: CreateList,
    data: ListView,
    refuses: { ...refuses, 400: `The input is not valid, the activity is over, or has ${MAX_LISTS} lists.` },
    run: ({ ctx, owner, params, body, caller }) => service.createList(ctx, params.id, body, { viewer: owner, caller }),
  }),
  endpoint({
    id: 'checkInLists.update',
    method: 'PUT',
    path: `${path}/:listId`,
    summary: 'Update a check-in list',
    description: 'Only the fields present change; null sets the default. The counts stay.',
    tag,
    access: dualByRow('activity:update'),
    params: ByList,
    query: InOrg,
    body: UpdateList,
    data: ListView,
    refuses,
    run: ({ ctx, owner, params, body, caller }) => service.updateList(ctx, params, body, { viewer: owner, caller }),
  }),
  endpoint({
    id: 'checkInLists.delete',
    method: 'DELETE',
    path: `${path}/:listId`,
    summary: 'Delete a check-in list',
    description: 'The records of its passes stay, with its name.',
    tag,
    access: dualByRow('activity:update'),
    params: ByList,
    query: InOrg,
    refuses: { ...refuses, 400: 'The activity is over.' },
    run: ({ ctx, owner, params, caller }) => service.deleteList(ctx, params, { viewer: owner, caller }),
  }),
  endpoint({
    id: 'checkInLists.reorder',
    method: 'POST',
    path: `${path}/reorder`,
    summary: 'Reorder the check-in lists of an activity',
    description: 'The lists that you name come first, in this order. The others follow in the order that they have.',
    tag,
    access: dualByRow('activity:update'),
    params: ById,
    query: InOrg,
    body: ReorderLists,
    data: Count,
    refuses,
    run: ({ ctx, owner, params, body, caller }) =>
      service.reorderLists(ctx, params.id, body.ids, { viewer: owner, caller }),
  }),
]
