/** Chooses whose things are shown: the user's own, or those of an organization. */

import { Check, Groups, Person, UnfoldMore } from '@mui/icons-material'
import { Divider } from '@mui/material'
import { useQueryClient } from '@tanstack/react-query'
import { useLocation, useNavigate } from 'react-router'

import type { Organization } from '../api/types.ts'
import { leave } from '../browser/unsaved.ts'
import { texts, useTexts } from '../i18n/words.ts'
import { chooseWorkspace, currentSession, useOptionalSession } from '../session/session.ts'
import { MenuButton, MenuEntry } from '../ui/MenuButton.tsx'
import { isAdminPath } from './navigation.ts'

const words = texts({
  en: { own: 'Personal', choose: 'Choose whose things are shown', manage: 'All organizations' },
  zh: { own: '个人', choose: '选择显示谁的内容', manage: '所有组织' },
})

/** Shows the things of the organization from now on, or with null those of the user. */
export function useChooseWorkspace(): (org: Organization | null) => void {
  const client = useQueryClient()
  const navigate = useNavigate()
  const { pathname } = useLocation()
  return (org) => {
    if (org?.id === currentSession()?.workspace?.id) return
    leave(() => {
      chooseWorkspace(org)
      client.removeQueries()
      // A page of a single thing has nothing to show in another workspace.
      void navigate(isAdminPath(pathname) ? '/' : `/${pathname.split('/')[1] ?? ''}`)
    })
  }
}

export function WorkspaceSwitch() {
  const t = useTexts(words)
  const session = useOptionalSession()
  const choose = useChooseWorkspace()
  const { pathname } = useLocation()
  if (session === undefined || isAdminPath(pathname)) return null
  const name = session.workspace?.name ?? t.own
  return (
    <MenuButton
      label={<span style={{ overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' }}>{name}</span>}
      icon={session.workspace === null ? <Person /> : <Groups />}
      endIcon={<UnfoldMore />}
      color="inherit"
      size="small"
      aria-label={`${name}. ${t.choose}`}
      sx={{ maxWidth: { xs: 180, sm: 240 }, '& .MuiButton-endIcon': { ml: 0.5 } }}
    >
      {[null, ...session.orgs].map((org) => {
        const isChosen = session.workspace?.id === org?.id
        return (
          <MenuEntry
            key={org?.id ?? 0}
            icon={isChosen && <Check />}
            text={org?.name ?? t.own}
            selected={isChosen}
            onClick={() => choose(org)}
            sx={{ whiteSpace: 'normal', overflowWrap: 'anywhere', maxWidth: 360 }}
          />
        )
      })}
      <Divider />
      <MenuEntry icon={<Groups />} text={t.manage} to="/orgs" />
    </MenuButton>
  )
}
