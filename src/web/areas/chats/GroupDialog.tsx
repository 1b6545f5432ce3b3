/** A new group, of contacts or of members of an organization. */

import { FormControlLabel, MenuItem, Switch, TextField } from '@mui/material'
import { useState } from 'react'
import { useNavigate } from 'react-router'

import { useAction } from '../../api/hooks.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useSession } from '../../session/session.ts'
import { FormDialog } from '../../ui/dialogs.tsx'
import { People } from './PeopleDialog.tsx'

const words = texts({
  en: {
    title: 'New group',
    name: 'Name of the group',
    from: 'Members are chosen from',
    contacts: 'My contacts',
    follows: 'All members of the organization, also those who join later',
    action: 'Create group',
    done: 'Group created.',
  },
  zh: {
    title: '新建群聊',
    name: '群名称',
    from: '成员来自',
    contacts: '我的联系人',
    follows: '组织的全部成员，包括以后加入的成员',
    action: '新建群聊',
    done: '群聊已新建。',
  },
})

export function GroupDialog({ onClose }: { onClose: () => void }) {
  const t = useTexts(words)
  const navigate = useNavigate()
  const { orgs, workspace } = useSession()
  const [name, setName] = useState('')
  const [orgId, setOrgId] = useState<number | null>(workspace?.id ?? null)
  const [isFollowing, setFollowing] = useState(false)
  const [chosen, setChosen] = useState<readonly number[]>([])
  const org = orgs.find(({ id }) => id === orgId)
  const mayFollow = org?.permissions.includes('org:update') ?? false
  const followsOrg = mayFollow && isFollowing
  const create = useAction('groups.create', {
    done: t.done,
    refreshes: ['conversations'],
    quiet: true,
    onDone: ({ id }) => {
      onClose()
      void navigate(`/chats/${id}`)
    },
  })
  const submit = () =>
    create.mutate({
      body: {
        name: name.trim(),
        ...(orgId !== null && { orgId }),
        ...(followsOrg ? { followsOrg } : { userIds: [...chosen] }),
      },
    })
  return (
    <FormDialog
      isOpen
      title={t.title}
      action={t.action}
      isBusy={create.isPending}
      error={create.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label={t.name}
        value={name}
        onChange={({ target }) => setName(target.value)}
        error={create.error?.problem('name') !== undefined}
        helperText={create.error?.problem('name')}
        required
        autoFocus
      />
      {orgs.length > 0 && (
        <TextField
          select
          label={t.from}
          value={orgId ?? 0}
          onChange={({ target }) => {
            setOrgId(Number(target.value) || null)
            setChosen([])
          }}
        >
          <MenuItem value={0}>{t.contacts}</MenuItem>
          {orgs.map(({ id, name: orgName }) => (
            <MenuItem key={id} value={id}>
              {orgName}
            </MenuItem>
          ))}
        </TextField>
      )}
      {mayFollow && (
        <FormControlLabel
          control={<Switch checked={isFollowing} onChange={(_, next) => setFollowing(next)} />}
          label={t.follows}
        />
      )}
      {!followsOrg && (
        <People chosen={chosen} isSingle={false} orgId={orgId} without={[]} onChange={setChosen} key={orgId} />
      )}
    </FormDialog>
  )
}
