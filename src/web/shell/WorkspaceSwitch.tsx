/** Chooses whose things are shown: the user's own, or those of an organization. */

import { Check, Groups, Person, UnfoldMore } from '@mui/icons-material'
import { Button, Divider, ListItemIcon, ListItemText, Menu, MenuItem } from '@mui/material'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation, useNavigate } from 'react-router'

import type { Organization } from '../api/types.ts'
import { texts, useTexts } from '../i18n/words.ts'
import { chooseWorkspace, useOptionalSession } from '../session/session.ts'
import { isAdminPath } from './navigation.ts'

const words = texts({
  en: { own: 'Personal', choose: 'Choose whose things are shown', manage: 'All organizations' },
  zh: { own: '个人', choose: '选择显示谁的内容', manage: '所有组织' },
})

export function WorkspaceSwitch() {
  const t = useTexts(words)
  const session = useOptionalSession()
  const client = useQueryClient()
  const navigate = useNavigate()
  const { pathname } = useLocation()
  const [anchor, setAnchor] = useState<HTMLElement | null>(null)
  if (session === undefined || isAdminPath(pathname)) return null

  const choose = (org: Organization | null) => {
    setAnchor(null)
    if (org?.id === session.workspace?.id) return
    chooseWorkspace(org)
    client.removeQueries()
    // A page of a single thing has nothing to show in another workspace.
    void navigate(`/${pathname.split('/')[1] ?? ''}`)
  }
  const name = session.workspace?.name ?? t.own
  return (
    <>
      <Button
        color="inherit"
        size="small"
        startIcon={session.workspace === null ? <Person /> : <Groups />}
        endIcon={<UnfoldMore />}
        onClick={(event) => setAnchor(event.currentTarget)}
        aria-haspopup="menu"
        aria-label={`${name}. ${t.choose}`}
        sx={{ maxWidth: { xs: 180, sm: 240 }, '& .MuiButton-endIcon': { ml: 0.5 } }}
      >
        <span style={{ overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' }}>{name}</span>
      </Button>
      <Menu anchorEl={anchor} open={anchor !== null} onClose={() => setAnchor(null)}>
        <Choice label={t.own} isChosen={session.workspace === null} onClick={() => choose(null)} />
        {session.orgs.map((org) => (
          <Choice
            key={org.id}
            label={org.name}
            isChosen={session.workspace?.id === org.id}
            onClick={() => choose(org)}
          />
        ))}
        <Divider />
        <MenuItem component={Link} to="/orgs" onClick={() => setAnchor(null)}>
          <ListItemIcon>
            <Groups fontSize="small" />
          </ListItemIcon>
          <ListItemText>{t.manage}</ListItemText>
        </MenuItem>
      </Menu>
    </>
  )
}

const Choice = ({ label, isChosen, onClick }: { label: string; isChosen: boolean; onClick: () => void }) => (
  <MenuItem
    selected={isChosen}
    onClick={onClick}
    sx={{ whiteSpace: 'normal', overflowWrap: 'anywhere', maxWidth: 360 }}
  >
    <ListItemIcon>{isChosen && <Check fontSize="small" />}</ListItemIcon>
    <ListItemText>{label}</ListItemText>
  </MenuItem>
)
