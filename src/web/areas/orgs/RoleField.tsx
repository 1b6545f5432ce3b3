/** A choice among the roles of an organization that the user may give. */

import { useCall } from '../../api/hooks.ts'
import type { Organization } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { ChoiceField, type ChoiceFieldProps } from '../../ui/fields.tsx'

const words = texts({
  en: { role: 'Role', member: 'Member (as usual)' },
  zh: { role: '角色', member: '成员（默认）' },
})

/** Whether the user may give roles, and see which there are. */
export function useMayGiveRoles(org: Organization): boolean {
  const may = useMay()
  return may('orgs.roles', org) && org.permissions.includes('member:assign_role')
}

interface RoleFieldProps extends Omit<ChoiceFieldProps<number | null>, 'choices' | 'label' | 'none'> {
  org: Organization
  /** Of a new member: null is MEMBER, which is not listed itself. */
  isNewMember?: boolean
}

export function RoleField({ org, isNewMember = false, ...field }: RoleFieldProps) {
  const t = useTexts(words)
  const roles = useCall('orgs.roles', { params: { orgId: org.id } })
  const choices =
    roles.data?.items.filter(({ canAssign, code }) => canAssign && !(isNewMember && code === 'MEMBER')) ?? []
  return (
    <ChoiceField
      {...field}
      label={t.role}
      value={choices.some(({ id }) => id === field.value) ? field.value : null}
      choices={choices}
      none={isNewMember ? t.member : undefined}
    />
  )
}
