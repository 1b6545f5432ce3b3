/** The organizations of one user: add, remove, and change the role. */

import { Add } from '@mui/icons-material'

import { usePages } from '../../api/pages.ts'
import type { UserAdmin } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { ActionButton } from '../../ui/ActionButton.tsx'
import { DialogButton } from '../../ui/DialogButton.tsx'
import { FormDialog } from '../../ui/dialogs.tsx'
import { MEMBERSHIP_REFRESHES, MembershipRow, OrgRoleInput } from '../../ui/org-roles.tsx'
import { Section } from '../../ui/parts.tsx'
import { OrgPicker } from '../../ui/pickers.tsx'
import { Rows } from '../../ui/Rows.tsx'
import { useForm } from '../../ui/use-form.tsx'
import { OrgLink } from '../../ui/UserLink.tsx'

const words = texts({
  en: {
    title: 'Organizations',
    empty: 'This user is not a member of any organization.',
    add: 'Add to an organization',
    join: 'Add',
    added: 'The user is now a member and was notified.',
    remove: 'Remove',
    removeOf: (org: string) => `Remove from ${org}`,
    removeTitle: (org: string) => `Remove this user from “${org}”?`,
    removeText:
      'The user loses access to everything of the organization at once and is notified. Things that belong to the organization stay.',
    removed: 'The user is no longer a member.',
  },
  zh: {
    title: '组织',
    empty: '此用户不属于任何组织。',
    add: '添加到组织',
    join: '添加',
    added: '用户已成为成员，并收到通知。',
    remove: '移除',
    removeOf: (org: string) => `从${org}移除`,
    removeTitle: (org: string) => `将此用户从“${org}”移除？`,
    removeText: '用户会立即失去对该组织所有内容的访问权限，并收到通知。属于组织的内容会保留。',
    removed: '用户不再是成员。',
  },
})

export function Memberships({ user }: { user: UserAdmin }) {
  const t = useTexts(words)
  const may = useMay()
  const query = usePages('admin.users.memberships', { params: { userId: user.id } })
  return (
    <Section
      title={t.title}
      actions={
        user.status === 'ACTIVE' &&
        may('admin.users.join') && (
          <DialogButton label={t.add} icon={<Add />} variant="text">
            {(close) => <JoinDialog userId={user.id} onClose={close} />}
          </DialogButton>
        )
      }
    >
      <Rows query={query} empty={t.empty} label={t.title} keyOf={({ orgId }) => orgId}>
        {(membership) => (
          <MembershipRow
            orgId={membership.orgId}
            userId={user.id}
            membership={membership}
            title={<OrgLink id={membership.orgId} name={membership.orgName} />}
            name={membership.orgName}
            removal={
              <ActionButton
                operation="admin.users.leave"
                input={{ params: { userId: user.id, orgId: membership.orgId } }}
                label={t.remove}
                name={t.removeOf(membership.orgName)}
                title={t.removeTitle(membership.orgName)}
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

function JoinDialog({ userId, onClose }: { userId: number; onClose: () => void }) {
  const t = useTexts(words)
  const form = useForm(
    'admin.users.join',
    { orgId: null as number | null, roleId: null as number | null },
    {
      done: t.added,
      refreshes: MEMBERSHIP_REFRESHES,
      input: ({ orgId, roleId }) => ({
        params: { userId, orgId: orgId! },
        body: roleId === null ? undefined : { roleId },
      }),
      onDone: onClose,
    },
  )
  const { orgId } = form.values
  return (
    <FormDialog form={form} title={t.add} action={t.join} onClose={onClose}>
      <OrgPicker value={orgId} onChange={(id) => form.set({ orgId: id, roleId: null })} required autoFocus />
      {orgId !== null && <OrgRoleInput {...form.pick('roleId')} orgId={orgId} />}
    </FormDialog>
  )
}
