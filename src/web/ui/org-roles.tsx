/** Roles of members of organizations: an input, and a button that changes the role of one member. */

import { useCall } from '../api/hooks.ts'
import { texts, useTexts } from '../i18n/words.ts'
import { useMay } from '../session/session.ts'
import { DialogButton } from './DialogButton.tsx'
import { FormDialog } from './dialogs.tsx'
import { ChoiceField } from './fields.tsx'
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

export interface MemberRoleProps {
  orgId: number
  userId: number
  roleId: number | null
  /** The other side of the membership: the name of the organization on the page of a user, and the reverse. */
  name: string
  refreshes: readonly string[]
}

export function MemberRole(props: MemberRoleProps) {
  const t = useTexts(words)
  const may = useMay()
  if (!may('admin.orgs.changeRole') || !may('access.listRoles')) return null
  return (
    <DialogButton label={t.change} aria-label={t.changeOf(props.name)} variant="text">
      {(close) => <RoleDialog {...props} onClose={close} />}
    </DialogButton>
  )
}

function RoleDialog(props: MemberRoleProps & { onClose: () => void }) {
  const { orgId, userId, roleId, name, refreshes, onClose } = props
  const t = useTexts(words)
  const form = useForm(
    'admin.orgs.changeRole',
    { roleId },
    {
      done: t.saved,
      refreshes,
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
