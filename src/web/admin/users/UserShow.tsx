/** The page of a user: profile, roles, organizations, devices, login records, and the changes by administrators. */

import { Block, CheckCircle, Edit } from '@mui/icons-material'
import { Avatar, Box, Button, Stack, TextField, Typography } from '@mui/material'
import { type ReactNode, useState } from 'react'
import { useParams } from 'react-router'

import { useAction, useCall } from '../../api/hooks.ts'
import type { UserAdmin } from '../../api/types.ts'
import { useEnum } from '../../i18n/enums.ts'
import { dateTime } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay, useSession } from '../../session/session.ts'
import { ActionButton } from '../../ui/ActionButton.tsx'
import { Answer } from '../../ui/Answer.tsx'
import { FormDialog } from '../../ui/dialogs.tsx'
import { History } from '../../ui/History.tsx'
import { Facts, Section } from '../../ui/parts.tsx'
import { PictureField } from '../../ui/PictureField.tsx'
import { EnumStatus } from '../../ui/Status.tsx'
import { TabbedPage } from '../../ui/TabbedPage.tsx'
import { nameOf } from '../../ui/UserLink.tsx'
import { Devices } from './Devices.tsx'
import { LoginRecords } from './LoginRecords.tsx'
import { Memberships } from './Memberships.tsx'
import { Roles } from './Roles.tsx'
import { statusWords } from './words.ts'

const words = texts({
  en: {
    title: 'User',
    profile: 'Profile',
    roles: 'Roles',
    orgs: 'Organizations',
    devices: 'Sessions and devices',
    records: 'Login records',
    history: 'History',
    edit: 'Edit profile',
    save: 'Save',
    saved: 'The profile is saved.',
    number: 'Number',
    username: 'Username',
    nickname: 'Nickname',
    signature: 'About',
    nicknameHelp: 'Leave it empty to get a generated one.',
    email: 'E-mail',
    phone: 'Phone',
    identities: 'Signs in with',
    unverified: 'not confirmed',
    password: 'Password',
    isSet: 'Is set',
    isMissing: 'Is not set',
    recoverable: 'If the device is lost',
    canRecover: 'The account can be recovered',
    cannotRecover: 'The account is lost: it has no password, phone or e-mail',
    registered: 'Registered',
    lastLogin: 'Last sign-in',
    never: 'Never',
    changed: 'Profile changed',
    reason: 'Reason, for the operation log',
    reasonHelp: 'The user does not see it.',
  },
  zh: {
    title: '用户',
    profile: '资料',
    roles: '角色',
    orgs: '组织',
    devices: '会话与设备',
    records: '登录记录',
    history: '历史记录',
    edit: '编辑资料',
    save: '保存',
    saved: '资料已保存。',
    number: '编号',
    username: '用户名',
    nickname: '昵称',
    signature: '签名',
    nicknameHelp: '留空则自动生成。',
    email: '邮箱',
    phone: '手机号',
    identities: '登录方式',
    unverified: '未验证',
    password: '密码',
    isSet: '已设置',
    isMissing: '未设置',
    recoverable: '设备丢失时',
    canRecover: '账号可以找回',
    cannotRecover: '账号无法找回：没有密码、手机号和邮箱',
    registered: '注册时间',
    lastLogin: '最近登录',
    never: '从未登录',
    changed: '资料更新时间',
    reason: '原因（记入操作日志）',
    reasonHelp: '用户看不到此内容。',
  },
})

export default function UserShow() {
  const userId = Number(useParams().id)
  const query = useCall('admin.users.get', { params: { userId } })
  return <Answer query={query}>{(user) => <Shown user={user} />}</Answer>
}

function Shown({ user }: { user: UserAdmin }) {
  const t = useTexts(words)
  const may = useMay()
  const isDeleted = user.status === 'DELETED'
  return (
    <TabbedPage
      title={nameOf(user)}
      back="/admin/users"
      actions={
        !isDeleted && (
          <>
            {may('admin.users.update') && <EditProfile user={user} />}
            <ChangeStatus user={user} />
          </>
        )
      }
      head={<Head user={user} />}
      tabs={[
        { key: 'profile', label: t.profile, content: <Profile user={user} /> },
        { key: 'roles', label: t.roles, content: <Roles user={user} />, isShown: may('access.listUserRoles') },
        { key: 'orgs', label: t.orgs, content: <Memberships user={user} /> },
        { key: 'devices', label: t.devices, content: <Devices user={user} />, isShown: may('sync.devicesOf') },
        {
          key: 'records',
          label: t.records,
          content: <LoginRecords userId={user.id} />,
          isShown: may('admin.loginRecords.list'),
        },
        {
          key: 'history',
          label: t.history,
          content: (
            <Section>
              <History targetType="USER" targetId={user.id} />
            </Section>
          ),
          isShown: may('operationLog.list'),
        },
      ]}
    />
  )
}

function Head({ user }: { user: UserAdmin }) {
  return (
    <Stack direction="row" spacing={2} sx={{ alignItems: 'center', mb: 2 }}>
      <Avatar
        {...(user.avatarUrl !== null && { src: user.avatarUrl })}
        alt=""
        sx={{ width: 56, height: 56, bgcolor: 'action.selected', color: 'text.primary' }}
      >
        {[...nameOf(user)][0]?.toUpperCase()}
      </Avatar>
      <Box sx={{ minWidth: 0 }}>
        {user.username !== null && (
          <Typography color="text.secondary" sx={{ overflowWrap: 'anywhere' }}>
            {user.username}
          </Typography>
        )}
        <EnumStatus of="userStatus" value={user.status} />
        {' · '}
        {user.roleName}
      </Box>
    </Stack>
  )
}

function Profile({ user }: { user: UserAdmin }) {
  const t = useTexts(words)
  const providerOf = useEnum('provider')
  const items: (readonly [string, ReactNode])[] = [
    [t.number, user.id],
    [t.username, user.username],
    [t.nickname, user.nickname],
    [t.signature, user.signature],
    [t.email, user.email],
    [t.phone, user.phone],
    [
      t.identities,
      user.identities.length === 0
        ? null
        : user.identities.map(({ provider, credential, verified }) => (
            <Box key={`${provider} ${credential}`}>
              {providerOf(provider)} {credential}
              {!verified && (
                <Typography component="span" variant="body2" color="text.secondary">
                  {' '}
                  ({t.unverified})
                </Typography>
              )}
            </Box>
          )),
    ],
    [t.password, user.hasPassword ? t.isSet : t.isMissing],
    [t.recoverable, user.hasRecoverableCredential ? t.canRecover : t.cannotRecover],
    [t.registered, dateTime(user.createdAt)],
    [t.lastLogin, dateTime(user.lastLoginAt) || t.never],
    [t.changed, dateTime(user.updatedAt)],
  ]
  return (
    <Section>
      <Facts items={items} />
    </Section>
  )
}

function EditProfile({ user }: { user: UserAdmin }) {
  const t = useTexts(words)
  const [isOpen, setOpen] = useState(false)
  const [form, setForm] = useState({ nickname: '', signature: '' })
  const [avatarUrl, setAvatarUrl] = useState<string | null>(null)
  const save = useAction('admin.users.update', {
    done: t.saved,
    quiet: true,
    refreshes: ['admin', 'admin/users', 'operationLog'],
    onDone: () => setOpen(false),
  })
  const field = (name: keyof typeof form, label: string, help?: string) => (
    <TextField
      label={label}
      value={form[name]}
      onChange={({ target }) => setForm({ ...form, [name]: target.value })}
      error={save.error?.problem(name) !== undefined}
      helperText={save.error?.problem(name) ?? help}
      multiline={name === 'signature'}
    />
  )
  return (
    <>
      <Button
        variant="contained"
        startIcon={<Edit />}
        onClick={() => {
          save.reset()
          setForm({ nickname: user.nickname, signature: user.signature ?? '' })
          setAvatarUrl(user.avatarUrl)
          setOpen(true)
        }}
      >
        {t.edit}
      </Button>
      <FormDialog
        isOpen={isOpen}
        title={t.edit}
        action={t.save}
        isBusy={save.isPending}
        error={save.error}
        onSubmit={() => {
          const isRemoved = avatarUrl === null && user.avatarUrl !== null
          save.mutate({ params: { userId: user.id }, body: { ...form, ...(isRemoved && { avatarUrl: '' }) } })
        }}
        onClose={() => setOpen(false)}
      >
        {avatarUrl !== null && (
          <PictureField
            url={avatarUrl}
            name={nameOf(user)}
            look="person"
            type="avatar"
            canChoose={false}
            onChange={(_, url) => setAvatarUrl(url)}
          />
        )}
        {field('nickname', t.nickname, t.nicknameHelp)}
        {field('signature', t.signature)}
      </FormDialog>
    </>
  )
}

function ChangeStatus({ user }: { user: UserAdmin }) {
  const t = useTexts(words)
  const s = useTexts(statusWords)
  const { user: me } = useSession()
  const [reason, setReason] = useState('')
  if (user.id === me.id) return null
  const refreshes = ['admin', 'admin/users', 'operationLog', 'sync']
  const params = { userId: user.id }
  if (user.status === 'DISABLED')
    return (
      <ActionButton
        key="enable"
        operation="admin.users.changeStatus"
        input={{ params, body: { status: 'ACTIVE' } }}
        label={s.enable}
        icon={<CheckCircle />}
        color="primary"
        variant="contained"
        title={s.enableMany(1)}
        text={s.enableText}
        done={s.enabledMany(1)}
        refreshes={refreshes}
      />
    )
  return (
    <ActionButton
      key="disable"
      operation="admin.users.changeStatus"
      input={{ params, body: { status: 'DISABLED', reason: reason.trim() || null } }}
      label={s.disable}
      icon={<Block />}
      variant="outlined"
      title={s.disableMany(1)}
      text={
        <>
          {s.disableText}
          <TextField
            fullWidth
            sx={{ mt: 2 }}
            label={t.reason}
            helperText={t.reasonHelp}
            value={reason}
            onChange={({ target }) => setReason(target.value)}
          />
        </>
      }
      done={s.disabledMany(1)}
      refreshes={refreshes}
    />
  )
}
