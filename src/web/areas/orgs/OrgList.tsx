/** The organizations of the user, with invitations and requests that wait for an answer. */

import { Add, Groups, QrCodeScanner, TravelExplore } from '@mui/icons-material'
import { Alert, Box, Button, Card, CardActionArea, Chip, Stack, Typography } from '@mui/material'
import { Link } from 'react-router'

import { useAction } from '../../api/hooks.ts'
import { useAll, usePages } from '../../api/pages.ts'
import type { Invitation, Organization } from '../../api/types.ts'
import { relativeTime } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { reloadSession, useMay, useSession } from '../../session/session.ts'
import { EmptyState, ErrorNotice, Loading, MoreButton } from '../../ui/Answer.tsx'
import { Page } from '../../ui/Page.tsx'
import { Section } from '../../ui/parts.tsx'
import { Named } from '../../ui/Portrait.tsx'
import { Row, Rows } from '../../ui/Rows.tsx'
import { JoinButton } from './JoinButton.tsx'

const words = texts({
  en: {
    title: 'Organizations',
    create: 'Create organization',
    join: 'Join with a code',
    discover: 'Discover',
    mine: 'My organizations',
    members: (n: number) => (n === 1 ? '1 member' : `${n} members`),
    workspace: 'Current workspace',
    disabled: 'Disabled',
    empty: 'You belong to no organization yet',
    emptyText:
      'In an organization, several people share codes, assets and activities. Create one for your club, school or company, or join one with its code.',
    invitations: 'Invitations',
    invitedBy: (name: string, until: string) => `${name} invites you. Expires ${until}.`,
    accept: 'Accept',
    acceptOf: (name: string) => `Accept the invitation to ${name}`,
    decline: 'Decline',
    declineOf: (name: string) => `Decline the invitation to ${name}`,
    accepted: 'You are a member now.',
    declined: 'The invitation is declined.',
    requests: 'My requests',
    offered: (name: string) => `“${name}” was offered to you: you can become its owner.`,
    look: 'Answer',
  },
  zh: {
    title: '组织',
    create: '新建组织',
    join: '用组织码加入',
    discover: '发现',
    mine: '我的组织',
    members: (n: number) => `${n} 名成员`,
    workspace: '当前工作区',
    disabled: '已停用',
    empty: '你还没有加入任何组织',
    emptyText: '在组织中，多人可以共用二维码、资产和活动。你可以为社团、学校或公司创建组织，或用组织码加入。',
    invitations: '邀请',
    invitedBy: (name: string, until: string) => `${name} 邀请你加入，${until}过期。`,
    accept: '接受',
    acceptOf: (name: string) => `接受加入${name}的邀请`,
    decline: '拒绝',
    declineOf: (name: string) => `拒绝加入${name}的邀请`,
    accepted: '你已成为成员。',
    declined: '已拒绝邀请。',
    requests: '我的申请',
    offered: (name: string) => `“${name}”的所有者想把该组织转让给你。`,
    look: '去处理',
  },
})

export default function OrgList() {
  const t = useTexts(words)
  const may = useMay()
  const { user } = useSession()
  const { items, total, error, isLoading, more, retry } = usePages('orgs.list')
  const offers = items?.filter(({ pendingTransfer }) => pendingTransfer?.userId === user.id) ?? []
  const create = may('orgs.create') && (
    <Button variant="contained" startIcon={<Add />} component={Link} to="/orgs/new" data-create>
      {t.create}
    </Button>
  )
  const join = may('orgs.apply') && (
    <Button variant="outlined" startIcon={<QrCodeScanner />} component={Link} to="/join">
      {t.join}
    </Button>
  )
  const isEmpty = items?.length === 0
  return (
    <Page
      title={t.title}
      actions={
        <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap' }}>
          <Button startIcon={<TravelExplore />} component={Link} to="/orgs/discover">
            {t.discover}
          </Button>
          {!isEmpty && join}
          {!isEmpty && create}
        </Stack>
      }
    >
      {offers.map(({ id, name }) => (
        <Alert
          key={id}
          severity="info"
          sx={{ mb: 2 }}
          action={
            <Button color="inherit" component={Link} to={`/orgs/${id}`}>
              {t.look}
            </Button>
          }
        >
          {t.offered(name)}
        </Alert>
      ))}
      <Invitations />
      {error !== null ? (
        <ErrorNotice error={error} onRetry={retry} />
      ) : items === undefined ? (
        <Loading />
      ) : isEmpty ? (
        <EmptyState
          icon={Groups}
          title={t.empty}
          text={t.emptyText}
          action={
            <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap', justifyContent: 'center' }}>
              {create}
              {join}
            </Stack>
          }
        />
      ) : (
        <>
          <Box
            component="ul"
            aria-label={t.mine}
            sx={{
              display: 'grid',
              gap: 1.5,
              gridTemplateColumns: 'repeat(auto-fill, minmax(min(300px, 100%), 1fr))',
              listStyle: 'none',
              p: 0,
              m: 0,
              mb: 2,
            }}
          >
            {items.map((org) => (
              <li key={org.id}>
                <OrgCard org={org} />
              </li>
            ))}
          </Box>
          <MoreButton shown={items.length} total={total} onMore={more} isLoading={isLoading} />
        </>
      )}
      <Requests />
    </Page>
  )
}

function OrgCard({ org }: { org: Organization }) {
  const t = useTexts(words)
  const { workspace } = useSession()
  return (
    <Card sx={{ height: '100%' }}>
      <CardActionArea component={Link} to={`/orgs/${org.id}`} sx={{ p: 2, height: '100%' }}>
        <Named
          name={org.name}
          url={org.avatarUrl}
          size={52}
          isOrganization
          details={[org.roleName, t.members(org.memberCount)].filter((part) => part !== '').join(' · ')}
        />
        {(workspace?.id === org.id || org.status === 'DISABLED') && (
          <Stack direction="row" spacing={1} sx={{ mt: 1.5 }}>
            {workspace?.id === org.id && <Chip size="small" color="primary" variant="outlined" label={t.workspace} />}
            {org.status === 'DISABLED' && <Chip size="small" color="error" variant="outlined" label={t.disabled} />}
          </Stack>
        )}
      </CardActionArea>
    </Card>
  )
}

function Invitations() {
  const t = useTexts(words)
  const query = usePages('orgs.myInvitations')
  if (query.items === undefined || query.items.length === 0) return null
  return (
    <Section title={t.invitations}>
      <Rows query={query} label={t.invitations} keyOf={({ id }) => id} empty="">
        {(invitation) => <InvitationRow invitation={invitation} />}
      </Rows>
    </Section>
  )
}

function InvitationRow({ invitation }: { invitation: Invitation }) {
  const t = useTexts(words)
  const may = useMay()
  const { id, orgName, orgAvatarUrl, inviterNickname, expiresAt } = invitation
  const accept = useAction('orgs.respond', { done: t.accepted, onDone: () => void reloadSession() })
  const decline = useAction('orgs.respond', { done: t.declined })
  return (
    <Row
      title={
        <Named
          name={orgName}
          url={orgAvatarUrl}
          isOrganization
          details={t.invitedBy(inviterNickname, relativeTime(expiresAt))}
        />
      }
      actions={
        may('orgs.respond') && (
          <>
            <Button
              color="error"
              aria-label={t.declineOf(orgName)}
              loading={decline.isPending}
              onClick={() => decline.mutate({ body: { invitationId: id, accept: false } })}
            >
              {t.decline}
            </Button>
            <Button
              variant="contained"
              aria-label={t.acceptOf(orgName)}
              loading={accept.isPending}
              onClick={() => accept.mutate({ body: { invitationId: id, accept: true } })}
            >
              {t.accept}
            </Button>
          </>
        )
      }
    />
  )
}

function Requests() {
  const t = useTexts(words)
  const { data } = useAll('orgs.myRequests')
  if (data === undefined || data.length === 0) return null
  return (
    <Section title={t.requests}>
      {data.map(({ orgId, orgName, orgAvatarUrl, message }) => (
        <Box key={orgId} sx={{ py: 1 }}>
          <Row
            title={
              <Named name={orgName} url={orgAvatarUrl} isOrganization details={message}>
                <Typography component="span">{orgName}</Typography>
              </Named>
            }
            actions={<JoinButton org={{ id: orgId, name: orgName, joinPolicy: 'APPROVAL' }} />}
          />
        </Box>
      ))}
    </Section>
  )
}
