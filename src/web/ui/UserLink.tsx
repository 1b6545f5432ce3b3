/** Users and organizations as administrators see them: picture and name, linked to their page if the reader may open it. */

import { Box, Link as MuiLink, Stack, Typography } from '@mui/material'
import type { SyntheticEvent } from 'react'
import { Link } from 'react-router'

import { texts, useTexts } from '../i18n/words.ts'
import { useMay } from '../session/session.ts'
import { Portrait } from './Portrait.tsx'

const words = texts({
  en: { deleted: 'Deleted account', user: (id: number) => `User ${id}`, org: (id: number) => `Organization ${id}` },
  zh: { deleted: '已注销的账号', user: (id: number) => `用户 ${id}`, org: (id: number) => `组织 ${id}` },
})

/** The name that a user is shown with. */
export const nameOf = ({ nickname, username, id }: { nickname: string; username: string | null; id: number }): string =>
  nickname || username || String(id)

export interface UserLinkProps {
  /** Null: the account was deleted. */
  id: number | null | undefined
  nickname?: string | null
  username?: string | null
  /** Undefined: the row has no picture, and none is drawn. */
  avatarUrl?: string | null
  /** False: only the name, for the column that is linked already. */
  linked?: boolean
}

/** Nickname, and below it the username. */
export function UserLink({ id, nickname, username, avatarUrl, linked = true }: UserLinkProps) {
  const t = useTexts(words)
  const may = useMay()
  if (id === null || id === undefined) return <Typography color="text.secondary">{t.deleted}</Typography>
  const name = nickname || username || t.user(id)
  return (
    <Entry
      to={linked && may('admin.users.get') ? `/admin/users/${id}/show` : undefined}
      name={name}
      below={username && username !== name ? username : undefined}
      avatarUrl={avatarUrl}
    />
  )
}

export interface OrgLinkProps {
  id: number | null | undefined
  name?: string | null
  avatarUrl?: string | null
  linked?: boolean
}

export function OrgLink({ id, name, avatarUrl, linked = true }: OrgLinkProps) {
  const t = useTexts(words)
  const may = useMay()
  if (id === null || id === undefined) return null
  return (
    <Entry
      to={linked && may('admin.orgs.get') ? `/admin/orgs/${id}/show` : undefined}
      name={name || t.org(id)}
      below={undefined}
      avatarUrl={avatarUrl}
    />
  )
}

/** A Chinese name in a narrow cell would have one character a line. */
const SHORT = { whiteSpace: 'nowrap', minWidth: 0 } as const

interface EntryProps {
  to: string | undefined
  name: string
  below: string | undefined
  avatarUrl: string | null | undefined
}

/** Rows of tables open a page of their own: the link must not also do that. */
const stop = (event: SyntheticEvent) => event.stopPropagation()

function Entry({ to, name, below, avatarUrl }: EntryProps) {
  return (
    <Stack
      component="span"
      direction="row"
      spacing={1}
      sx={{ alignItems: 'center', minWidth: 0, display: 'inline-flex' }}
    >
      {avatarUrl !== undefined && <Portrait name={name} url={avatarUrl} size={28} />}
      <Box
        component="span"
        sx={{ overflowWrap: 'anywhere', textAlign: 'start', ...(name.length <= 16 ? SHORT : { minWidth: 130 }) }}
      >
        {to === undefined ? (
          <span>{name}</span>
        ) : (
          <MuiLink component={Link} to={to} onClick={stop}>
            {name}
          </MuiLink>
        )}
        {below !== undefined && (
          <Typography component="span" variant="caption" color="text.secondary" sx={{ display: 'block' }}>
            {below}
          </Typography>
        )}
      </Box>
    </Stack>
  )
}
