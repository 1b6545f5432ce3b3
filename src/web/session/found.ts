/** The number of open reports of finders in the workspace, for the badge. */

import { useCall } from '../api/hooks.ts'
import { ownerQuery } from './session.ts'

/** 0 until it is known, and for members who may not see them. A new report is announced by a notification. */
export function useOpenReports(isShown = true): number {
  const query = useCall('found.reports', { query: { ...ownerQuery(), status: 'OPEN', size: 1 } }, { enabled: isShown })
  return query.data?.total ?? 0
}
