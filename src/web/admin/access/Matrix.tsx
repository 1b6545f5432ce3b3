/** Which role has which permission, for one area. Roles are columns that lead to their page; on phones they are a list. */

import { Add, Check } from '@mui/icons-material'
import {
  Box,
  Card,
  Chip,
  Link as MuiLink,
  Stack,
  TextField,
  ToggleButton,
  ToggleButtonGroup,
  Tooltip,
  Typography,
} from '@mui/material'
import { Fragment, useState } from 'react'
import { Link, useNavigate } from 'react-router'

import { useAll } from '../../api/pages.ts'
import type { Permission, PermissionDomain, Role } from '../../api/types.ts'
import { useChoices } from '../../i18n/enums.ts'
import { number, withNote } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { ErrorNotice, Loading } from '../../ui/Answer.tsx'
import { DialogButton } from '../../ui/DialogButton.tsx'
import { FormDialog } from '../../ui/dialogs.tsx'
import { ChoiceField } from '../../ui/fields.tsx'
import { OrgPicker } from '../../ui/pickers.tsx'
import { usePointGroups } from '../../ui/point-words.ts'
import { useForm } from '../../ui/use-form.tsx'
import { useIsNarrow } from '../../ui/use-is-phone.ts'
import { accessWords, useActionWord, useAllPoints, useDescription } from './points.ts'

const words = texts({
  en: {
    area: 'Area',
    explanation: {
      PLATFORM: 'Rights of administrators over the data of all users.',
      APP: 'Rights of users over their own things.',
      ORG: 'Rights of members in an organization. New organizations get copies of these roles; choose one to see its own.',
    },
    org: 'Roles of this organization',
    points: (n: number) => (n === 1 ? '1 permission' : `${number(n)} permissions`),
    permission: 'Permission',
    yes: (role: string, point: string) => `${role} may: ${point}`,
    create: 'New role',
    code: 'Code',
    codeHelp: 'Capital letters, digits and _. It cannot be changed later.',
    copy: 'Copy the permissions of',
    nothing: 'Start without permissions',
    created: 'The role is created.',
  },
  zh: {
    area: '范围',
    explanation: {
      PLATFORM: '管理员在管理页面中对所有用户的数据可以做什么。',
      APP: '用户对自己的内容可以做什么。',
      ORG: '成员在组织中可以做什么。新组织会复制这些角色；选择一个组织可查看它自己的角色。',
    },
    org: '此组织的角色',
    points: (n: number) => `${number(n)} 项权限`,
    permission: '权限',
    yes: (role: string, point: string) => `${role}可以：${point}`,
    create: '新建角色',
    code: '代码',
    codeHelp: '大写字母、数字和 _，以后不能更改。',
    copy: '复制以下角色的权限',
    nothing: '从空白开始',
    created: '角色已创建。',
  },
})

export function Matrix() {
  const t = useTexts(words)
  const may = useMay()
  const domains = useChoices('permissionDomain')
  const [domain, setDomain] = useState<PermissionDomain>('PLATFORM')
  const [orgId, setOrgId] = useState<number | null>(null)
  const scopeId = domain === 'ORG' ? (orgId ?? 0) : 0
  const isPhone = useIsNarrow()
  const roles = useAll('access.listRoles', { query: { domain, scopeId } })
  const points = useAllPoints(domain)
  return (
    <>
      <Stack direction="row" useFlexGap spacing={1.5} sx={{ flexWrap: 'wrap', alignItems: 'center', mb: 1 }}>
        <ToggleButtonGroup
          exclusive
          size="small"
          value={domain}
          aria-label={t.area}
          onChange={(_, chosen: PermissionDomain | null) => chosen && setDomain(chosen)}
        >
          {domains.map(({ id, name }) => (
            <ToggleButton key={id} value={id}>
              {name}
            </ToggleButton>
          ))}
        </ToggleButtonGroup>
        {domain === 'ORG' && may('admin.orgs.list') && may('admin.orgs.get') && (
          <Box sx={{ minWidth: 240 }}>
            <OrgPicker label={t.org} value={orgId} onChange={setOrgId} />
          </Box>
        )}
        <Box sx={{ flex: 1 }} />
        {roles.data !== undefined && may('access.createRole') && (
          <DialogButton label={t.create} icon={<Add />} isNew>
            {(close) => <CreateRole domain={domain} scopeId={scopeId} roles={roles.data} onClose={close} />}
          </DialogButton>
        )}
      </Stack>
      <Typography color="text.secondary" sx={{ mb: 2 }}>
        {t.explanation[domain]}
      </Typography>
      {roles.error !== null ? (
        <ErrorNotice error={roles.error} onRetry={() => void roles.refetch()} />
      ) : roles.data !== undefined && (isPhone || !may('access.listPermissions')) ? (
        <List roles={roles.data} />
      ) : points.error !== null ? (
        <ErrorNotice error={points.error} onRetry={() => void points.refetch()} />
      ) : roles.data === undefined || points.data === undefined ? (
        <Loading />
      ) : (
        <Grid roles={roles.data} points={points.data} />
      )}
    </>
  )
}

function List({ roles }: { roles: readonly Role[] }) {
  return (
    <Card>
      <Box component="ul" sx={{ listStyle: 'none', m: 0, p: 0 }}>
        {roles.map((role) => (
          <Box key={role.id} component="li" sx={{ p: 2, '& + &': { borderTop: 1, borderColor: 'divider' } }}>
            <RoleHead role={role} />
          </Box>
        ))}
      </Box>
    </Card>
  )
}

function RoleHead({ role }: { role: Role }) {
  const t = useTexts(words)
  const a = useTexts(accessWords)
  return (
    <>
      <MuiLink component={Link} to={`/admin/access/roles/${role.id}`} sx={{ fontWeight: 600 }}>
        {role.name}
      </MuiLink>
      <Typography variant="caption" component="div" color="text.secondary" sx={{ mt: 0.25 }}>
        {role.holdsEverything ? a.all : t.points(role.permissions.length)}
        {role.isSystem && <> · {a.systemMark}</>}
      </Typography>
    </>
  )
}

function Grid({ roles, points }: { roles: readonly Role[]; points: readonly Permission[] }) {
  const t = useTexts(words)
  const a = useTexts(accessWords)
  const groups = usePointGroups(points, (point) => point)
  const actionOf = useActionWord()
  const describe = useDescription()
  const sticky = { position: 'sticky', left: 0, bgcolor: 'background.paper', zIndex: 1 } as const
  return (
    <Card sx={{ overflow: 'auto', maxHeight: 'calc(100dvh - 304px)' }} tabIndex={0} aria-label={t.permission}>
      <Box
        component="table"
        sx={{ borderCollapse: 'separate', borderSpacing: 0, width: '100%', '& th': { textAlign: 'start' } }}
      >
        <thead>
          <tr>
            <Box
              component="th"
              scope="col"
              sx={{
                ...sticky,
                top: 0,
                zIndex: 3,
                p: 1.5,
                minWidth: 220,
                verticalAlign: 'bottom',
                borderBottom: 1,
                borderColor: 'divider',
              }}
            >
              {t.permission}
            </Box>
            {roles.map((role) => (
              <Box
                key={role.id}
                component="th"
                scope="col"
                sx={{
                  position: 'sticky',
                  top: 0,
                  zIndex: 2,
                  bgcolor: 'background.paper',
                  p: 1.5,
                  minWidth: 120,
                  verticalAlign: 'bottom',
                  borderBottom: 1,
                  borderColor: 'divider',
                }}
              >
                <RoleHead role={role} />
              </Box>
            ))}
          </tr>
        </thead>
        <tbody>
          {groups.map(({ resource, label, points: own }) => (
            <Fragment key={resource}>
              <tr>
                <Box
                  component="th"
                  scope="rowgroup"
                  colSpan={roles.length + 1}
                  sx={{ px: 1.5, pt: 2, pb: 0.5, borderTop: 1, borderColor: 'divider' }}
                >
                  {label}
                </Box>
              </tr>
              {own.map((point) => (
                <Box component="tr" key={point.id} sx={{ '&:hover > *': { bgcolor: 'action.hover' } }}>
                  <Box component="th" scope="row" sx={{ ...sticky, px: 1.5, py: 0.5, pl: 3, fontWeight: 400 }}>
                    <Tooltip title={withNote(describe(point), point.name)} placement="right">
                      <span>{actionOf(point)}</span>
                    </Tooltip>
                    {!point.enabled && <Chip size="small" label={a.off} sx={{ ml: 1 }} />}
                  </Box>
                  {roles.map((role) => (
                    <Box key={role.id} component="td" sx={{ px: 1.5, py: 0.5 }}>
                      {(role.holdsEverything || role.permissionIds.includes(point.id)) && (
                        <Check
                          fontSize="small"
                          color={point.enabled ? 'primary' : 'disabled'}
                          titleAccess={t.yes(role.name, `${label}, ${actionOf(point)}`)}
                        />
                      )}
                    </Box>
                  ))}
                </Box>
              ))}
            </Fragment>
          ))}
        </tbody>
      </Box>
    </Card>
  )
}

interface CreateRoleProps {
  domain: PermissionDomain
  scopeId: number
  roles: readonly Role[]
  onClose: () => void
}

function CreateRole({ domain, scopeId, roles, onClose }: CreateRoleProps) {
  const t = useTexts(words)
  const navigate = useNavigate()
  const form = useForm(
    'access.createRole',
    { name: '', code: '', from: null as number | null },
    {
      done: t.created,
      input: ({ name, code, from }) => ({
        body: {
          name,
          code: code.toUpperCase(),
          domain,
          scopeId,
          permissionIds: roles.find(({ id }) => id === from)?.permissionIds ?? [],
        },
      }),
      onDone: ({ id }) => void navigate(`/admin/access/roles/${id}`),
    },
  )
  return (
    <FormDialog form={form} title={t.create} action={t.create} onClose={onClose}>
      <TextField {...form.text('name')} autoFocus />
      <TextField {...form.text('code', { label: t.code, help: t.codeHelp })} />
      <ChoiceField
        {...form.pick('from', { label: t.copy })}
        none={t.nothing}
        choices={roles
          .filter(({ holdsEverything }) => !holdsEverything)
          .map(({ id, name, permissions }) => ({ id, name: `${name} (${t.points(permissions.length)})` }))}
      />
    </FormDialog>
  )
}
