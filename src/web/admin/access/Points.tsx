/** The permission points: search, switch on and off, describe, and create. */

import { Add, Edit } from '@mui/icons-material'
import { Box, Card, IconButton, MenuItem, Stack, TextField, Typography } from '@mui/material'
import { useState } from 'react'

import type { Permission, PermissionDomain } from '../../api/types.ts'
import { useChoices, useEnum } from '../../i18n/enums.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { ActionButton } from '../../ui/ActionButton.tsx'
import { DialogButton } from '../../ui/DialogButton.tsx'
import { FormDialog } from '../../ui/dialogs.tsx'
import { CheckField } from '../../ui/fields.tsx'
import { usePointText } from '../../ui/point-words.ts'
import { Row, Rows } from '../../ui/Rows.tsx'
import { Status } from '../../ui/Status.tsx'
import { useForm } from '../../ui/use-form.tsx'
import { useAllPoints, useDescription } from './points.ts'

const words = texts({
  en: {
    title: 'Permission points',
    about:
      'Each operation of the server asks for one point. Points are never deleted; one that is switched off is refused to everyone.',
    search: 'Search permission points',
    domain: 'Area',
    every: 'All areas',
    none: 'No permission point matches.',
    on: 'On',
    off: 'Off',
    disable: 'Switch off',
    enable: 'Switch on',
    disableOf: (name: string) => `Switch off ${name}`,
    enableOf: (name: string) => `Switch on ${name}`,
    disableTitle: (name: string) => `Switch off “${name}”?`,
    disableText:
      'From the next request on, nobody may do what this point allows, whatever their roles are. You can switch it on again here.',
    enableTitle: (name: string) => `Switch on “${name}”?`,
    enableText: 'Everyone whose role has the point may do this again at once.',
    disabled: 'The permission point is switched off.',
    enabled: 'The permission point is switched on.',
    edit: (name: string) => `Change the description of ${name}`,
    editTitle: 'Description',
    save: 'Save',
    saved: 'The permission point is saved.',
    delegable: 'Organizations may give it',
    delegableHelp:
      'Owners can choose it for the roles that they make. If you take this away, it ends at once in all of these roles.',
    notDelegable: 'Not for roles that organizations make',
    create: 'New permission point',
    created: 'The permission point is created. Add it to roles to use it.',
    createText:
      'For programs of your own that check permissions with this server. Operations of the server have their points already.',
    resource: 'Resource',
    action: 'Action',
    wordHelp: 'Small letters and _',
  },
  zh: {
    title: '权限点',
    about: '服务器的每个操作都要求一个权限点。权限点不能删除，停用后对所有人都拒绝。',
    search: '搜索权限点',
    domain: '范围',
    every: '所有范围',
    none: '没有匹配的权限点。',
    on: '启用',
    off: '停用',
    disable: '停用',
    enable: '启用',
    disableOf: (name: string) => `停用 ${name}`,
    enableOf: (name: string) => `启用 ${name}`,
    disableTitle: (name: string) => `停用“${name}”？`,
    disableText: '从下一个请求起，无论角色如何，任何人都不能执行此权限点允许的操作。可以在这里重新启用。',
    enableTitle: (name: string) => `启用“${name}”？`,
    enableText: '角色包含此权限点的所有人可以立即重新执行操作。',
    disabled: '权限点已停用。',
    enabled: '权限点已启用。',
    edit: (name: string) => `修改 ${name} 的说明`,
    editTitle: '说明',
    save: '保存',
    saved: '权限点已保存。',
    delegable: '组织可以授予',
    delegableHelp: '所有者自建角色时可以选择。取消后，所有自建角色会立即失去此权限。',
    notDelegable: '不可用于组织自建角色',
    create: '新建权限点',
    created: '权限点已创建，加入角色后即可使用。',
    createText: '用于通过本服务器检查权限的自有程序。服务器的操作已有各自的权限点。',
    resource: '资源',
    action: '操作',
    wordHelp: '小写字母和 _',
  },
})

/** Points that “Show more” adds. */
const PAGE = 50

export function Points() {
  const t = useTexts(words)
  const may = useMay()
  const domains = useChoices('permissionDomain')
  const domainOf = useEnum('permissionDomain')
  const pointText = usePointText()
  const describe = useDescription()
  const [keyword, setKeyword] = useState('')
  const [domain, setDomain] = useState<PermissionDomain | ''>('')
  const [shown, setShown] = useState(PAGE)
  const [edited, setEdited] = useState<Permission>()
  const query = useAllPoints(domain === '' ? undefined : domain)
  const titleOf = ({ resource, action }: Permission) => pointText(`${resource}:${action}`)
  // The server knows the English words only.
  const matches = query.data?.filter((point) =>
    `${titleOf(point)} ${point.name} ${describe(point)}`.toLowerCase().includes(keyword.trim().toLowerCase()),
  )
  return (
    <>
      <Typography color="text.secondary" sx={{ mb: 2 }}>
        {t.about}
      </Typography>
      <Stack direction="row" useFlexGap spacing={1.5} sx={{ flexWrap: 'wrap', mb: 2 }}>
        <TextField
          type="search"
          label={t.search}
          value={keyword}
          onChange={({ target }) => setKeyword(target.value)}
          sx={{ flex: 1, minWidth: 200 }}
        />
        <TextField
          select
          label={t.domain}
          value={domain}
          onChange={({ target }) => setDomain(target.value as PermissionDomain | '')}
          sx={{ minWidth: 160 }}
          slotProps={{ inputLabel: { shrink: true }, select: { displayEmpty: true } }}
        >
          <MenuItem value="">{t.every}</MenuItem>
          {domains.map(({ id, name }) => (
            <MenuItem key={id} value={id}>
              {name}
            </MenuItem>
          ))}
        </TextField>
        {may('access.createPermission') && (
          <DialogButton label={t.create} icon={<Add />} isNew>
            {(close) => <CreatePoint onClose={close} />}
          </DialogButton>
        )}
      </Stack>
      <Card sx={{ px: 2, py: 1 }}>
        <Rows
          query={{
            items: matches?.slice(0, shown),
            total: matches?.length ?? 0,
            error: query.error,
            isLoading: query.isFetching,
            more: () => setShown(shown + PAGE),
            retry: () => void query.refetch(),
          }}
          empty={t.none}
          label={t.title}
          keyOf={({ id }) => id}
        >
          {(point) => (
            <Row
              title={
                <>
                  {titleOf(point)}{' '}
                  <Typography component="code" variant="caption" color="text.secondary">
                    {point.name}
                  </Typography>
                </>
              }
              details={[
                domainOf(point.domain),
                describe(point),
                ...(point.domain === 'ORG' && !point.delegable ? [t.notDelegable] : []),
              ].join(' · ')}
              actions={
                <>
                  <Box sx={{ mx: 1 }}>
                    <Status tone={point.enabled ? 'good' : 'bad'} text={point.enabled ? t.on : t.off} />
                  </Box>
                  {may('access.changePermission') && (
                    <IconButton aria-label={t.edit(point.name)} onClick={() => setEdited(point)}>
                      <Edit />
                    </IconButton>
                  )}
                  <Toggle point={point} />
                </>
              }
            />
          )}
        </Rows>
      </Card>
      {edited !== undefined && <Describe point={edited} onClose={() => setEdited(undefined)} />}
    </>
  )
}

const REFRESHES = ['access', 'operationLog']

function Toggle({ point: { id, name, enabled } }: { point: Permission }) {
  const t = useTexts(words)
  return (
    <ActionButton
      operation="access.changePermission"
      input={{ params: { id }, body: { enabled: !enabled } }}
      label={enabled ? t.disable : t.enable}
      name={enabled ? t.disableOf(name) : t.enableOf(name)}
      title={enabled ? t.disableTitle(name) : t.enableTitle(name)}
      text={enabled ? t.disableText : t.enableText}
      done={enabled ? t.disabled : t.enabled}
      refreshes={REFRESHES}
      color={enabled ? 'error' : 'primary'}
    />
  )
}

function Describe({ point, onClose }: { point: Permission; onClose: () => void }) {
  const t = useTexts(words)
  const form = useForm(
    'access.changePermission',
    { description: point.description, delegable: point.delegable },
    {
      done: t.saved,
      refreshes: REFRESHES,
      input: ({ description, delegable }) => ({
        params: { id: point.id },
        body: { description, ...(point.domain === 'ORG' && { delegable }) },
      }),
      onDone: onClose,
    },
  )
  return (
    <FormDialog form={form} title={t.editTitle} action={t.save} onClose={onClose}>
      <TextField {...form.text('description', { label: point.name })} autoFocus multiline />
      {point.domain === 'ORG' && (
        <CheckField {...form.check('delegable', { label: t.delegable, help: t.delegableHelp })} />
      )}
    </FormDialog>
  )
}

function CreatePoint({ onClose }: { onClose: () => void }) {
  const t = useTexts(words)
  const form = useForm(
    'access.createPermission',
    { domain: 'APP' as PermissionDomain, resource: '', action: '', description: '' },
    { done: t.created, refreshes: REFRESHES, onDone: onClose },
  )
  return (
    <FormDialog form={form} title={t.create} action={t.create} onClose={onClose}>
      <Typography>{t.createText}</Typography>
      <TextField {...form.choice('domain', 'permissionDomain', { label: t.domain })} />
      <TextField {...form.text('resource', { label: t.resource, help: t.wordHelp })} />
      <TextField {...form.text('action', { label: t.action, help: t.wordHelp })} />
      <TextField {...form.text('description')} />
    </FormDialog>
  )
}
