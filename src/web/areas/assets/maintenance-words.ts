/** Words of maintenance that several pages share. */

import type { MaintenanceKind, MaintenancePlan, MaintenanceResult } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'

export const words = texts({
  en: {
    kinds: {
      INSPECTION: 'Inspection',
      SERVICE: 'Service',
      CALIBRATION: 'Calibration',
      REPAIR: 'Repair',
      UPGRADE: 'Upgrade',
    } as Record<MaintenanceKind, string>,
    results: { NONE: 'Not recorded', PASSED: 'Passed', FAILED: 'Failed' } as Record<MaintenanceResult, string>,
    months: (n: number) => (n === 1 ? 'every month' : `every ${n} months`),
    days: (n: number) => (n === 1 ? 'every day' : `every ${n} days`),
  },
  zh: {
    kinds: { INSPECTION: '检查', SERVICE: '保养', CALIBRATION: '校准', REPAIR: '维修', UPGRADE: '升级' } as Record<
      MaintenanceKind,
      string
    >,
    results: { NONE: '不记录', PASSED: '合格', FAILED: '不合格' } as Record<MaintenanceResult, string>,
    months: (n: number) => `每 ${n} 个月`,
    days: (n: number) => `每 ${n} 天`,
  },
})

export const useInterval = (): ((every: MaintenancePlan['every']) => string) => {
  const t = useTexts(words)
  return ({ days, months }) => (months === null ? t.days(days ?? 0) : t.months(months))
}

export const choicesOf = <T extends string>(names: Readonly<Record<T, string>>): { id: T; name: string }[] =>
  Object.entries(names).map(([id, name]) => ({ id: id as T, name: name as string }))
