/** The form of a provider, with the table of groups and roles, and the question before it is deleted. */

import { Add, DeleteOutlined } from '@mui/icons-material'
import { Box, Button, IconButton, Stack, TextField, Typography } from '@mui/material'
import { useState } from 'react'

import type { ApiError } from '../../api/errors.ts'
import type { OidcProvider, OidcRoleLine } from '../../api/types.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { DialogButton } from '../../ui/DialogButton.tsx'
import { FormDialog } from '../../ui/dialogs.tsx'
import { CheckField, ChoiceField } from '../../ui/fields.tsx'
import { OrgPicker } from '../../ui/pickers.tsx'
import { useForm } from '../../ui/use-form.tsx'

const words = texts({
  en: {
    add: 'Add a provider',
    edit: 'Edit the provider',
    save: 'Save',
    saved: 'The provider is saved. Check it now.',
    name: 'Name on the button',
    key: 'Key',
    keyHelp: 'Part of the redirect address: small letters, digits and hyphens.',
    issuer: 'Issuer',
    issuerHelp: 'The address of the provider, exactly as it names itself.',
    clientId: 'Client id',
    clientSecret: 'Client secret',
    secretKept: 'Empty: the stored secret stays.',
    scopes: 'Scopes',
    enabled: 'Users can sign in with it',
    createAccounts: 'Make an account for people who have none',
    linkByEmail: 'Recognize users by their verified e-mail address',
    linkHelp:
      'Only for a provider that verifies addresses: its operator can then open the accounts of all users but administrators.',
    trustMfa: 'Do not ask for a second factor again if the provider has',
    groupsClaim: 'Claim with the groups',
    roleMode: 'Roles at each sign-in',
    logout: 'Signing out',
    roles: 'Groups and organizations',
    rolesText: 'Members of a group at the provider become members of the organization.',
    group: 'Group',
    role: 'Role',
    addLine: 'Add a group',
    removeLine: (group: string) => `Remove ${group === '' ? 'the group' : group}`,
    force: (n: string) => `Do it, although ${n} users can then no longer sign in`,
    delete: 'Delete',
    deleteTitle: (name: string) => `Delete ${name}?`,
    deleteText: 'Sessions that it opened end at once. Memberships that it gave stay.',
    deleted: 'The provider is deleted.',
    roleNames: { ADMIN: 'Administrator', MEMBER: 'Member', GUEST: 'Guest' },
  },
  zh: {
    add: '添加身份提供方',
    edit: '编辑身份提供方',
    save: '保存',
    saved: '身份提供方已保存，请进行检查。',
    name: '按钮上的名称',
    key: '标识',
    keyHelp: '回调地址的一部分：小写字母、数字和连字符。',
    issuer: '签发者',
    issuerHelp: '身份提供方的地址，须与其自称完全一致。',
    clientId: '客户端 ID',
    clientSecret: '客户端密钥',
    secretKept: '留空则保留已存储的密钥。',
    scopes: '范围',
    enabled: '用户可用它登录',
    createAccounts: '为没有账号的人创建账号',
    linkByEmail: '按已验证的邮箱识别用户',
    linkHelp: '仅适用于会验证邮箱的身份提供方：控制它的人可以打开除管理员外所有用户的账号。',
    trustMfa: '若身份提供方已验证第二因素，则不再询问',
    groupsClaim: '包含群组的声明',
    roleMode: '每次登录时的角色',
    logout: '退出登录',
    roles: '群组与组织',
    rolesText: '身份提供方中某个群组的成员会成为组织的成员。',
    group: '群组',
    role: '角色',
    addLine: '添加群组',
    removeLine: (group: string) => `移除${group === '' ? '该群组' : group}`,
    force: (n: string) => `仍然执行，尽管有 ${n} 名用户将无法登录`,
    delete: '删除',
    deleteTitle: (name: string) => `删除 ${name}？`,
    deleteText: '由它打开的会话立即结束，由它授予的成员资格保留。',
    deleted: '身份提供方已删除。',
    roleNames: { ADMIN: '管理员', MEMBER: '成员', GUEST: '访客' },
  },
})

export const REFRESHES = ['admin.oidcProviders', 'oidc', 'operationLog']

type Line = Omit<OidcRoleLine, 'orgId'> & { orgId: number | null }

const NEW = {
  key: '',
  name: '',
  issuer: '',
  clientId: '',
  scopes: 'openid email profile',
  enabled: true,
  createAccounts: false,
  linkByEmail: false,
  trustMfa: false,
  groupsClaim: 'groups',
  roleMap: [] as readonly Line[],
  roleMode: 'ADD' as OidcProvider['roleMode'],
  logout: 'NONE' as OidcProvider['logout'],
}
const valuesOf = (provider: typeof NEW): typeof NEW =>
  Object.fromEntries(Object.keys(NEW).map((name) => [name, provider[name as keyof typeof NEW]])) as typeof NEW

/** The number of users whom the change would lock out, if the server refuses it for that. */
const strandedIn = (error: ApiError | null): string | undefined =>
  error?.details.find(({ path }) => path === 'stranded')?.message

export function ProviderForm({ provider, onClose }: { provider?: OidcProvider; onClose: () => void }) {
  const t = useTexts(words)
  const initial = { ...valuesOf(provider ?? NEW), clientSecret: '', force: false }
  const form = useForm(provider === undefined ? 'admin.oidcProviders.create' : 'admin.oidcProviders.update', initial, {
    done: t.saved,
    refreshes: REFRESHES,
    onDone: onClose,
    input: ({ force, clientSecret, roleMap, ...values }) => ({
      params: provider === undefined ? {} : { id: provider.id },
      query: force ? { force: true } : {},
      body: {
        ...values,
        ...(clientSecret !== '' && { clientSecret }),
        roleMap: roleMap.map(({ group, orgId, roleCode }) => ({ group, orgId: orgId ?? 0, roleCode })),
      },
    }),
  })
  const stranded = strandedIn(form.error)
  return (
    <FormDialog
      form={form}
      title={provider === undefined ? t.add : t.edit}
      action={t.save}
      onClose={onClose}
      maxWidth="md"
    >
      <TextField {...form.text('name', { label: t.name })} autoFocus />
      <TextField {...form.text('key', { label: t.key, help: t.keyHelp })} />
      <TextField {...form.text('issuer', { label: t.issuer, help: t.issuerHelp })} type="url" />
      <TextField {...form.text('clientId', { label: t.clientId })} autoComplete="off" />
      <TextField
        {...form.text('clientSecret', { label: t.clientSecret, help: provider?.hasSecret ? t.secretKept : undefined })}
        type="password"
        autoComplete="new-password"
      />
      <CheckField {...form.check('enabled', { label: t.enabled })} />
      <CheckField {...form.check('createAccounts', { label: t.createAccounts })} />
      <CheckField {...form.check('linkByEmail', { label: t.linkByEmail, help: t.linkHelp })} />
      <CheckField {...form.check('trustMfa', { label: t.trustMfa })} />
      <TextField {...form.choice('logout', 'providerLogout', { label: t.logout })} />
      <TextField {...form.text('scopes', { label: t.scopes })} />
      <TextField {...form.text('groupsClaim', { label: t.groupsClaim })} />
      <TextField {...form.choice('roleMode', 'roleMode', { label: t.roleMode })} />
      <RoleMap lines={form.values.roleMap} onChange={(roleMap) => form.set({ roleMap })} problem={form.problem} />
      {stranded !== undefined && <CheckField {...form.check('force', { label: t.force(stranded) })} />}
    </FormDialog>
  )
}

interface RoleMapProps {
  lines: readonly Line[]
  onChange: (lines: readonly Line[]) => void
  problem: (name: string) => string | undefined
}

function RoleMap({ lines, onChange, problem }: RoleMapProps) {
  const t = useTexts(words)
  const change = (at: number, part: Partial<Line>) =>
    onChange(lines.map((line, i) => (i === at ? { ...line, ...part } : line)))
  const roles = (['ADMIN', 'MEMBER', 'GUEST'] as const).map((id) => ({ id, name: t.roleNames[id] }))
  return (
    <Box component="fieldset" sx={{ border: 0, p: 0, m: 0 }}>
      <Typography component="legend" variant="h3" sx={{ p: 0 }}>
        {t.roles}
      </Typography>
      <Typography color="text.secondary" sx={{ mb: 1 }}>
        {t.rolesText}
      </Typography>
      <Stack spacing={2}>
        {lines.map((line, i) => (
          <Stack
            // Lines have no ids, and are only added at the end.
            // oxlint-disable-next-line react/no-array-index-key
            key={i}
            direction={{ xs: 'column', sm: 'row' }}
            spacing={1}
            sx={{ '& > *': { flex: 1 }, alignItems: { sm: 'flex-start' } }}
          >
            <TextField
              label={t.group}
              value={line.group}
              onChange={({ target }) => change(i, { group: target.value })}
              error={problem(`roleMap.${i}.group`) !== undefined}
              helperText={problem(`roleMap.${i}.group`)}
              required
            />
            <OrgPicker
              value={line.orgId}
              onChange={(orgId) => change(i, { orgId })}
              error={problem(`roleMap.${i}.orgId`)}
              required
            />
            <ChoiceField
              label={t.role}
              value={line.roleCode}
              onChange={(roleCode) => change(i, { roleCode })}
              choices={roles}
            />
            <IconButton
              aria-label={t.removeLine(line.group)}
              onClick={() => onChange(lines.filter((_, at) => at !== i))}
              sx={{ flex: '0 0 auto', alignSelf: { xs: 'flex-end', sm: 'center' } }}
            >
              <DeleteOutlined />
            </IconButton>
          </Stack>
        ))}
        <Button
          startIcon={<Add />}
          sx={{ alignSelf: 'flex-start' }}
          onClick={() => onChange([...lines, { group: '', orgId: null, roleCode: 'MEMBER' }])}
        >
          {t.addLine}
        </Button>
      </Stack>
    </Box>
  )
}

export function DeleteProvider({ provider: { id, name } }: { provider: OidcProvider }) {
  const t = useTexts(words)
  return (
    <DialogButton label={t.delete} aria-label={`${t.delete}: ${name}`} color="error" variant="text">
      {(close) => <DeleteDialog id={id} name={name} onClose={close} />}
    </DialogButton>
  )
}

function DeleteDialog({ id, name, onClose }: { id: number; name: string; onClose: () => void }) {
  const t = useTexts(words)
  const [isForced, setForced] = useState(false)
  const form = useForm(
    'admin.oidcProviders.delete',
    { force: false },
    {
      done: t.deleted,
      refreshes: REFRESHES,
      onDone: onClose,
      input: () => ({ params: { id }, query: isForced ? { force: true } : {} }),
    },
  )
  const stranded = strandedIn(form.error)
  return (
    <FormDialog
      form={form}
      title={t.deleteTitle(name)}
      action={t.delete}
      color="error"
      isDisabled={stranded !== undefined && !isForced}
      onClose={onClose}
      maxWidth="xs"
    >
      <Typography>{t.deleteText}</Typography>
      {stranded !== undefined && (
        <CheckField
          {...form.check('force', { label: t.force(stranded) })}
          value={isForced}
          onChange={(value) => setForced(value)}
        />
      )}
    </FormDialog>
  )
}
