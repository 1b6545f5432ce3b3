import { endpoint, platform } from '#http/endpoint.ts'

import { Statistics, StatisticsQuery } from './statistics.model.ts'
import { showStatistics } from './statistics.service.ts'

export const statisticsEndpoints = [
  endpoint({
    id: 'admin.statistics.get',
    method: 'GET',
    path: '/api/admin/statistics',
    summary: 'Get the statistics of the server',
    description:
      'Numbers are up to a minute old (`generatedAt`). Deleted rows, those in the trash and deleted accounts do not count, on the day on which they ' +
      'were created either. `activeUsers` counts users by their latest sign-in and the sessions that the server still knows.',
    tag: 'Operations',
    access: platform('statistics:read'),
    query: StatisticsQuery,
    data: Statistics,
    run: ({ ctx, query }) => showStatistics(ctx, query),
  }),
]
