/** All permission points of a domain, in groups by resource. */

import { useAll } from '../../api/pages.ts'
import type { Permission, PermissionDomain } from '../../api/types.ts'
import { texts, useLocale, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { pointWords } from '../../ui/point-words.ts'
import { CHINESE } from './descriptions.ts'

/**
 * A role is saved with all of its points. Not read by administrators who may not list them. `domain`: undefined for all.
 */
export function useAllPoints(domain: PermissionDomain | undefined) {
  const may = useMay()
  return useAll(
    'access.listPermissions',
    { query: { ...(domain !== undefined && { domain }) } },
    { enabled: may('access.listPermissions') },
  )
}

/** `View`; for a point that an administrator made, the name of its action. */
export function useActionWord(): (point: Permission) => string {
  const { actions } = useTexts(pointWords)
  return ({ action }) => actions[action] ?? action
}

/** The description of a permission point in the chosen language. */
export function useDescription(): (point: { description: string }) => string {
  const locale = useLocale()
  return ({ description }) => (locale === 'zh' ? (CHINESE[description] ?? description) : description)
}

export const accessWords = texts({
  en: {
    holdsEverything: 'Has every permission of its area, also future ones. Only its name can be changed.',
    system: 'System role: only system administrators change it, and it cannot be deleted.',
    systemMark: 'System',
    all: 'All',
    off: 'switched off',
  },
  zh: {
    holdsEverything: '拥有该范围的所有权限，包括以后新增的权限，只能更改名称。',
    system: '系统角色：仅系统管理员可以更改，不能删除。',
    systemMark: '系统',
    all: '全部',
    off: '已停用',
  },
})
