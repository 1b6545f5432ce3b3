import { dual, endpoint } from '#http/endpoint.ts'

import { fieldParameters } from '../listing.service.ts'
import { AssetMap, MapQuery } from './map.model.ts'
import { getMap } from './map.service.ts'

export const mapEndpoints = [
  endpoint({
    id: 'assets.map',
    method: 'GET',
    path: '/api/assets/map',
    summary: 'Get the map of assets',
    description:
      'Assets with coordinates of their own, your personal ones or with `orgId` those of that organization. Up to 100 assets in the box ' +
      'come as `items`, and from zoom 18 on up to 500. Otherwise `clusters` count the assets that are close to each other. There are at ' +
      'most 500 items and clusters together. The filters are those of the list, also `field.<id>`.',
    tag: 'Assets',
    access: dual('asset:read'),
    query: MapQuery,
    readsQuery: ['field.*'],
    data: AssetMap,
    run: ({ ctx, owner, query, request }) => getMap(ctx, owner, query, fieldParameters(request)),
  }),
]
