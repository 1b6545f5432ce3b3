/** Roles of members of organizations: an input, and a button that changes the role of one member. */

import { Button, MenuItem, TextField } from '@mui/material'
import { useState } from 'react'

import { useAction, useCall } from '../api/hooks.ts'
import { texts, useTexts } from '../i18n/words.ts'
import { useMay } from '../session/session.ts'
import { FormDialog } from './dialogs.tsx'

const words = texts({
  en: {
    role: 'Role',
    byDefault: 'Member',
    change: 'Role',
    changeOf: (name: string) => `Change the role: ${name}`,
    title: (name: string) => `Role: ${name}`,
    save: 'Save',
    saved: 'The role is changed.',
  },
  zh: {
    role: '角色',
    byDefault: '成员',
    change: '角色',
    changeOf: (name: string) => `更改角色：${name}`,
    title: (name: string) => `角色：${name}`,
    save: '保存',
    saved: '角色已更改。',
  },
})

export interface OrgRoleInputProps {
  orgId: number
  /** Null: the role of new members. */
  value: number | null
  onChange: (roleId: number) => void
}

/** The roles of an organization, without that of its owner. Not shown to administrators who may not list roles. */
export function OrgRoleInput({ orgId, value, onChange }: OrgRoleInputProps) {
  const t = useTexts(words)
  const may = useMay()
  const roles = useCall(
    'access.listRoles',
    { query: { domain: 'ORG', scopeId: orgId, size: 100 } },
    { enabled: may('access.listRoles') },
  )
  if (!may('access.listRoles')) return null
  const choices = roles.data?.items.filter(({ code }) => code !== 'OWNER') ?? []
  const chosen = value ?? choices.find(({ code }) => code === 'MEMBER')?.id ?? ''
  return (
    <TextField
      select
      label={t.role}
      value={choices.some(({ id }) => id === chosen) ? chosen : ''}
      onChange={({ target }) => onChange(Number(target.value))}
    >
      {choices.map(({ id, name }) => (
        <MenuItem key={id} value={id}>
          {name}
        </MenuItem>
      ))}
    </TextField>
  )
}

export interface MemberRoleProps {
  orgId: number
  userId: number
  roleId: number | null
  /** The other side of the membership: the name of the organization on the page of a user, and the reverse. */
  name: string
  refreshes: readonly string[]
}

export function MemberRole({ orgId, userId, roleId, name, refreshes }: MemberRoleProps) {
  const t = useTexts(words)
  const may = useMay()
  const [isOpen, setOpen] = useState(false)
  const [chosen, setChosen] = useState(roleId)
  const change = useAction('admin.orgs.changeRole', {
    done: t.saved,
    quiet: true,
    refreshes,
    onDone: () => setOpen(false),
  })
  if (!may('admin.orgs.changeRole') || !may('access.listRoles')) return null
  return (
    <>
      <Button
        aria-label={t.changeOf(name)}
        onClick={() => {
          change.reset()
          setChosen(roleId)
          setOpen(true)
        }}
      >
        {t.change}
      </Button>
      <FormDialog
        isOpen={isOpen}
        title={t.title(name)}
        action={t.save}
        maxWidth="xs"
        isBusy={change.isPending}
        error={change.error}
        onSubmit={() => {
          if (chosen !== null) change.mutate({ params: { orgId, userId }, body: { roleId: chosen } })
        }}
        onClose={() => setOpen(false)}
      >
        <OrgRoleInput orgId={orgId} value={chosen} onChange={setChosen} />
      </FormDialog>
    </>
  )
}
