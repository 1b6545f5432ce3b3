import { app, endpoint } from '#http/endpoint.ts'

import { DiscoverQuery, PublicActivityPage } from './discovery.model.ts'
import { discoverActivities } from './discovery.service.ts'

export const discoveryEndpoints = [
  endpoint({
    id: 'activities.discover',
    method: 'GET',
    path: '/api/discover/activities',
    summary: 'Search public activities',
    description:
      'Activities that are PUBLIC and ACTIVE and whose end has not passed, the earliest start first unless you give `sort`. Those of ' +
      'disabled organizations are left out.',
    tag: 'Activities',
    access: app('activity:read'),
    query: DiscoverQuery,
    data: PublicActivityPage,
    run: ({ ctx, actor, query }) => discoverActivities(ctx, actor, query),
  }),
]
