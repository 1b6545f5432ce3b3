/** The page of a user: profile, roles, organizations, devices, login records, and the changes by administrators. */

import { Block, CheckCircle, Edit } from '@mui/icons-material'
import { Box, Stack, TextField, Typography } from '@mui/material'
import type { ReactNode } from 'react'
import { useParams } from 'react-router'

import { useCall } from '../../api/hooks.ts'
import type { UserAdmin } from '../../api/types.ts'
import { useEnum } from '../../i18n/enums.ts'
import { dateTime } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay, useSession } from '../../session/session.ts'
import { ActionButton } from '../../ui/ActionButton.tsx'
import { DialogButton } from '../../ui/DialogButton.tsx'
import { FormDialog } from '../../ui/dialogs.tsx'
import { History } from '../../ui/History.tsx'
import { PageAnswer } from '../../ui/NotFound.tsx'
import { Facts, Section } from '../../ui/parts.tsx'
import { PictureField } from '../../ui/PictureField.tsx'
import { Portrait } from '../../ui/Portrait.tsx'
import { EnumStatus } from '../../ui/Status.tsx'
import { TabbedPage } from '../../ui/TabbedPage.tsx'
import { useForm } from '../../ui/use-form.tsx'
import { nameOf } from '../../ui/UserLink.tsx'
import { Devices } from './Devices.tsx'
import { LoginRecords } from './LoginRecords.tsx'
import { Memberships } from './Memberships.tsx'
import { ResetCode } from './ResetCode.tsx'
import { Roles } from './Roles.tsx'
import { UserData } from './UserData.tsx'
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
    data: 'Data',
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
    data: '数据',
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
  return <PageAnswer query={query}>{(user) => <Shown user={user} />}</PageAnswer>
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
            {may('admin.users.update') && (
              <DialogButton label={t.edit} icon={<Edit />}>
                {(close) => <EditProfile user={user} onClose={close} />}
              </DialogButton>
            )}
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
          key: 'data',
          label: t.data,
          content: <UserData user={user} />,
          isShown: !isDeleted && may('admin.users.delete'),
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
      <Portrait name={nameOf(user)} url={user.avatarUrl} size={56} />
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
    <>
      <Section>
        <Facts items={items} />
      </Section>
      <ResetCode user={user} />
    </>
  )
}

function EditProfile({ user, onClose }: { user: UserAdmin; onClose: () => void }) {
  const t = useTexts(words)
  const { nickname, avatarUrl } = user
  const form = useForm(
    'admin.users.update',
    { nickname, signature: user.signature ?? '', avatarUrl },
    {
      done: t.saved,
      refreshes: ['admin', 'operationLog'],
      input: ({ avatarUrl: url, ...body }) => ({
        params: { userId: user.id },
        body: { ...body, ...(url !== avatarUrl && { avatarUrl: '' }) },
      }),
      onDone: onClose,
    },
  )
  return (
    <FormDialog form={form} title={t.edit} action={t.save} onClose={onClose}>
      {form.values.avatarUrl !== null && (
        <PictureField
          url={form.values.avatarUrl}
          name={nameOf(user)}
          look="person"
          type="avatar"
          canChoose={false}
          onChange={(_, url) => form.set({ avatarUrl: url })}
        />
      )}
      <TextField {...form.text('nickname', { label: t.nickname, help: t.nicknameHelp })} />
      <TextField {...form.text('signature', { label: t.signature })} multiline />
    </FormDialog>
  )
}

const STATUS_REFRESHES = ['admin', 'operationLog', 'sync']

function ChangeStatus({ user }: { user: UserAdmin }) {
  const may = useMay()
  const s = useTexts(statusWords)
  const { user: me } = useSession()
  if (user.id === me.id) return null
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
        refreshes={STATUS_REFRESHES}
      />
    )
  if (!may('admin.users.changeStatus')) return null
  return (
    <DialogButton label={s.disable} icon={<Block />} color="error" variant="outlined">
      {(close) => <Disable user={user} onClose={close} />}
    </DialogButton>
  )
}

function Disable({ user, onClose }: { user: UserAdmin; onClose: () => void }) {
  const t = useTexts(words)
  const s = useTexts(statusWords)
  const form = useForm(
    'admin.users.changeStatus',
    { status: 'DISABLED' as const, reason: '' },
    {
      done: s.disabledMany(1),
      refreshes: STATUS_REFRESHES,
      input: ({ status, reason }) => ({ params: { userId: user.id }, body: { status, reason: reason.trim() || null } }),
      onDone: onClose,
    },
  )
  return (
    <FormDialog form={form} title={s.disableMany(1)} action={s.disable} color="error" maxWidth="xs" onClose={onClose}>
      <Typography color="text.secondary">{s.disableText}</Typography>
      <TextField {...form.text('reason', { label: t.reason, help: t.reasonHelp })} />
    </FormDialog>
  )
}
