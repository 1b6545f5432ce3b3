/** Makes a role of an organization, or changes one: a name, and in words the things that its members may do. */

import { Alert, Box, Checkbox, FormControlLabel, TextField, Typography } from '@mui/material'

import { useCall } from '../../api/hooks.ts'
import type { DataOf, Organization } from '../../api/types.ts'
import { common } from '../../i18n/common.ts'
import { texts, useLocale, useTexts } from '../../i18n/words.ts'
import { ErrorNotice, Loading } from '../../ui/Answer.tsx'
import { FormDialog } from '../../ui/dialogs.tsx'
import { ChoiceField } from '../../ui/fields.tsx'
import { useForm } from '../../ui/use-form.tsx'
import { completed, groupPoints, pointText } from './role-points.ts'

const words = texts({
  en: {
    ...common.en,
    add: 'New role',
    change: (name: string) => `Role: ${name}`,
    nameHelp: 'Shown beside the names of members, for example “Doors, evening”.',
    start: 'Start from',
    empty: 'Nothing: choose all yourself',
    startHelp: 'You can change everything below.',
    may: 'Members with this role',
    opens: (page: string) => `Page: ${page}`,
    needed: 'needed by others',
    completed: (points: string) => `Added, because the others need it: ${points}.`,
    gone: (points: string) => `No longer available, and left out when you save: ${points}.`,
    saved: 'The role is saved. It takes effect at once.',
  },
  zh: {
    ...common.zh,
    add: '新建角色',
    change: (name: string) => `角色：${name}`,
    nameHelp: '显示在成员名称旁，例如“晚场检票”。',
    start: '起始权限',
    empty: '空白，全部自选',
    startHelp: '以下各项均可更改。',
    may: '拥有此角色的成员可以做什么',
    opens: (page: string) => `页面：${page}`,
    needed: '其他权限需要',
    completed: (points: string) => `其他权限需要，已自动加上：${points}。`,
    gone: (points: string) => `已不可用，保存时将去除：${points}。`,
    saved: '角色已保存，立即生效。',
  },
})

type Role = DataOf<'orgs.roles'>['items'][number]
type Points = DataOf<'orgs.rolePoints'>

interface DialogProps {
  org: Organization
  /** Undefined: a new one. */
  role?: Role
  onClose: () => void
}

export function RoleDialog(props: DialogProps) {
  const t = useTexts(words)
  const { org, role, onClose } = props
  const points = useCall('orgs.rolePoints', { params: { orgId: org.id } })
  if (points.data !== undefined) return <RoleForm {...props} points={points.data} />
  return (
    <FormDialog title={role === undefined ? t.add : t.change(role.name)} maxWidth="md" onClose={onClose}>
      {points.error === null ? <Loading /> : <ErrorNotice error={points.error} onRetry={() => void points.refetch()} />}
    </FormDialog>
  )
}

type Preset = Points['presets'][number]['key']

function RoleForm({ org, role, points, onClose }: DialogProps & { points: Points }) {
  const t = useTexts(words)
  const locale = useLocale()
  const givable = points.items.filter(({ delegable, held }) => delegable && held)
  const givableNames = new Set(givable.map(({ name }) => name))
  const had = role?.permissions.map(({ name }) => name) ?? []
  const form = useForm(
    role === undefined ? 'orgs.createRole' : 'orgs.updateRole',
    {
      name: role?.name ?? '',
      description: role?.description ?? '',
      preset: null as Preset | null,
      permissions: new Set(had.filter((name) => givableNames.has(name))) as ReadonlySet<string>,
    },
    {
      done: t.saved,
      onDone: onClose,
      input: ({ name, description, preset, permissions }) => ({
        params: { orgId: org.id, ...(role && { roleId: role.id }) },
        body: {
          name,
          description,
          permissions: [...completed(permissions, givableNames)],
          ...(preset !== null && { preset }),
        },
      }),
    },
  )
  const { permissions: chosen, name } = form.values
  const effective = completed(chosen, givableNames)
  const inWords = (names: readonly string[]) => names.map((each) => pointText(each, locale)).join(' · ')
  const added = [...effective].filter((each) => !chosen.has(each))
  const gone = had.filter((each) => !givableNames.has(each))
  const start = (key: Preset | null) => {
    const preset = points.presets.find((each) => each.key === key)
    form.set({
      preset: key,
      permissions: new Set(preset?.permissions),
      ...(name === '' && preset !== undefined && { name: preset.name }),
    })
  }
  return (
    <FormDialog
      form={form}
      title={role === undefined ? t.add : t.change(role.name)}
      action={t.save}
      maxWidth="md"
      onClose={onClose}
    >
      {role === undefined && (
        <ChoiceField
          label={t.start}
          value={form.values.preset}
          onChange={start}
          choices={points.presets.map((preset) => ({ id: preset.key, name: preset.name }))}
          none={t.empty}
          help={t.startHelp}
        />
      )}
      <TextField {...form.text('name', { help: t.nameHelp })} />
      <TextField {...form.text('description')} multiline />
      {gone.length > 0 && <Alert severity="warning">{t.gone(inWords(gone))}</Alert>}
      {added.length > 0 && <Alert severity="info">{t.completed(inWords(added))}</Alert>}
      <Choices
        points={givable}
        chosen={chosen}
        effective={effective}
        onChoose={(permissions) => form.set({ permissions })}
      />
    </FormDialog>
  )
}

interface ChoicesProps {
  points: Points['items']
  chosen: ReadonlySet<string>
  /** With what the chosen ones need. */
  effective: ReadonlySet<string>
  onChoose: (chosen: ReadonlySet<string>) => void
}

function Choices({ points, chosen, effective, onChoose }: ChoicesProps) {
  const t = useTexts(words)
  const locale = useLocale()
  const groups = groupPoints(points, locale)
  const set = (name: string, isOn: boolean) => {
    const next = new Set(chosen)
    if (isOn) next.add(name)
    else next.delete(name)
    onChoose(next)
  }
  return (
    <Box>
      <Typography variant="h3" sx={{ mb: 1 }}>
        {t.may}
      </Typography>
      <Box sx={{ columnWidth: 280, columnGap: 3 }}>
        {groups.map((group) => (
          <Box key={group.key} component="fieldset" sx={{ border: 0, m: 0, mb: 2, p: 0, breakInside: 'avoid' }}>
            <Typography component="legend" sx={{ fontWeight: 600 }}>
              {group.label}
            </Typography>
            {group.points.map(({ name, text, page }) => (
              <FormControlLabel
                key={name}
                sx={{ display: 'flex', alignItems: 'flex-start', mr: 0 }}
                control={
                  <Checkbox
                    size="small"
                    name={name}
                    checked={effective.has(name)}
                    disabled={effective.has(name) && !chosen.has(name)}
                    onChange={({ target }) => set(name, target.checked)}
                    sx={{ py: 0.75 }}
                  />
                }
                label={
                  <Box sx={{ py: 0.75 }}>
                    {text}
                    {page !== undefined && (
                      <Typography variant="caption" component="div" color="text.secondary">
                        {t.opens(page)}
                        {effective.has(name) && !chosen.has(name) && ` · ${t.needed}`}
                      </Typography>
                    )}
                  </Box>
                }
              />
            ))}
          </Box>
        ))}
      </Box>
    </Box>
  )
}
