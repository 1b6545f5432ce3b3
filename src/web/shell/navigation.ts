/** The entries of the menu that the signed-in user may see, in their sections. */

import type { MenuGroup, MenuItem } from '../areas/area.ts'
import type { Localized } from '../i18n/locale.ts'
import { may, useOptionalSession } from '../session/session.ts'
import { areas } from './areas.ts'

export const GROUPS: readonly {
  readonly group: MenuGroup
  readonly label: Localized | null
  readonly isAdmin: boolean
}[] = [
  { group: 'codes', label: { en: 'Codes', zh: '二维码' }, isAdmin: false },
  { group: 'things', label: { en: 'Things', zh: '物品与照片' }, isAdmin: false },
  { group: 'community', label: { en: 'People', zh: '活动与成员' }, isAdmin: false },
  { group: 'account', label: { en: 'You', zh: '我的' }, isAdmin: false },
  { group: 'overview', label: null, isAdmin: true },
  { group: 'people', label: { en: 'People', zh: '用户与组织' }, isAdmin: true },
  { group: 'content', label: { en: 'Content', zh: '内容' }, isAdmin: true },
  { group: 'messages', label: { en: 'Messages', zh: '消息' }, isAdmin: true },
  { group: 'system', label: { en: 'System', zh: '系统' }, isAdmin: true },
]

const items: readonly MenuItem[] = areas
  .flatMap((area) => area.menu ?? [])
  .toSorted((a, b) => (a.order ?? 50) - (b.order ?? 50))

export interface Section {
  readonly group: MenuGroup
  readonly label: Localized | null
  readonly items: readonly MenuItem[]
}

/** The sections for all users, or those for administrators. Sections without entries are omitted. */
export function useSections(isAdmin: boolean): readonly Section[] {
  const session = useOptionalSession()
  if (session === undefined) return []
  const mayOpen = ({ needs, inOrganization }: MenuItem) =>
    (needs === undefined || may(needs)) && (!inOrganization || session.workspace !== null)
  return GROUPS.filter((section) => section.isAdmin === isAdmin)
    .map(({ group, label }) => ({ group, label, items: items.filter((item) => item.group === group && mayOpen(item)) }))
    .filter((section) => section.items.length > 0)
}

export const isAdminPath = (pathname: string): boolean => pathname === '/admin' || pathname.startsWith('/admin/')
