/** The menu at the side. Below `/admin` it shows the sections for administrators, elsewhere those for all users. */

import { AdminPanelSettings, ArrowBack } from '@mui/icons-material'
import { Badge, ListSubheader } from '@mui/material'
import { Menu as RaMenu, useSidebarState } from 'react-admin'
import { useLocation } from 'react-router'

import type { MenuItem } from '../areas/area.ts'
import { texts, useLocale, useTexts } from '../i18n/words.ts'
import { useUnread } from '../session/live.ts'
import { isAdminPath, useSections } from './navigation.ts'

const words = texts({
  en: { administration: 'Administration', back: 'Back to my workspace' },
  zh: { administration: '管理', back: '返回我的内容' },
})

/** react-admin takes the overview for open on all pages below it. */
const NOT_ACTIVE = {
  '&.RaMenuItemLink-active': { color: 'text.secondary', bgcolor: 'transparent', fontWeight: 'inherit' },
}

export function Menu() {
  const { pathname } = useLocation()
  const isAdmin = isAdminPath(pathname)
  const t = useTexts(words)
  const locale = useLocale()
  const [open] = useSidebarState()
  const sections = useSections(isAdmin)
  const adminSections = useSections(true)
  const first = adminSections[0]?.items[0]
  return (
    <RaMenu sx={{ pb: 4 }}>
      {isAdmin && <RaMenu.Item to="/" primaryText={t.back} leftIcon={<ArrowBack />} />}
      {sections.flatMap(({ group, label, items }) => [
        ...(label !== null && open
          ? [
              <ListSubheader key={group} component="div" sx={{ bgcolor: 'transparent', lineHeight: '2.5rem', mt: 1 }}>
                {label[locale]}
              </ListSubheader>,
            ]
          : []),
        ...items.map((item) => (
          <RaMenu.Item
            key={item.to}
            to={item.to}
            primaryText={item.label[locale]}
            leftIcon={<ItemIcon item={item} />}
            sx={item.to === '/admin' && pathname !== '/admin' ? NOT_ACTIVE : {}}
          />
        )),
      ])}
      {!isAdmin && first !== undefined && (
        <RaMenu.Item to={first.to} primaryText={t.administration} leftIcon={<AdminPanelSettings />} sx={{ mt: 2 }} />
      )}
    </RaMenu>
  )
}

function ItemIcon({ item: { icon: Icon, badge } }: { item: MenuItem }) {
  const unread = useUnread()
  if (badge === undefined || unread[badge] === 0) return <Icon />
  return (
    <Badge badgeContent={unread[badge]} color="error" max={99}>
      <Icon />
    </Badge>
  )
}
