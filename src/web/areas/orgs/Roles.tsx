/** The roles of an organization. Its owner makes roles for members, changes and deletes them. */

import { Add, Badge, Delete, Edit, MoreVert } from '@mui/icons-material'
import { Button, Chip, Typography } from '@mui/material'
import { useState } from 'react'

import { useCall } from '../../api/hooks.ts'
import type { DataOf, Organization } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { texts, useLocale, useTexts } from '../../i18n/words.ts'
import { Answer, EmptyState } from '../../ui/Answer.tsx'
import { FormDialog } from '../../ui/dialogs.tsx'
import { ChoiceField } from '../../ui/fields.tsx'
import { IconMenu, MenuEntry } from '../../ui/MenuButton.tsx'
import { Section } from '../../ui/parts.tsx'
import { Row, Rows } from '../../ui/Rows.tsx'
import { useForm } from '../../ui/use-form.tsx'
import { pointText } from './role-points.ts'
import { RoleDialog } from './RoleDialog.tsx'

const words = texts({
  en: {
    ...common.en,
    title: 'Roles',
    about:
      'A role says what a member may do here. The owner can make roles of their own, for example for people at the doors, and give them under “Members”.',
    add: 'New role',
    none: 'No roles of your own yet',
    noneText: 'Make a role for people who should do one thing only: admit guests, look after assets, run events.',
    everything: 'May do everything',
    nothing: 'May do nothing yet',
    more: (n: number) => ` and ${n} more`,
    members: (n: number) => (n === 1 ? '1 member' : `${n} members`),
    system: 'Always there',
    byAdministrator: 'Made by an administrator of the server',
    actions: (name: string) => `Actions for the role ${name}`,
    deleteOf: (name: string) => `Delete the role “${name}”?`,
    deleteText: 'Its members get another role at once and are notified. This cannot be undone.',
    replaceWith: 'Role for its members',
    deletedRole: 'The role is deleted.',
  },
  zh: {
    ...common.zh,
    title: '角色',
    about: '角色决定成员在此组织中可以做什么。所有者可以自建角色，例如给门口的检票人员，并在“成员”中分配。',
    add: '新建角色',
    none: '还没有自建角色',
    noneText: '可以为只负责一件事的人新建角色：检票放行、管理资产、组织活动。',
    everything: '拥有全部权限',
    nothing: '还没有任何权限',
    more: (n: number) => `，另有 ${n} 项`,
    members: (n: number) => `${n} 名成员`,
    system: '内置',
    byAdministrator: '由服务器管理员创建',
    actions: (name: string) => `对角色${name}的操作`,
    deleteOf: (name: string) => `删除角色“${name}”？`,
    deleteText: '其成员会立即改为另一角色，并收到通知。此操作无法撤销。',
    replaceWith: '其成员的新角色',
    deletedRole: '角色已删除。',
  },
})

type Role = DataOf<'orgs.roles'>['items'][number]

export default function Roles({ org }: { org: Organization }) {
  const t = useTexts(words)
  const query = useCall('orgs.roles', { params: { orgId: org.id } })
  const [edited, setEdited] = useState<Role | 'new'>()
  const [deleted, setDeleted] = useState<Role>()
  const mayMake = org.isOwner && org.permissions.includes('member:assign_role')
  const add = mayMake && (
    <Button variant="contained" startIcon={<Add />} onClick={() => setEdited('new')} data-create>
      {t.add}
    </Button>
  )
  return (
    <Section title={t.title} text={t.about} actions={add}>
      <Answer query={query}>
        {({ items }) => (
          <>
            <Rows query={wholeList(items)} label={t.title} empty={t.none} keyOf={({ id }) => id}>
              {(role) => (
                <RoleRow
                  role={role}
                  isByAdministrator={org.isOwner && !role.isSystem && !role.canEdit && org.status === 'ACTIVE'}
                  onEdit={() => setEdited(role)}
                  onDelete={() => setDeleted(role)}
                />
              )}
            </Rows>
            {mayMake && items.every(({ isSystem }) => isSystem) && (
              <EmptyState icon={Badge} title={t.none} text={t.noneText} />
            )}
            {edited !== undefined && (
              <RoleDialog org={org} {...(edited !== 'new' && { role: edited })} onClose={() => setEdited(undefined)} />
            )}
            {deleted !== undefined && (
              <DeleteRole org={org} role={deleted} roles={items} onClose={() => setDeleted(undefined)} />
            )}
          </>
        )}
      </Answer>
    </Section>
  )
}

/** A list that has no pages. */
const wholeList = <T,>(items: readonly T[]) => ({
  items,
  total: items.length,
  error: null,
  isLoading: false,
  more: () => undefined,
  retry: () => undefined,
})

/** Points that a row names. */
const NAMED = 3

interface RowProps {
  role: Role
  isByAdministrator: boolean
  onEdit: () => void
  onDelete: () => void
}

function RoleRow({ role, isByAdministrator, onEdit, onDelete }: RowProps) {
  const t = useTexts(words)
  const locale = useLocale()
  const active = role.permissions.filter((point) => point.active)
  const named = active.slice(0, NAMED).map(({ name }) => pointText(name, locale))
  const rest = active.length - named.length
  const rights =
    role.code === 'OWNER'
      ? t.everything
      : active.length === 0
        ? t.nothing
        : `${named.join(' · ')}${rest > 0 ? t.more(rest) : ''}`
  const origin = role.isSystem ? t.system : isByAdministrator ? t.byAdministrator : undefined
  return (
    <Row
      title={
        <>
          <Typography component="span" sx={{ fontWeight: 600 }}>
            {role.name}
          </Typography>{' '}
          {origin !== undefined && <Chip size="small" label={origin} sx={{ ml: 0.5 }} />}
        </>
      }
      details={
        <>
          {role.description !== '' && <div>{role.description}</div>}
          {t.members(role.memberCount)} · {rights}
        </>
      }
      actions={
        role.canEdit && (
          <IconMenu label={t.actions(role.name)} icon={<MoreVert />} sx={{ width: 44, height: 44 }}>
            <MenuEntry icon={<Edit />} text={t.edit} onClick={onEdit} />
            <MenuEntry icon={<Delete />} text={t.delete} onClick={onDelete} isDestructive />
          </IconMenu>
        )
      }
    />
  )
}

interface DeleteProps {
  org: Organization
  role: Role
  roles: readonly Role[]
  onClose: () => void
}

function DeleteRole({ org, role, roles, onClose }: DeleteProps) {
  const t = useTexts(words)
  const others = roles.filter(({ id, canAssign }) => canAssign && id !== role.id)
  const form = useForm(
    'orgs.deleteRole',
    { replaceWith: others.find(({ code }) => code === 'MEMBER')?.id ?? null },
    {
      input: ({ replaceWith }) => ({
        params: { orgId: org.id, roleId: role.id },
        query: { ...(replaceWith !== null && { replaceWith }) },
      }),
      done: t.deletedRole,
      onDone: onClose,
    },
  )
  return (
    <FormDialog
      form={form}
      title={t.deleteOf(role.name)}
      action={t.delete}
      color="error"
      maxWidth="xs"
      onClose={onClose}
    >
      <Typography>{t.deleteText}</Typography>
      {role.memberCount > 0 && (
        <ChoiceField {...form.pick('replaceWith', { label: t.replaceWith })} required choices={others} />
      )}
    </FormDialog>
  )
}
