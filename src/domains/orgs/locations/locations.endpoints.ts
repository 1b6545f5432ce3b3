import { endpoint, org } from '#http/endpoint.ts'
import { Count, Pin } from '#http/schema.ts'

import { InOrg } from '../members/members.model.ts'
import {
  ByLocation,
  CreateLocation,
  LocationTree,
  LocationView,
  PinLocations,
  ReorderLocations,
  UpdateLocation,
} from './locations.model.ts'
import * as service from './locations.service.ts'

const tag = 'Locations'

export const locationEndpoints = [
  endpoint({
    id: 'locations.tree',
    method: 'GET',
    path: '/api/orgs/:orgId/locations',
    summary: 'Get all locations of an organization as a tree',
    description: 'On each level: pinned ones first, then by `sortOrder`, then the oldest first.',
    tag,
    access: org('location:read'),
    params: InOrg,
    data: LocationTree,
    run: ({ ctx, params }) => service.getLocationTree(ctx, params.orgId),
  }),
  endpoint({
    id: 'locations.create',
    method: 'POST',
    path: '/api/orgs/:orgId/locations',
    summary: 'Create a location',
    description: 'Locations can be nested eight levels deep. Names need not be unique.',
    tag,
    access: org('location:create'),
    params: InOrg,
    body: CreateLocation,
    data: LocationView,
    run: ({ ctx, params, body }) => service.createLocation(ctx, params.orgId, body),
  }),
  endpoint({
    id: 'locations.batchPin',
    method: 'PATCH',
    path: '/api/orgs/:orgId/locations/pin',
    summary: 'Pin or unpin several locations',
    description: 'If one location is refused, none changes.',
    tag,
    access: org('location:update'),
    params: InOrg,
    body: PinLocations,
    data: Count,
    run: ({ ctx, params, body }) => service.pinLocations(ctx, params.orgId, body.ids, body.pinned),
  }),
  endpoint({
    id: 'locations.reorder',
    method: 'PATCH',
    path: '/api/orgs/:orgId/locations/reorder',
    summary: 'Reorder the locations of one parent',
    description:
      'Give either `ids` in their new order, or `items` with a `sortOrder` each. If one location is refused, none changes.',
    tag,
    access: org('location:update'),
    params: InOrg,
    body: ReorderLocations,
    data: Count,
    run: ({ ctx, params, body }) => service.reorderLocations(ctx, params.orgId, body),
  }),
  endpoint({
    id: 'locations.update',
    method: 'PUT',
    path: '/api/orgs/:orgId/locations/:locationId',
    summary: 'Update or move a location',
    description:
      'Only the fields present change. `parentId` null moves it to the top level. You cannot move it below itself or deeper than eight levels.',
    tag,
    access: org('location:update'),
    params: ByLocation,
    body: UpdateLocation,
    data: LocationView,
    run: ({ ctx, params, body }) => service.updateLocation(ctx, params.orgId, params.locationId, body),
  }),
  endpoint({
    id: 'locations.delete',
    method: 'DELETE',
    path: '/api/orgs/:orgId/locations/:locationId',
    summary: 'Delete a location',
    description: 'A location with locations below it, or with anything in it, cannot be deleted.',
    tag,
    access: org('location:delete'),
    params: ByLocation,
    run: ({ ctx, params }) => service.deleteLocation(ctx, params.orgId, params.locationId),
  }),
  endpoint({
    id: 'locations.pin',
    method: 'PATCH',
    path: '/api/orgs/:orgId/locations/:locationId/pin',
    summary: 'Pin or unpin a location',
    tag,
    access: org('location:update'),
    params: ByLocation,
    body: Pin,
    data: LocationView,
    run: ({ ctx, params, body }) => service.pinLocation(ctx, params.orgId, params.locationId, body.pinned),
  }),
]
