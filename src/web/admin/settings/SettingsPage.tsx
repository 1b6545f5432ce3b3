/** All settings of the server in their groups. Changes are collected and saved together. */

import { Restore, Search } from '@mui/icons-material'
import {
  Alert,
  Box,
  Button,
  Card,
  CardContent,
  Chip,
  InputAdornment,
  Link as MuiLink,
  Paper,
  Stack,
  TextField,
  Typography,
} from '@mui/material'
import { type ReactNode, useState } from 'react'
import { Link, useSearchParams } from 'react-router'

import { useCall } from '../../api/hooks.ts'
import type { Setting } from '../../api/types.ts'
import { labelled, relativeTime } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { useMay } from '../../session/session.ts'
import { Answer, ErrorNotice } from '../../ui/Answer.tsx'
import { Page } from '../../ui/Page.tsx'
import { type Form, useForm } from '../../ui/use-form.tsx'
import { rangeOf, SettingInput, shownValue, type Value } from './SettingInput.tsx'
import { groupWords, settingWords } from './words.ts'

const words = texts({
  en: {
    title: 'Settings',
    about: 'Changes take effect at once. A lower limit leaves everything that exists as it is.',
    search: 'Search settings',
    none: 'No setting matches.',
    onlyChanged: 'Only changed settings',
    groups: 'Groups',
    appVersions: 'App versions',
    appVersionsText: 'New versions of your app are published on their own page:',
    byDefault: (value: string) => `Default: ${value}`,
    changed: (time: string, who: string | undefined) =>
      who === undefined ? `Changed ${time}` : `Changed ${time} by ${who}`,
    reset: 'Reset',
    resetOf: (label: string) => `Reset to the default: ${label}`,
    pending: (n: number) => (n === 1 ? '1 change is not saved' : `${n} changes are not saved`),
    save: 'Save',
    discard: 'Discard',
    saved: 'The settings are saved.',
    refused: 'Nothing was saved. Correct the marked settings.',
    lockedBy: (name: string) => `Set by ${name} at the start of the server, and can only be changed there.`,
    locked: (why: string) => `Cannot be switched on: it ${why}.`,
    systemAdminOnly: 'Only system administrators can change this, since it protects the server.',
  },
  zh: {
    title: '设置',
    about: '更改立即生效。调低限额不影响已有的内容。',
    search: '搜索设置',
    none: '没有匹配的设置。',
    onlyChanged: '仅显示已更改的设置',
    groups: '分组',
    appVersions: '应用版本',
    appVersionsText: '应用的新版本在单独的页面发布：',
    byDefault: (value: string) => `默认值：${value}`,
    changed: (time: string, who: string | undefined) => (who === undefined ? `${time}更改` : `${who} 于${time}更改`),
    reset: '恢复默认',
    resetOf: (label: string) => `恢复默认值：${label}`,
    pending: (n: number) => `有 ${n} 项更改尚未保存`,
    save: '保存',
    discard: '放弃',
    saved: '设置已保存。',
    refused: '没有保存任何更改，请更正标出的设置。',
    lockedBy: (name: string) => `由启动服务器时的 ${name} 设定，只能在该处更改。`,
    locked: (why: string) => `无法开启：${why}。`,
    systemAdminOnly: '此设置保护服务器，仅系统管理员可更改。',
  },
})

export default function SettingsPage() {
  const query = useCall('admin.settings.list')
  /** The command palette leads to a setting by `?keyword=`. */
  const keyword = useSearchParams()[0].get('keyword') ?? ''
  return <Answer query={query}>{({ items }) => <Settings key={keyword} items={items} sought={keyword} />}</Answer>
}

/** New values by key; null for the default. */
type Drafts = Readonly<Record<string, Value | null>>
const NOTHING: { values: Drafts } = { values: {} }

function Settings({ items, sought }: { items: readonly Setting[]; sought: string }) {
  const t = useTexts(words)
  const groups = useTexts(groupWords)
  const may = useMay()
  const mayChange = may('admin.settings.update')
  const [keyword, setKeyword] = useState(sought)
  const [onlyChanged, setOnlyChanged] = useState(false)
  const authors = useAuthors()
  const form: Form<{ values: Drafts }> = useForm('admin.settings.update', NOTHING, {
    done: t.saved,
    refreshes: ['admin.settings', 'operationLog'],
    onDone: () => form.reset(NOTHING),
  })
  const drafts = form.values.values

  const change = (setting: Setting, value: Value | null) => {
    const { [setting.key]: _, ...others } = drafts
    const isSame = value === null ? setting.updatedAt === null : JSON.stringify(value) === JSON.stringify(setting.value)
    form.set({ values: isSame ? others : { ...others, [setting.key]: value } })
  }
  const searched = keyword.trim().toLowerCase()
  const matches = items.filter(
    ({ key, label, description, updatedAt, readOnly }) =>
      !readOnly &&
      (!onlyChanged || updatedAt !== null || key in drafts) &&
      `${key} ${label} ${description}`.toLowerCase().includes(searched),
  )
  const names = [...new Set(matches.map(({ group }) => group))]

  return (
    <Page title={t.title}>
      <Typography color="text.secondary" sx={{ mb: 2 }}>
        {t.about}
      </Typography>
      <Stack direction="row" useFlexGap spacing={1.5} sx={{ flexWrap: 'wrap', alignItems: 'center', mb: 1.5 }}>
        <TextField
          type="search"
          label={t.search}
          value={keyword}
          onChange={({ target }) => setKeyword(target.value)}
          sx={{ flex: 1, minWidth: 220 }}
          slotProps={{
            input: {
              startAdornment: (
                <InputAdornment position="start">
                  <Search />
                </InputAdornment>
              ),
            },
          }}
        />
        <Chip
          label={t.onlyChanged}
          color={onlyChanged ? 'primary' : 'default'}
          variant={onlyChanged ? 'filled' : 'outlined'}
          aria-pressed={onlyChanged}
          onClick={() => setOnlyChanged(!onlyChanged)}
          sx={{ height: 40, borderRadius: 5 }}
        />
      </Stack>
      <Box component="nav" aria-label={t.groups} sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, mb: 2 }}>
        {names.map((group) => (
          <Chip
            key={group}
            variant="outlined"
            label={groups[group] ?? group}
            onClick={() => document.getElementById(`settings-${group}`)?.scrollIntoView({ behavior: 'smooth' })}
            sx={{ height: 36, borderRadius: 5 }}
          />
        ))}
      </Box>
      {matches.length === 0 && <Typography color="text.secondary">{t.none}</Typography>}
      {names.map((group) => (
        <Card key={group} id={`settings-${group}`} sx={{ mb: 2, scrollMarginTop: 64 }}>
          <CardContent>
            <Typography variant="h2" sx={{ mb: 1 }}>
              {groups[group] ?? group}
            </Typography>
            {group === 'app' && may('appUpdates.list') && (
              <Typography variant="body2">
                {t.appVersionsText}{' '}
                <MuiLink component={Link} to="/admin/app-updates" underline="always">
                  {t.appVersions}
                </MuiLink>
              </Typography>
            )}
            {matches
              .filter((setting) => setting.group === group)
              .map((setting) => (
                <Row
                  key={setting.key}
                  setting={setting}
                  draft={drafts[setting.key]}
                  author={authors[setting.key]}
                  mayChange={mayChange && setting.mayChange}
                  problem={form.problem(`values.${setting.key}`)}
                  onChange={(value) => change(setting, value)}
                />
              ))}
          </CardContent>
        </Card>
      ))}
      {Object.keys(drafts).length > 0 && (
        <Unsaved form={form} labelOf={(name) => items.find(({ key }) => key === name)?.label ?? name} />
      )}
    </Page>
  )
}

interface UnsavedProps {
  form: Form<{ values: Drafts }>
  labelOf: (key: string) => string
}

function Unsaved({ form, labelOf }: UnsavedProps) {
  const t = useTexts(words)
  const count = Object.keys(form.values.values).length
  return (
    <Paper
      variant="outlined"
      component="section"
      aria-label={t.pending(count)}
      sx={{ position: 'sticky', bottom: { xs: 76, sm: 16 }, p: 1.5, zIndex: 2, boxShadow: 4 }}
    >
      <Stack direction="row" useFlexGap spacing={1} sx={{ alignItems: 'center', flexWrap: 'wrap' }}>
        <Typography component="output" sx={{ flex: 1, minWidth: 160 }}>
          {t.pending(count)}
        </Typography>
        <Button onClick={() => form.reset(NOTHING)}>{t.discard}</Button>
        <Button variant="contained" loading={form.isBusy} onClick={() => form.submit()}>
          {t.save}
        </Button>
      </Stack>
      {form.error !== null &&
        (form.error.details.length > 0 ? (
          <Alert severity="error" sx={{ mt: 1 }}>
            {t.refused}
            {form.error.details.map(({ path, message }) => (
              <Box key={path}>{labelled(labelOf(path.replace(/^body\.(values\.)?/, '')), message)}</Box>
            ))}
          </Alert>
        ) : (
          <ErrorNotice error={form.error} />
        ))}
    </Paper>
  )
}

/** Who changed a setting last, by key, from the operation log. Empty for administrators who may not read it. */
function useAuthors(): Readonly<Record<string, string>> {
  const may = useMay()
  const log = useCall(
    'operationLog.list',
    { query: { targetType: 'SETTING', size: 100 } },
    { enabled: may('operationLog.list') },
  )
  const authors: Record<string, string> = {}
  for (const { after, actorName } of log.data?.items ?? [])
    for (const key of Object.keys(after ?? {})) authors[key] ??= actorName
  return authors
}

/** Texts between backticks are drawn as code. */
const withCode = (text: string): ReactNode[] =>
  text.split('`').map((part, at) => (at % 2 === 1 ? <code key={part}>{part}</code> : part))

interface RowProps {
  setting: Setting
  draft: Value | null | undefined
  author: string | undefined
  mayChange: boolean
  problem: string | undefined
  onChange: (value: Value | null) => void
}

function Row({ setting, draft, author, mayChange, problem, onChange }: RowProps) {
  const t = useTexts(words)
  const s = useTexts(settingWords)
  const { key, label, description, updatedAt } = setting
  const isDefault = draft === null || (draft === undefined && updatedAt === null)
  const normal = setting.default as Value
  const value = draft === undefined ? (setting.value as Value) : (draft ?? normal)
  const facts = [
    t.byDefault(shownValue(setting, normal, s)),
    rangeOf(setting, s),
    updatedAt !== null && draft === undefined && t.changed(relativeTime(updatedAt), author),
  ].filter(Boolean)
  return (
    <Box
      sx={{
        py: 2,
        '& + &': { borderTop: 1, borderColor: 'divider' },
        display: 'grid',
        gap: { xs: 1, md: 3 },
        gridTemplateColumns: { xs: '1fr', md: '1fr 300px' },
        ...(draft !== undefined && { boxShadow: (theme) => `inset 3px 0 ${theme.palette.primary.main}`, pl: 1.5 }),
      }}
    >
      <Box sx={{ minWidth: 0 }}>
        <Typography variant="h3" id={`label-${key}`}>
          {label}
        </Typography>
        <Typography variant="body2" id={`help-${key}`} sx={{ overflowWrap: 'anywhere' }}>
          {withCode(description)}
        </Typography>
        <Typography variant="caption" component="p" color="text.secondary" sx={{ overflowWrap: 'anywhere', mt: 0.5 }}>
          <code>{key}</code> · {facts.join(' · ')}
        </Typography>
        {setting.lockedBy !== null && (
          <Typography variant="body2" color="text.secondary" sx={{ mt: 0.5 }}>
            {t.lockedBy(setting.lockedBy)}
          </Typography>
        )}
        {setting.systemAdminOnly && !setting.mayChange && setting.lockedBy === null && (
          <Typography variant="body2" color="text.secondary" sx={{ mt: 0.5 }}>
            {t.systemAdminOnly}
          </Typography>
        )}
        {setting.locked !== null && (
          <Typography variant="body2" color="text.secondary" sx={{ mt: 0.5 }}>
            {t.locked(setting.locked)}
          </Typography>
        )}
      </Box>
      <Box sx={{ minWidth: 0 }}>
        <SettingInput setting={setting} value={value} disabled={!mayChange} problem={problem} onChange={onChange} />
        {mayChange && !isDefault && (
          <Button size="small" startIcon={<Restore />} onClick={() => onChange(null)} aria-label={t.resetOf(label)}>
            {t.reset}
          </Button>
        )}
      </Box>
    </Box>
  )
}
