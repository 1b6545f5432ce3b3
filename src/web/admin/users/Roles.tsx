/** The roles of one user: grant, revoke, and make somebody an administrator. */

import { Add, AdminPanelSettings } from '@mui/icons-material'
import { Alert, Box } from '@mui/material'

import { useCall } from '../../api/hooks.ts'
import { usePages } from '../../api/pages.ts'
import type { UserAdmin, UserRole } from '../../api/types.ts'
import { useEnum } from '../../i18n/enums.ts'
import { date } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay, useSession } from '../../session/session.ts'
import { ActionButton } from '../../ui/ActionButton.tsx'
import { DialogButton } from '../../ui/DialogButton.tsx'
import { FormDialog } from '../../ui/dialogs.tsx'
import { ChoiceField } from '../../ui/fields.tsx'
import { Section } from '../../ui/parts.tsx'
import { Row, Rows } from '../../ui/Rows.tsx'
import { useForm } from '../../ui/use-form.tsx'
import { nameOf, OrgLink } from '../../ui/UserLink.tsx'

const words = texts({
  en: {
    title: 'Roles',
    empty: 'This user has no role.',
    since: (day: string) => `since ${day}`,
    initial: 'First administrator: cannot be revoked',
    yourself: 'You cannot change your own roles. Ask another system administrator.',
    grant: 'Grant a role',
    role: 'Role',
    granted: 'The role is granted and works at once.',
    revoke: 'Revoke',
    revokeOf: (role: string) => `Revoke ${role}`,
    revokeTitle: (role: string) => `Revoke the role “${role}”?`,
    revokeText: 'Everything that only this role allows is refused to the user from the next request on.',
    revoked: 'The role is revoked.',
    promote: 'Make administrator',
    promoteTitle: (name: string) => `Make ${name} an administrator?`,
    promoteText: 'They get the role “User administrator” at once: they can see and change all users and organizations.',
    promoted: 'The user is now an administrator.',
    demote: 'Remove all administrator roles',
    demoteTitle: (name: string) => `Remove all administrator roles of ${name}?`,
    demoteText: 'They can no longer open the administration. Their own things and organizations stay.',
    demoted: 'The user is no longer an administrator.',
  },
  zh: {
    title: '角色',
    empty: '此用户没有角色。',
    since: (day: string) => `${day}授予`,
    initial: '首位管理员，不能撤销',
    yourself: '不能更改自己的角色，请联系其他系统管理员。',
    grant: '授予角色',
    role: '角色',
    granted: '角色已授予，立即生效。',
    revoke: '撤销',
    revokeOf: (role: string) => `撤销${role}`,
    revokeTitle: (role: string) => `撤销角色“${role}”？`,
    revokeText: '从下一个请求起，仅由此角色允许的操作都会被拒绝。',
    revoked: '角色已撤销。',
    promote: '设为管理员',
    promoteTitle: (name: string) => `将${name}设为管理员？`,
    promoteText: '对方立即获得“用户管理员”角色，可以查看和修改所有用户和组织。',
    promoted: '用户已成为管理员。',
    demote: '移除所有管理员角色',
    demoteTitle: (name: string) => `移除${name}的所有管理员角色？`,
    demoteText: '对方将无法打开管理页面。个人内容和组织不受影响。',
    demoted: '用户不再是管理员。',
  },
})

const REFRESHES = ['access', 'admin', 'operationLog']

export function Roles({ user }: { user: UserAdmin }) {
  const t = useTexts(words)
  const domainOf = useEnum('permissionDomain')
  const may = useMay()
  const { user: me } = useSession()
  const query = usePages('access.listUserRoles', { params: { userId: user.id } })
  const isMe = user.id === me.id
  const mayChange = !isMe && user.status === 'ACTIVE'
  return (
    <Section
      title={t.title}
      actions={
        mayChange && (
          <>
            <Promote user={user} />
            {may('access.grantRole') && may('access.listRoles') && (
              <DialogButton label={t.grant} icon={<Add />} variant="text">
                {(close) => <GrantDialog user={user} onClose={close} />}
              </DialogButton>
            )}
          </>
        )
      }
    >
      {isMe && (
        <Alert severity="info" sx={{ mb: 1 }}>
          {t.yourself}
        </Alert>
      )}
      <Rows query={query} empty={t.empty} label={t.title} keyOf={({ roleId }) => roleId}>
        {(role) => (
          <Row
            title={role.name}
            details={
              <>
                {domainOf(role.domain)}
                {role.domain === 'ORG' && role.scopeId > 0 && (
                  <>
                    {' '}
                    <OrgLink id={role.scopeId} />
                  </>
                )}
                {` · ${t.since(date(role.grantedAt))}`}
                {role.isInitial && <Box>{t.initial}</Box>}
              </>
            }
            actions={
              mayChange &&
              isRevocable(role) && (
                <ActionButton
                  operation="access.revokeRole"
                  input={{ params: { userId: user.id, roleId: role.roleId } }}
                  label={t.revoke}
                  name={t.revokeOf(role.name)}
                  title={t.revokeTitle(role.name)}
                  text={t.revokeText}
                  done={t.revoked}
                  refreshes={REFRESHES}
                />
              )
            }
          />
        )}
      </Rows>
    </Section>
  )
}

const isRevocable = ({ isInitial, domain, code }: UserRole): boolean =>
  !isInitial && !(domain === 'ORG' && code === 'OWNER')

function Promote({ user }: { user: UserAdmin }) {
  const t = useTexts(words)
  const params = { userId: user.id }
  if (user.isAdmin)
    return (
      <ActionButton
        key="demote"
        operation="admin.users.changeRole"
        input={{ params, body: { role: 'USER' } }}
        label={t.demote}
        title={t.demoteTitle(nameOf(user))}
        text={t.demoteText}
        done={t.demoted}
        refreshes={REFRESHES}
      />
    )
  return (
    <ActionButton
      key="promote"
      operation="admin.users.changeRole"
      input={{ params, body: { role: 'ADMIN' } }}
      label={t.promote}
      icon={<AdminPanelSettings />}
      color="primary"
      title={t.promoteTitle(nameOf(user))}
      text={t.promoteText}
      done={t.promoted}
      refreshes={REFRESHES}
    />
  )
}

function GrantDialog({ user, onClose }: { user: UserAdmin; onClose: () => void }) {
  const t = useTexts(words)
  const domainOf = useEnum('permissionDomain')
  const roles = useCall('access.listRoles', { query: { scopeId: 0, size: 100 } })
  const form = useForm(
    'access.grantRole',
    { roleId: null as number | null },
    {
      done: t.granted,
      refreshes: REFRESHES,
      input: ({ roleId }) => ({ params: { userId: user.id }, body: { roleId: roleId! } }),
      onDone: onClose,
    },
  )
  // The templates of new organizations grant nothing: members get roles on the page of their organization.
  const choices = roles.data?.items.filter(({ domain }) => domain !== 'ORG') ?? []
  return (
    <FormDialog form={form} title={t.grant} action={t.grant} maxWidth="xs" onClose={onClose}>
      <ChoiceField
        {...form.pick('roleId', { label: t.role })}
        choices={choices.map(({ id, name, domain }) => ({ id, name: `${name} (${domainOf(domain)})` }))}
      />
    </FormDialog>
  )
}
