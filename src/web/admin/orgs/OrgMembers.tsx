/** The members of an organization: added, removed, and their roles. */

import { Add } from '@mui/icons-material'
import { useState } from 'react'

import { usePages } from '../../api/pages.ts'
import type { AdminOrganizationDetail } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { ActionButton } from '../../ui/ActionButton.tsx'
import { DialogButton } from '../../ui/DialogButton.tsx'
import { FormDialog } from '../../ui/dialogs.tsx'
import { MEMBERSHIP_REFRESHES, MembershipRow, OrgRoleInput } from '../../ui/org-roles.tsx'
import { Section } from '../../ui/parts.tsx'
import { UserPicker } from '../../ui/pickers.tsx'
import { Rows } from '../../ui/Rows.tsx'
import { SearchField } from '../../ui/SearchField.tsx'
import { useForm } from '../../ui/use-form.tsx'
import { UserLink } from '../../ui/UserLink.tsx'

const words = texts({
  en: {
    search: 'Search members',
    noMember: 'No member has this name.',
    add: 'Add a member',
    addAction: 'Add',
    added: 'The user is now a member and was notified.',
    remove: 'Remove',
    removeOf: (name: string) => `Remove ${name}`,
    removeTitle: (name: string) => `Remove ${name} from the organization?`,
    removeText: 'They lose access to everything of the organization at once and are notified. Its things stay.',
    removed: 'The member is removed.',
    members: 'Members',
  },
  zh: {
    search: '搜索成员',
    noMember: '没有这个名称的成员。',
    add: '添加成员',
    addAction: '添加',
    added: '用户已成为成员，并收到通知。',
    remove: '移除',
    removeOf: (name: string) => `移除${name}`,
    removeTitle: (name: string) => `将${name}移出组织？`,
    removeText: '对方会立即失去对该组织所有内容的访问权限，并收到通知。组织的内容会保留。',
    removed: '成员已移除。',
    members: '成员',
  },
})

export function OrgMembers({ org }: { org: AdminOrganizationDetail }) {
  const t = useTexts(words)
  const may = useMay()
  const [keyword, setKeyword] = useState('')
  const query = usePages('admin.orgs.members', {
    params: { orgId: org.id },
    query: { ...(keyword && { keyword }) },
  })
  return (
    <Section
      title={t.members}
      actions={
        <>
          <SearchField label={t.search} value={keyword} onSearch={setKeyword} />
          {may('admin.orgs.addMember') && (
            <DialogButton label={t.add} icon={<Add />} variant="text">
              {(close) => <AddDialog orgId={org.id} onClose={close} />}
            </DialogButton>
          )}
        </>
      }
    >
      <Rows query={query} empty={t.noMember} label={t.members} keyOf={({ userId }) => userId}>
        {(member) => (
          <MembershipRow
            orgId={org.id}
            userId={member.userId}
            membership={member}
            title={<UserLink id={member.userId} nickname={member.nickname} avatarUrl={member.avatarUrl} />}
            name={member.nickname}
            removal={
              <ActionButton
                operation="admin.orgs.removeMember"
                input={{ params: { orgId: org.id, userId: member.userId } }}
                label={t.remove}
                name={t.removeOf(member.nickname)}
                title={t.removeTitle(member.nickname)}
                text={t.removeText}
                done={t.removed}
                refreshes={MEMBERSHIP_REFRESHES}
              />
            }
          />
        )}
      </Rows>
    </Section>
  )
}

function AddDialog({ orgId, onClose }: { orgId: number; onClose: () => void }) {
  const t = useTexts(words)
  const form = useForm(
    'admin.orgs.addMember',
    { userId: null as number | null, roleId: null as number | null },
    {
      done: t.added,
      refreshes: MEMBERSHIP_REFRESHES,
      input: ({ userId, roleId }) => ({
        params: { orgId },
        body: { userId: userId!, ...(roleId !== null && { roleId }) },
      }),
      onDone: onClose,
    },
  )
  return (
    <FormDialog form={form} title={t.add} action={t.addAction} onClose={onClose}>
      <UserPicker {...form.pick('userId')} autoFocus />
      <OrgRoleInput {...form.pick('roleId')} orgId={orgId} />
    </FormDialog>
  )
}
