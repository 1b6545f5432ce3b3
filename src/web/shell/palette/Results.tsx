/** The entries of the command palette in their groups: the list that belongs to its field. */

/* oxlint-disable jsx-a11y/prefer-tag-over-role -- the list of a combobox, which `<select>` is not */

import { Box, Typography } from '@mui/material'
import { useEffect, useRef } from 'react'

import { things } from '../../i18n/things.ts'
import { textsOf, useTexts } from '../../i18n/words.ts'
import type { Entry, Group } from './entry.ts'

const groupWords = textsOf<Group>({
  best: { en: 'Best match', zh: '最佳匹配' },
  recent: { en: 'Opened recently', zh: '最近打开' },
  actions: { en: 'Actions', zh: '操作' },
  pages: { en: 'Pages', zh: '页面' },
  codes: things.qrCode.many,
  assets: things.asset.many,
  activities: things.activity.many,
  people: { en: 'People', zh: '联系人和成员' },
  chats: things.chat.many,
  orgs: things.organization.many,
  users: { en: 'Users of the server', zh: '全部用户' },
  allOrgs: { en: 'Organizations of the server', zh: '全部组织' },
  settings: things.setting.many,
  numbers: { en: 'By number', zh: '按编号' },
})

export interface ResultsProps {
  entries: readonly Entry[]
  /** Id of the entry that Enter opens. */
  active: string | undefined
  label: string
  onMove: (id: string) => void
  onOpen: (entry: Entry, way?: 'here' | 'tab' | 'second') => void
}

export function Results({ entries, active, label, onMove, onOpen }: ResultsProps) {
  const t = useTexts(groupWords)
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [active])
  const groups = [...new Set(entries.map(({ group }) => group))]
  return (
    <Box
      ref={list}
      id="palette-results"
      role="listbox"
      aria-label={label}
      // The focus stays in the field.
      onMouseDown={(event) => event.preventDefault()}
      sx={{
        overflowY: 'auto',
        overscrollBehavior: 'contain',
        flex: entries.length === 0 ? 'none' : '1 1 auto',
        minHeight: 0,
        p: entries.length && 0.5,
      }}
    >
      {groups.map((group) => (
        <Box key={group} role="group" aria-labelledby={`palette-${group}`}>
          <Typography
            id={`palette-${group}`}
            role="presentation"
            variant="body2"
            color="text.secondary"
            sx={{ px: 1.5, pt: 1, pb: 0.5, fontWeight: 600 }}
          >
            {t[group]}
          </Typography>
          {entries
            .filter((entry) => entry.group === group)
            .map((entry) => (
              <Option
                key={entry.id}
                entry={entry}
                isActive={entry.id === active}
                onMove={() => onMove(entry.id)}
                onOpen={(way) => onOpen(entry, way)}
              />
            ))}
        </Box>
      ))}
    </Box>
  )
}

interface OptionProps {
  entry: Entry
  isActive: boolean
  onMove: () => void
  onOpen: (way: 'here' | 'tab' | 'second') => void
}

function Option({ entry: { id, icon: Icon, label, hint, second }, isActive, onMove, onOpen }: OptionProps) {
  return (
    <Box
      id={id}
      role="option"
      aria-selected={isActive}
      // Not when the list moves below a pointer that rests.
      onMouseMove={() => !isActive && onMove()}
      onClick={(event) => onOpen(event.ctrlKey || event.metaKey ? 'tab' : 'here')}
      sx={{
        display: 'flex',
        alignItems: 'center',
        gap: 1.5,
        px: 1.5,
        minHeight: { xs: 48, sm: 40 },
        borderRadius: 1,
        cursor: 'pointer',
        bgcolor: isActive ? 'action.hover' : undefined,
        outline: isActive ? '2px solid' : undefined,
        outlineColor: 'primary.main',
        outlineOffset: '-2px',
      }}
    >
      <Icon fontSize="small" color="action" />
      <Typography noWrap sx={{ flexShrink: 0, maxWidth: '70%' }}>
        {label}
      </Typography>
      <Typography noWrap variant="body2" color="text.secondary" sx={{ flex: 1, minWidth: 0 }}>
        {hint}
      </Typography>
      {second !== undefined && (
        // For pointers and touch. At a keyboard it is Shift Enter; an option may contain nothing that has the focus.
        <Typography
          component="span"
          variant="body2"
          color="primary"
          aria-hidden="true"
          onClick={(event) => {
            event.stopPropagation()
            onOpen('second')
          }}
          sx={{
            flexShrink: 0,
            fontWeight: 600,
            px: 1,
            py: { xs: 1.5, sm: 1 },
            '&:hover': { textDecoration: 'underline' },
          }}
        >
          {second.label}
        </Typography>
      )}
    </Box>
  )
}
