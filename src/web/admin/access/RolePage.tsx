/** The page of a role: its name and permissions, granting it to a user, deleting it, and its history. */

import { Delete, PersonAdd, Save } from '@mui/icons-material'
import { Alert, Box, Button, Checkbox, Chip, FormControlLabel, TextField, Typography } from '@mui/material'
import { useState } from 'react'
import { useNavigate, useParams } from 'react-router'

import { useAll } from '../../api/pages.ts'
import type { Permission, Role } from '../../api/types.ts'
import { useEnum } from '../../i18n/enums.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay, useSession } from '../../session/session.ts'
import { ActionButton } from '../../ui/ActionButton.tsx'
import { Answer, EmptyState, ErrorNotice, Loading } from '../../ui/Answer.tsx'
import { DialogButton } from '../../ui/DialogButton.tsx'
import { FormDialog } from '../../ui/dialogs.tsx'
import { History } from '../../ui/History.tsx'
import { Section } from '../../ui/parts.tsx'
import { UserPicker } from '../../ui/pickers.tsx'
import { usePointGroups } from '../../ui/point-words.ts'
import { TabbedPage } from '../../ui/TabbedPage.tsx'
import { useForm } from '../../ui/use-form.tsx'
import { OrgLink } from '../../ui/UserLink.tsx'
import { accessWords, useActionWord, useAllPoints, useDescription } from './points.ts'

const words = texts({
  en: {
    permissions: 'Permissions',
    history: 'History',
    missing: 'There is no such role',
    missingText: 'The role may have been deleted.',
    save: 'Save',
    saved: 'The role is saved and works at once.',
    template: 'A template: changes apply only to organizations that are created later.',
    heldByMe: 'You have this role yourself, so you cannot change its permissions. Ask another system administrator.',
    all: (resource: string) => `All: ${resource}`,
    search: 'Search permissions',
    delete: 'Delete role',
    deleteTitle: (name: string) => `Delete the role “${name}”?`,
    deleteText: 'Everyone who has the role loses it at once. This cannot be undone.',
    deleted: 'The role is deleted.',
    grant: 'Grant to a user',
    granted: 'The role is granted and works at once.',
  },
  zh: {
    permissions: '权限',
    history: '历史记录',
    missing: '没有这个角色',
    missingText: '此角色可能已被删除。',
    save: '保存',
    saved: '角色已保存，立即生效。',
    template: '模板：更改只影响以后创建的组织。',
    heldByMe: '你拥有此角色，因此不能更改它的权限，请联系其他系统管理员。',
    all: (resource: string) => `全选：${resource}`,
    search: '搜索权限',
    delete: '删除角色',
    deleteTitle: (name: string) => `删除角色“${name}”？`,
    deleteText: '拥有此角色的所有人会立即失去它。此操作无法撤销。',
    deleted: '角色已删除。',
    grant: '授予用户',
    granted: '角色已授予，立即生效。',
  },
})

/** The interface has no operation for a single role: the list of all contains it. */
export default function RolePage() {
  const t = useTexts(words)
  const id = Number(useParams().id)
  const query = useAll('access.listRoles', { query: { scopeId: 0 } })
  const isListed = query.data?.some((one) => one.id === id)
  const others = useAll('access.listRoles', {}, { enabled: isListed === false })
  return (
    <Answer query={query}>
      {(items) => {
        const role = items.find((one) => one.id === id) ?? others.data?.find((one) => one.id === id)
        if (role !== undefined) return <Shown key={role.updatedAt} role={role} />
        return others.isPending ? <Loading /> : <EmptyState icon={Delete} title={t.missing} text={t.missingText} />
      }}
    </Answer>
  )
}

function Shown({ role }: { role: Role }) {
  const t = useTexts(words)
  const may = useMay()
  const navigate = useNavigate()
  const domainOf = useEnum('permissionDomain')
  const a = useTexts(accessWords)
  return (
    <TabbedPage
      title={role.name}
      back="/admin/access"
      actions={
        <>
          {may('access.grantRole') && may('admin.users.list') && !(role.domain === 'ORG' && role.scopeId === 0) && (
            <DialogButton label={t.grant} icon={<PersonAdd />} variant="text">
              {(close) => <Grant roleId={role.id} onClose={close} />}
            </DialogButton>
          )}
          {!role.isSystem && (
            <ActionButton
              operation="access.deleteRole"
              input={{ params: { id: role.id } }}
              label={t.delete}
              icon={<Delete />}
              title={t.deleteTitle(role.name)}
              text={t.deleteText}
              done={t.deleted}
              refreshes={[]}
              onDone={() => void navigate('/admin/access', { replace: true })}
            />
          )}
        </>
      }
      head={
        <Typography component="div" color="text.secondary" sx={{ mb: 1 }}>
          {domainOf(role.domain)} · <code>{role.code}</code>
          {role.isSystem && ` · ${a.systemMark}`}
          {role.scopeId > 0 && (
            <>
              {' · '}
              <OrgLink id={role.scopeId} />
            </>
          )}
        </Typography>
      }
      tabs={[
        {
          key: 'permissions',
          label: t.permissions,
          isShown: may('access.listPermissions'),
          content: <Permissions role={role} />,
        },
        {
          key: 'history',
          label: t.history,
          isShown: may('operationLog.list'),
          content: (
            <Section>
              <History targetType="ROLE" targetId={role.id} />
            </Section>
          ),
        },
      ]}
    />
  )
}

function Permissions({ role }: { role: Role }) {
  const t = useTexts(words)
  const a = useTexts(accessWords)
  const may = useMay()
  const { user: me } = useSession()
  const points = useAllPoints(role.domain)
  const form = useForm(
    'access.changeRole',
    { name: role.name, chosen: new Set(role.permissionIds) as ReadonlySet<number> },
    {
      done: t.saved,
      refreshes: ['access', 'operationLog'],
      paths: { chosen: 'permissionIds' },
      input: ({ name, chosen }) => ({
        params: { id: role.id },
        body: {
          ...(name !== role.name && { name }),
          ...(arePointsChanged(role, chosen) && { permissionIds: [...chosen] }),
        },
      }),
    },
  )
  const { name, chosen } = form.values
  const [keyword, setKeyword] = useState('')
  const mayChange = may('access.changeRole')
  const mine = useAll(
    'access.listUserRoles',
    { params: { userId: me.id } },
    { enabled: mayChange && may('access.listUserRoles') },
  )
  const isChanged = name !== role.name || arePointsChanged(role, chosen)
  if (points.error !== null) return <ErrorNotice error={points.error} onRetry={() => void points.refetch()} />
  if (points.data === undefined) return <Loading />
  const all = points.data
  const isMine = role.domain !== 'APP' && (mine.data?.some(({ roleId }) => roleId === role.id) ?? false)
  const isFixed = role.holdsEverything || isMine || !mayChange
  return (
    <Section>
      {role.holdsEverything ? (
        <Alert severity="info" sx={{ mb: 2 }}>
          {a.holdsEverything}
        </Alert>
      ) : (
        role.isSystem && (
          <Alert severity="info" sx={{ mb: 2 }}>
            {a.system} {role.domain === 'ORG' && role.scopeId === 0 && t.template}
          </Alert>
        )
      )}
      {isMine && !role.holdsEverything && (
        <Alert severity="info" sx={{ mb: 2 }}>
          {t.heldByMe}
        </Alert>
      )}
      <Box component="form" onSubmit={form.submit} sx={{ display: 'flex', flexWrap: 'wrap', gap: 1.5, mb: 2 }}>
        <TextField {...form.text('name')} disabled={!mayChange} sx={{ flex: 1, minWidth: 200 }} />
        <TextField
          type="search"
          label={t.search}
          value={keyword}
          onChange={({ target }) => setKeyword(target.value)}
          sx={{ flex: 1, minWidth: 200 }}
        />
        {mayChange && (
          <Button type="submit" variant="contained" startIcon={<Save />} disabled={!isChanged} loading={form.isBusy}>
            {t.save}
          </Button>
        )}
      </Box>
      {form.error !== null && <ErrorNotice error={form.error} />}
      <Groups
        points={all}
        keyword={keyword.trim().toLowerCase()}
        chosen={role.holdsEverything ? new Set(all.map(({ id }) => id)) : chosen}
        isFixed={isFixed}
        onChoose={(ids) => form.set({ chosen: ids })}
      />
    </Section>
  )
}

const arePointsChanged = ({ permissionIds }: Role, chosen: ReadonlySet<number>): boolean =>
  permissionIds.length !== chosen.size || permissionIds.some((id) => !chosen.has(id))

interface GroupsProps {
  points: readonly Permission[]
  keyword: string
  chosen: ReadonlySet<number>
  isFixed: boolean
  onChoose: (ids: ReadonlySet<number>) => void
}

function Groups({ points, keyword, chosen, isFixed, onChoose }: GroupsProps) {
  const t = useTexts(words)
  const a = useTexts(accessWords)
  const groups = usePointGroups(points, (point) => point)
  const actionOf = useActionWord()
  const describe = useDescription()
  const set = (ids: readonly number[], isOn: boolean) =>
    onChoose(isOn ? new Set([...chosen, ...ids]) : new Set([...chosen].filter((id) => !ids.includes(id))))
  const shown = groups.filter(({ label, points: own }) =>
    `${label} ${own.map((point) => `${point.name} ${describe(point)} ${actionOf(point)}`).join(' ')}`
      .toLowerCase()
      .includes(keyword),
  )
  return (
    <Box sx={{ columnWidth: 300, columnGap: 3 }}>
      {shown.map(({ resource, label, points: own }) => {
        const ids = own.map(({ id }) => id)
        const count = ids.filter((id) => chosen.has(id)).length
        return (
          <Box key={resource} component="fieldset" sx={{ border: 0, m: 0, mb: 2, p: 0, breakInside: 'avoid' }}>
            <legend>
              <FormControlLabel
                disabled={isFixed}
                control={
                  <Checkbox
                    checked={count === ids.length}
                    indeterminate={count > 0 && count < ids.length}
                    onChange={({ target }) => set(ids, target.checked)}
                    slotProps={{ input: { 'aria-label': t.all(label) } }}
                  />
                }
                label={<Typography sx={{ fontWeight: 600 }}>{label}</Typography>}
              />
            </legend>
            {own.map((point) => (
              <FormControlLabel
                key={point.id}
                disabled={isFixed}
                sx={{ display: 'flex', alignItems: 'flex-start', ml: 1.5, mr: 0 }}
                control={
                  <Checkbox
                    size="small"
                    checked={chosen.has(point.id)}
                    onChange={({ target }) => set([point.id], target.checked)}
                    sx={{ py: 0.75 }}
                  />
                }
                label={
                  <Box sx={{ py: 0.75 }}>
                    {actionOf(point)} {!point.enabled && <Chip size="small" label={a.off} />}
                    <Typography variant="caption" component="div" color="text.secondary">
                      {describe(point)}
                    </Typography>
                  </Box>
                }
              />
            ))}
          </Box>
        )
      })}
    </Box>
  )
}

function Grant({ roleId, onClose }: { roleId: number; onClose: () => void }) {
  const t = useTexts(words)
  const form = useForm(
    'access.grantRole',
    { userId: null as number | null },
    {
      done: t.granted,
      refreshes: ['access.listUserRoles', 'admin', 'operationLog'],
      input: ({ userId }) => ({ params: { userId: userId! }, body: { roleId } }),
      onDone: onClose,
    },
  )
  return (
    <FormDialog form={form} title={t.grant} action={t.grant} maxWidth="xs" onClose={onClose}>
      <UserPicker {...form.pick('userId')} required autoFocus />
    </FormDialog>
  )
}
