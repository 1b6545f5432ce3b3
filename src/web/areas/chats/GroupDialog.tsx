/** A new group, of contacts or of members of an organization. */

import { TextField } from '@mui/material'
import { useNavigate } from 'react-router'

import { texts, useTexts } from '../../i18n/words.ts'
import { useSession } from '../../session/session.ts'
import { FormDialog } from '../../ui/dialogs.tsx'
import { CheckField, ChoiceField } from '../../ui/fields.tsx'
import { useForm } from '../../ui/use-form.tsx'
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
  const mayFollow = (orgId: number) => orgs.find(({ id }) => id === orgId)?.permissions.includes('org:update') ?? false
  const form = useForm(
    'groups.create',
    // Of no organization: contacts.
    { name: '', orgId: workspace?.id ?? 0, followsOrg: false, userIds: [] as readonly number[] },
    {
      input: ({ name, orgId, followsOrg, userIds }) => ({
        body: {
          name,
          ...(orgId !== 0 && { orgId }),
          ...(followsOrg && mayFollow(orgId) ? { followsOrg } : { userIds: [...userIds] }),
        },
      }),
      done: t.done,
      refreshes: ['conversations'],
      onDone({ id }) {
        onClose()
        void navigate(`/chats/${id}`)
      },
    },
  )
  const { orgId, followsOrg, userIds } = form.values
  return (
    <FormDialog form={form} title={t.title} action={t.action} onClose={onClose}>
      <TextField {...form.text('name', { label: t.name })} autoFocus />
      {orgs.length > 0 && (
        <ChoiceField
          {...form.number('orgId', { label: t.from })}
          onChange={(next) => form.set({ orgId: next!, userIds: [] })}
          choices={[{ id: 0, name: t.contacts }, ...orgs]}
        />
      )}
      {mayFollow(orgId) && <CheckField {...form.check('followsOrg', { label: t.follows })} />}
      {!(followsOrg && mayFollow(orgId)) && (
        <People
          key={orgId}
          orgId={orgId === 0 ? null : orgId}
          chosen={userIds}
          error={form.problem('userIds')}
          onChange={(next) => form.set({ userIds: next })}
        />
      )}
    </FormDialog>
  )
}
