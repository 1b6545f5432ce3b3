/** The page of an organization: its data, members with roles, transfer, dissolution, and the changes by administrators. */

import { Add, DeleteForever, Edit, SwapHoriz } from '@mui/icons-material'
import { Avatar, Button, MenuItem, Stack, TextField, Typography } from '@mui/material'
import { useState } from 'react'
import { Link, useNavigate, useParams } from 'react-router'

import { useAction, useCall } from '../../api/hooks.ts'
import { usePages } from '../../api/pages.ts'
import type { AdminOrganizationDetail } from '../../api/types.ts'
import { useEnum } from '../../i18n/enums.ts'
import { date, dateTime, number } from '../../i18n/format.ts'
import { resourceWords } from '../../i18n/resource-words.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { ActionButton } from '../../ui/ActionButton.tsx'
import { History } from '../../ui/admin.tsx'
import { Answer } from '../../ui/Answer.tsx'
import { ConfirmDialog, FormDialog } from '../../ui/dialogs.tsx'
import { MemberRole, OrgRoleInput } from '../../ui/org-roles.tsx'
import { Facts, Section } from '../../ui/parts.tsx'
import { UserPicker } from '../../ui/pickers.tsx'
import { Row, Rows } from '../../ui/Rows.tsx'
import { EnumStatus } from '../../ui/Status.tsx'
import { TabbedPage } from '../../ui/TabbedPage.tsx'
import { UserLink } from '../../ui/UserLink.tsx'

const words = texts({
  en: {
    data: 'Data',
    members: 'Members',
    history: 'History',
    edit: 'Edit',
    number: 'Number',
    name: 'Name',
    description: 'Description',
    code: 'Code for joining',
    owner: 'Owner',
    visibility: 'Visibility',
    joining: 'Joining',
    limit: 'Members',
    ofLimit: (n: number, limit: number) => `${number(n)} of at most ${number(limit)}`,
    created: 'Created',
    changed: 'Changed',
    transferOpen: 'Open offer of ownership',
    things: 'Owns',
    nothing: 'Nothing',
    search: 'Search members',
    noMember: 'No member has this name.',
    since: (day: string) => `member since ${day}`,
    noRole: 'No role',
    add: 'Add a member',
    addAction: 'Add',
    added: 'The user is now a member and was notified.',
    remove: 'Remove',
    removeOf: (name: string) => `Remove ${name}`,
    removeTitle: (name: string) => `Remove ${name} from the organization?`,
    removeText: 'They lose access to everything of the organization at once and are notified. Its things stay.',
    removed: 'The member is removed.',
    transfer: 'Transfer',
    transferTitle: 'Transfer the organization',
    transferText:
      'The member becomes the owner at once, without being asked. The former owner stays a member with the role of an administrator.',
    newOwner: 'New owner',
    transferred: 'The organization has a new owner.',
    dissolve: 'Dissolve',
    dissolveTitle: (name: string) => `Dissolve “${name}”?`,
    dissolveText: 'The organization is deleted and all members are notified. This cannot be undone.',
    withMembers: (n: number) =>
      n === 1 ? 'It has one other member, who loses access.' : `It has ${n} other members, who lose access.`,
    obstacles: 'It still owns things. They must be deleted or moved before it can be dissolved:',
    dissolved: 'The organization is dissolved.',
    understood: 'Close',
  },
  zh: {
    data: '资料',
    members: '成员',
    history: '历史记录',
    edit: '编辑',
    number: '编号',
    name: '名称',
    description: '说明',
    code: '组织码',
    owner: '所有者',
    visibility: '可见范围',
    joining: '加入方式',
    limit: '成员',
    ofLimit: (n: number, limit: number) => `${number(n)} 人，上限 ${number(limit)} 人`,
    created: '创建时间',
    changed: '更新时间',
    transferOpen: '待接受的转让',
    things: '拥有',
    nothing: '无',
    search: '搜索成员',
    noMember: '没有这个名称的成员。',
    since: (day: string) => `${day}加入`,
    noRole: '无角色',
    add: '添加成员',
    addAction: '添加',
    added: '用户已成为成员，并收到通知。',
    remove: '移除',
    removeOf: (name: string) => `移除${name}`,
    removeTitle: (name: string) => `将${name}移出组织？`,
    removeText: '对方会立即失去对该组织所有内容的访问权限，并收到通知。组织的内容会保留。',
    removed: '成员已移除。',
    transfer: '转让',
    transferTitle: '转让组织',
    transferText: '该成员立即成为所有者，无需对方同意。原所有者以管理员角色保留为成员。',
    newOwner: '新所有者',
    transferred: '组织已有新的所有者。',
    dissolve: '解散',
    dissolveTitle: (name: string) => `解散“${name}”？`,
    dissolveText: '组织将被删除，所有成员会收到通知。此操作无法撤销。',
    withMembers: (n: number) => `还有 ${n} 名其他成员，他们会失去访问权限。`,
    obstacles: '组织仍拥有以下内容，须先删除或移走才能解散：',
    dissolved: '组织已解散。',
    understood: '关闭',
  },
})

const REFRESHES = ['admin', 'admin/orgs', 'operationLog', 'access']

export default function OrgShow() {
  const orgId = Number(useParams().id)
  const query = useCall('admin.orgs.get', { params: { orgId } })
  return <Answer query={query}>{(org) => <Shown org={org} />}</Answer>
}

function Shown({ org }: { org: AdminOrganizationDetail }) {
  const t = useTexts(words)
  const may = useMay()
  return (
    <TabbedPage
      title={org.name}
      back="/admin/orgs"
      actions={
        <>
          {may('admin.orgs.update') && (
            <Button startIcon={<Edit />} component={Link} to={`/admin/orgs/${org.id}`}>
              {t.edit}
            </Button>
          )}
          <Transfer org={org} />
          <Dissolve org={org} />
        </>
      }
      head={
        <Stack direction="row" spacing={2} sx={{ alignItems: 'center', mb: 2 }}>
          <Avatar
            {...(org.avatarUrl !== null && { src: org.avatarUrl })}
            alt=""
            variant="rounded"
            sx={{ width: 56, height: 56, bgcolor: 'action.selected', color: 'text.primary' }}
          >
            {[...org.name][0]?.toUpperCase()}
          </Avatar>
          <EnumStatus of="orgStatus" value={org.status} />
        </Stack>
      }
      tabs={[
        { key: 'data', label: t.data, content: <Data org={org} /> },
        { key: 'members', label: t.members, content: <Members org={org} /> },
        {
          key: 'history',
          label: t.history,
          isShown: may('operationLog.list'),
          content: (
            <Section>
              <History targetType="ORG" targetId={org.id} />
            </Section>
          ),
        },
      ]}
    />
  )
}

function Data({ org }: { org: AdminOrganizationDetail }) {
  const t = useTexts(words)
  const visibilityOf = useEnum('orgVisibility')
  const policyOf = useEnum('joinPolicy')
  const resources = useTexts(resourceWords)
  const owned = org.resources.filter(({ count }) => count > 0)
  return (
    <Section>
      <Facts
        items={[
          [t.number, org.id],
          [t.description, org.description],
          [t.code, org.code],
          [
            t.owner,
            <UserLink key="owner" id={org.owner.userId} nickname={org.owner.nickname} username={org.owner.username} />,
          ],
          [t.transferOpen, org.pendingTransfer === null ? null : <UserLink key="to" id={org.pendingTransfer.userId} />],
          [t.visibility, visibilityOf(org.visibility)],
          [t.joining, policyOf(org.joinPolicy)],
          [t.limit, t.ofLimit(org.memberCount, org.memberLimit)],
          [
            t.things,
            owned.length === 0
              ? t.nothing
              : owned.map(({ name, count }) => `${resources[name] ?? name}: ${number(count)}`).join(' · '),
          ],
          [t.created, dateTime(org.createdAt)],
          [t.changed, dateTime(org.updatedAt)],
        ]}
      />
    </Section>
  )
}

function Members({ org }: { org: AdminOrganizationDetail }) {
  const t = useTexts(words)
  const may = useMay()
  const [keyword, setKeyword] = useState('')
  const query = usePages('admin.orgs.members', {
    params: { orgId: org.id },
    query: { ...(keyword.trim() && { keyword: keyword.trim() }) },
  })
  return (
    <Section
      title={t.members}
      actions={
        <>
          <TextField
            type="search"
            label={t.search}
            value={keyword}
            onChange={({ target }) => setKeyword(target.value)}
          />
          {may('admin.orgs.addMember') && <AddMember orgId={org.id} />}
        </>
      }
    >
      <Rows query={query} empty={t.noMember} label={t.members} keyOf={({ userId }) => userId}>
        {({ userId, nickname, avatarUrl, roleId, roleName, isOwner, joinedAt }) => (
          <Row
            title={<UserLink id={userId} nickname={nickname} avatarUrl={avatarUrl} />}
            details={`${isOwner ? t.owner : roleName || t.noRole} · ${t.since(date(joinedAt))}`}
            actions={
              !isOwner && (
                <>
                  <MemberRole orgId={org.id} userId={userId} roleId={roleId} name={nickname} refreshes={REFRESHES} />
                  <ActionButton
                    operation="admin.orgs.removeMember"
                    input={{ params: { orgId: org.id, userId } }}
                    label={t.remove}
                    name={t.removeOf(nickname)}
                    title={t.removeTitle(nickname)}
                    text={t.removeText}
                    done={t.removed}
                    refreshes={REFRESHES}
                  />
                </>
              )
            }
          />
        )}
      </Rows>
    </Section>
  )
}

function AddMember({ orgId }: { orgId: number }) {
  const t = useTexts(words)
  const [isOpen, setOpen] = useState(false)
  const [userId, setUserId] = useState<number | null>(null)
  const [roleId, setRoleId] = useState<number | null>(null)
  const add = useAction('admin.orgs.addMember', {
    done: t.added,
    quiet: true,
    refreshes: REFRESHES,
    onDone: () => setOpen(false),
  })
  return (
    <>
      <Button
        startIcon={<Add />}
        onClick={() => {
          add.reset()
          setUserId(null)
          setRoleId(null)
          setOpen(true)
        }}
      >
        {t.add}
      </Button>
      <FormDialog
        isOpen={isOpen}
        title={t.add}
        action={t.addAction}
        isBusy={add.isPending}
        error={add.error}
        onSubmit={() => {
          if (userId !== null) add.mutate({ params: { orgId }, body: { userId, ...(roleId !== null && { roleId }) } })
        }}
        onClose={() => setOpen(false)}
      >
        <UserPicker value={userId} onChange={setUserId} required autoFocus error={add.error?.problem('userId')} />
        <OrgRoleInput orgId={orgId} value={roleId} onChange={setRoleId} />
      </FormDialog>
    </>
  )
}

function Transfer({ org }: { org: AdminOrganizationDetail }) {
  const t = useTexts(words)
  const may = useMay()
  const [isOpen, setOpen] = useState(false)
  const [userId, setUserId] = useState('')
  const members = useCall(
    'admin.orgs.members',
    { params: { orgId: org.id }, query: { size: 100 } },
    { enabled: isOpen },
  )
  const transfer = useAction('admin.orgs.transfer', {
    done: t.transferred,
    quiet: true,
    refreshes: REFRESHES,
    onDone: () => setOpen(false),
  })
  if (!may('admin.orgs.transfer') || org.memberCount < 2) return null
  return (
    <>
      <Button
        startIcon={<SwapHoriz />}
        onClick={() => {
          transfer.reset()
          setUserId('')
          setOpen(true)
        }}
      >
        {t.transfer}
      </Button>
      <FormDialog
        isOpen={isOpen}
        title={t.transferTitle}
        action={t.transfer}
        maxWidth="xs"
        isBusy={transfer.isPending}
        error={transfer.error}
        onSubmit={() => {
          if (userId !== '') transfer.mutate({ params: { orgId: org.id }, body: { userId: Number(userId) } })
        }}
        onClose={() => setOpen(false)}
      >
        <Typography>{t.transferText}</Typography>
        <TextField select required label={t.newOwner} value={userId} onChange={({ target }) => setUserId(target.value)}>
          {(members.data?.items ?? [])
            .filter(({ isOwner }) => !isOwner)
            .map(({ userId: id, nickname, roleName }) => (
              <MenuItem key={id} value={String(id)}>
                {nickname} ({roleName})
              </MenuItem>
            ))}
        </TextField>
      </FormDialog>
    </>
  )
}

/** First says which things stand in the way: the server refuses while the organization owns anything. */
function Dissolve({ org }: { org: AdminOrganizationDetail }) {
  const t = useTexts(words)
  const may = useMay()
  const navigate = useNavigate()
  const resources = useTexts(resourceWords)
  const [isOpen, setOpen] = useState(false)
  const dissolve = useAction('admin.orgs.dissolve', {
    done: t.dissolved,
    quiet: true,
    refreshes: ['admin/orgs', 'operationLog'],
    onDone: () => void navigate('/admin/orgs', { replace: true }),
  })
  if (!may('admin.orgs.dissolve')) return null
  const owned = org.resources.filter(({ count }) => count > 0)
  const others = org.memberCount - 1
  return (
    <>
      <Button
        color="error"
        startIcon={<DeleteForever />}
        onClick={() => {
          dissolve.reset()
          setOpen(true)
        }}
      >
        {t.dissolve}
      </Button>
      {owned.length > 0 ? (
        <FormDialog
          isOpen={isOpen}
          title={t.dissolveTitle(org.name)}
          action={t.understood}
          maxWidth="xs"
          onSubmit={() => setOpen(false)}
          onClose={() => setOpen(false)}
        >
          <Typography>{t.obstacles}</Typography>
          <ul>
            {owned.map(({ name, count }) => (
              <li key={name}>
                {resources[name] ?? name}: {number(count)}
              </li>
            ))}
          </ul>
        </FormDialog>
      ) : (
        <ConfirmDialog
          isOpen={isOpen}
          title={t.dissolveTitle(org.name)}
          text={
            <>
              {t.dissolveText} {others > 0 && t.withMembers(others)}
            </>
          }
          action={t.dissolve}
          typed={org.name}
          isBusy={dissolve.isPending}
          error={dissolve.error}
          onConfirm={() => dissolve.mutate({ params: { orgId: org.id }, query: { force: true } })}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  )
}
