/** Roles of members of organizations: an input, and for administrators a membership with a button that changes its role. */

import type { ReactNode } from 'react'

import { useCall } from '../api/hooks.ts'
import { date } from '../i18n/format.ts'
import { texts, useTexts } from '../i18n/words.ts'
import { useMay } from '../session/session.ts'
import { DialogButton } from './DialogButton.tsx'
import { FormDialog } from './dialogs.tsx'
import { ChoiceField } from './fields.tsx'
import { Row } from './Rows.tsx'
import { useForm } from './use-form.tsx'

const words = texts({
  en: {
    role: 'Role',
    byDefault: 'Member',
    change: 'Role',
    changeOf: (name: string) => `Change the role: ${name}`,
    title: (name: string) => `Role: ${name}`,
    save: 'Save',
    saved: 'The role is changed.',
    owner: 'Owner',
    noRole: 'No role',
    since: (day: string) => `member since ${day}`,
  },
  zh: {
    role: '角色',
    byDefault: '成员',
    change: '角色',
    changeOf: (name: string) => `更改角色：${name}`,
    title: (name: string) => `角色：${name}`,
    save: '保存',
    saved: '角色已更改。',
    owner: '所有者',
    noRole: '无角色',
    since: (day: string) => `${day}加入`,
  },
})

export interface OrgRoleInputProps {
  orgId: number
  /** Null: the role of new members. */
  value: number | null
  onChange: (roleId: number) => void
  error?: string | undefined
}

/** The roles of an organization, without that of its owner. Not shown to administrators who may not list roles. */
export function OrgRoleInput({ orgId, value, onChange, error }: OrgRoleInputProps) {
  const t = useTexts(words)
  const may = useMay()
  const roles = useCall(
    'access.listRoles',
    { query: { domain: 'ORG', scopeId: orgId, size: 100 } },
    { enabled: may('access.listRoles') },
  )
  if (!may('access.listRoles')) return null
  const choices = roles.data?.items.filter(({ code }) => code !== 'OWNER') ?? []
  const chosen = value ?? choices.find(({ code }) => code === 'MEMBER')?.id
  return (
    <ChoiceField
      label={t.role}
      value={choices.find(({ id }) => id === chosen)?.id ?? null}
      onChange={(id) => id !== null && onChange(id)}
      choices={choices}
      error={error}
    />
  )
}

/** First words of the operations whose answers change with the members of an organization. */
export const MEMBERSHIP_REFRESHES = ['admin', 'operationLog', 'access']

export interface MembershipRowProps {
  orgId: number
  userId: number
  membership: { roleId: number | null; roleName: string; isOwner: boolean; joinedAt: number }
  /** The other side of the membership: the organization on the page of a user, and the reverse. */
  title: ReactNode
  name: string
  /** The button that ends the membership. */
  removal: ReactNode
}

export function MembershipRow({ membership, title, removal, ...props }: MembershipRowProps) {
  const t = useTexts(words)
  const may = useMay()
  const { roleId, roleName, isOwner, joinedAt } = membership
  return (
    <Row
      title={title}
      details={`${isOwner ? t.owner : roleName || t.noRole} · ${t.since(date(joinedAt))}`}
      actions={
        !isOwner && (
          <>
            {may('admin.orgs.changeRole') && may('access.listRoles') && (
              <DialogButton label={t.change} aria-label={t.changeOf(props.name)} variant="text">
                {(close) => <RoleDialog {...props} roleId={roleId} onClose={close} />}
              </DialogButton>
            )}
            {removal}
          </>
        )
      }
    />
  )
}

interface RoleDialogProps extends Pick<MembershipRowProps, 'orgId' | 'userId' | 'name'> {
  roleId: number | null
  onClose: () => void
}

function RoleDialog({ orgId, userId, roleId, name, onClose }: RoleDialogProps) {
  const t = useTexts(words)
  const form = useForm(
    'admin.orgs.changeRole',
    { roleId },
    {
      done: t.saved,
      refreshes: MEMBERSHIP_REFRESHES,
      onDone: onClose,
      input: (values) => ({ params: { orgId, userId }, body: { roleId: values.roleId ?? 0 } }),
    },
  )
  return (
    <FormDialog
      form={form}
      title={t.title(name)}
      action={t.save}
      isDisabled={form.values.roleId === null}
      onClose={onClose}
      maxWidth="xs"
    >
      <OrgRoleInput orgId={orgId} {...form.pick('roleId')} />
    </FormDialog>
  )
}
