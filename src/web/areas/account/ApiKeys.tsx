/** Keys with which programs work with the user's data. */

import { Add } from '@mui/icons-material'
import { Alert, Box, Button, Checkbox, FormControlLabel, TextField, Typography } from '@mui/material'
import { useState } from 'react'

import { useAction } from '../../api/hooks.ts'
import { usePages } from '../../api/pages.ts'
import type { DataOf } from '../../api/types.ts'
import { labelled } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { type Session, useSession } from '../../session/session.ts'
import { ApiKeyRows } from '../../ui/api-keys.tsx'
import { useCopy } from '../../ui/copy.ts'
import { FormDialog, NoticeDialog } from '../../ui/dialogs.tsx'
import { ChoiceField } from '../../ui/fields.tsx'
import { Section } from '../../ui/parts.tsx'
import { partsOf, pointWords, usePointGroups } from '../../ui/point-words.ts'
import { useForm } from '../../ui/use-form.tsx'

const words = texts({
  en: {
    title: 'API keys',
    text: 'A key lets a program, such as a spreadsheet, Home Assistant or a script, act in your name with the permissions that you choose.',
    add: 'New API key',
    create: 'Make the key',
    nameHelp: 'The program that uses it.',
    scope: 'For',
    own: 'Your own data',
    console: 'The administration of the server',
    days: 'Valid for',
    daysOf: (n: number) => (n === 365 ? 'A year' : `${n} days`),
    networks: 'Only from these addresses',
    networksHelp: 'Addresses or ranges such as 203.0.113.0/24, one a line. Empty: from everywhere.',
    mcp: 'Assistants (MCP)',
    mcpOf: { OFF: 'May not use the key', READ: 'May read', WRITE: 'May read and change' },
    mcpWarning:
      'An assistant also reads texts that others have written, and may take them for instructions. Let it change things only if you look at each change.',
    points: 'The program may',
    noPoints: 'You hold no permissions here that a key can have.',
    made: 'The key is made',
    madeText: 'Copy it now: it is shown only this once.',
    copy: 'Copy',
    kept: 'I have copied it',
    ended: 'The key has ended.',
    save: 'Save',
    saved: 'The key is saved.',
    editText: 'Permissions and time cannot be added to a key: make another one for that.',
  },
  zh: {
    title: 'API 密钥',
    text: '密钥让程序以你的身份、在你选定的权限内操作，例如电子表格、Home Assistant 或脚本。',
    add: '新建 API 密钥',
    create: '创建密钥',
    nameHelp: '使用此密钥的程序。',
    scope: '范围',
    own: '你自己的数据',
    console: '服务器管理',
    days: '有效期',
    daysOf: (n: number) => (n === 365 ? '一年' : `${n} 天`),
    networks: '仅限以下地址',
    networksHelp: '每行一个地址或网段，例如 203.0.113.0/24。留空表示不限。',
    mcp: '智能助手（MCP）',
    mcpOf: { OFF: '不可使用此密钥', READ: '可读取', WRITE: '可读取和更改' },
    mcpWarning: '智能助手也会读到他人所写的文字，并可能把它当作指令。仅在你会逐项查看更改时才允许更改。',
    points: '程序可以',
    noPoints: '你在此范围内没有可用于密钥的权限。',
    made: '密钥已创建',
    madeText: '请立即复制，密钥只显示这一次。',
    copy: '复制',
    kept: '我已复制',
    ended: '密钥已终止。',
    save: '保存',
    saved: '密钥已保存。',
    editText: '密钥不能增加权限或延长有效期，如有需要请新建密钥。',
  },
})

type ApiKey = DataOf<'apiKeys.list'>['items'][number]

export function ApiKeys() {
  const t = useTexts(words)
  const { orgs } = useSession()
  const list = usePages('apiKeys.list')
  const revoke = useAction('apiKeys.revoke', { done: t.ended })
  const [isMaking, setMaking] = useState(false)
  const [edited, setEdited] = useState<ApiKey>()
  const [made, setMade] = useState<DataOf<'apiKeys.create'>>()
  const scopeText = ({ domain, orgId }: ApiKey) =>
    domain === 'APP' ? t.own : domain === 'PLATFORM' ? t.console : (orgs.find(({ id }) => id === orgId)?.name ?? '')
  return (
    <Section
      title={t.title}
      text={t.text}
      actions={
        <Button variant="outlined" startIcon={<Add />} onClick={() => setMaking(true)}>
          {t.add}
        </Button>
      }
    >
      <ApiKeyRows
        query={list}
        about={scopeText}
        end={({ id }) => revoke.mutateAsync({ params: { id } })}
        onEdit={setEdited}
      />
      {isMaking && (
        <NewKey
          onClose={() => setMaking(false)}
          onMade={(key) => {
            setMaking(false)
            setMade(key)
          }}
        />
      )}
      {edited !== undefined && <EditKey apiKey={edited} onClose={() => setEdited(undefined)} />}
      {made !== undefined && <MadeKey made={made} onClose={() => setMade(undefined)} />}
    </Section>
  )
}

/** A key can be limited further; more takes another key. */
function EditKey({ apiKey: { id, name, networks, mcp }, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const t = useTexts(words)
  const { OFF, READ, WRITE } = t.mcpOf
  const choices = { OFF, ...(mcp !== 'OFF' && { READ }), ...(mcp === 'WRITE' && { WRITE }) }
  const form = useForm(
    'apiKeys.update',
    { name, networks: networks.join('\n'), mcp: mcp as 'OFF' | 'READ' | 'WRITE' },
    {
      done: t.saved,
      onDone: onClose,
      input: (values) => ({ params: { id }, body: { ...values, networks: rangesOf(values.networks) } }),
    },
  )
  return (
    <FormDialog form={form} title={name} action={t.save} onClose={onClose}>
      <Typography color="text.secondary">{t.editText}</Typography>
      <TextField {...form.text('name', { help: t.nameHelp })} autoFocus />
      <TextField {...form.text('networks', { label: t.networks, help: t.networksHelp })} multiline minRows={2} />
      {mcp !== 'OFF' && <TextField {...form.choice('mcp', choices, { label: t.mcp })} />}
    </FormDialog>
  )
}

const rangesOf = (text: string): string[] => text.split(/[\s,]+/).filter((range) => range !== '')

function MadeKey({ made: { name, key }, onClose }: { made: DataOf<'apiKeys.create'>; onClose: () => void }) {
  const t = useTexts(words)
  const copy = useCopy()
  return (
    <NoticeDialog title={labelled(t.made, name)} action={t.kept} isOnlyOnce onClose={onClose} maxWidth="sm">
      <Alert severity="warning">{t.madeText}</Alert>
      <Typography component="code" sx={{ fontFamily: 'monospace', overflowWrap: 'anywhere', userSelect: 'all' }}>
        {key}
      </Typography>
      <Button variant="outlined" onClick={() => copy(key)} sx={{ alignSelf: 'flex-start' }}>
        {t.copy}
      </Button>
    </NoticeDialog>
  )
}

/** The points that a key can have besides those that read, in the administration. */
const CONSOLE_POINTS = new Set(['notification:send', 'user:create', 'org_member:create'])
const OWN = 'own'
const CONSOLE = 'console'
const DAYS = [7, 30, 90, 365]
const DAY = 86_400_000

/** The points that a key for `scope` can have. */
function pointsFor(scope: string, { app, platform, orgs }: Session): string[] {
  if (scope === CONSOLE)
    return [...platform].filter((point) => point.endsWith(':read') || CONSOLE_POINTS.has(point)).toSorted()
  const points = scope === OWN ? [...app] : (orgs.find(({ id }) => String(id) === scope)?.permissions ?? [])
  return points.filter((point) => !point.startsWith('chat:')).toSorted()
}

function NewKey({ onClose, onMade }: { onClose: () => void; onMade: (key: DataOf<'apiKeys.create'>) => void }) {
  const t = useTexts(words)
  const session = useSession()
  const form = useForm(
    'apiKeys.create',
    {
      name: '',
      scope: OWN as string,
      points: new Set() as ReadonlySet<string>,
      days: 90,
      networks: '',
      mcp: 'OFF' as 'OFF' | 'READ' | 'WRITE',
    },
    {
      onDone: onMade,
      input: ({ name, scope, points, days, networks, mcp }) => ({
        body: {
          name,
          domain: scope === OWN ? ('APP' as const) : scope === CONSOLE ? ('PLATFORM' as const) : ('ORG' as const),
          ...(scope !== OWN && scope !== CONSOLE && { orgId: Number(scope) }),
          points: [...points],
          expiresAt: Date.now() + days * DAY,
          networks: rangesOf(networks),
          mcp,
        },
      }),
    },
  )
  const { scope, points, mcp, days } = form.values
  const scopes = [
    { id: OWN, name: t.own },
    ...session.orgs.map(({ id, name }) => ({ id: String(id), name })),
    ...(session.platform.has('rbac_user_role:grant') ? [{ id: CONSOLE, name: t.console }] : []),
  ]
  return (
    <FormDialog form={form} title={t.add} action={t.create} onClose={onClose} maxWidth="md">
      <TextField {...form.text('name', { help: t.nameHelp })} autoFocus />
      {scopes.length > 1 && (
        <ChoiceField
          label={t.scope}
          value={scope}
          onChange={(chosen) => form.set({ scope: chosen, points: new Set() })}
          choices={scopes}
        />
      )}
      <Points
        offered={pointsFor(scope, session)}
        chosen={points}
        onChoose={(chosen) => form.set({ points: chosen })}
        problem={form.problem('points')}
      />
      <ChoiceField
        label={t.days}
        value={days}
        onChange={(chosen) => form.set({ days: Number(chosen) })}
        choices={DAYS.map((n) => ({ id: n, name: t.daysOf(n) }))}
      />
      <TextField {...form.text('networks', { label: t.networks, help: t.networksHelp })} multiline minRows={2} />
      <TextField {...form.choice('mcp', t.mcpOf, { label: t.mcp })} />
      {mcp === 'WRITE' && <Alert severity="warning">{t.mcpWarning}</Alert>}
    </FormDialog>
  )
}

interface PointsProps {
  offered: readonly string[]
  chosen: ReadonlySet<string>
  onChoose: (chosen: ReadonlySet<string>) => void
  problem: string | undefined
}

function Points({ offered, chosen, onChoose, problem }: PointsProps) {
  const t = useTexts(words)
  const { actions } = useTexts(pointWords)
  const groups = usePointGroups(offered, partsOf)
  const set = (names: readonly string[], isOn: boolean) => {
    const next = new Set(chosen)
    for (const name of names)
      if (isOn) next.add(name)
      else next.delete(name)
    onChoose(next)
  }
  return (
    <Box>
      <Typography variant="h3" sx={{ mb: 1 }}>
        {t.points}
      </Typography>
      {problem !== undefined && <Alert severity="error">{problem}</Alert>}
      {offered.length === 0 && <Typography color="text.secondary">{t.noPoints}</Typography>}
      <Box sx={{ columnWidth: 240, columnGap: 3 }}>
        {groups.map(({ resource, label, points }) => (
          <Box key={resource} component="fieldset" sx={{ border: 0, m: 0, mb: 1.5, p: 0, breakInside: 'avoid' }}>
            <Typography component="legend" sx={{ fontWeight: 600 }}>
              {label}
            </Typography>
            {points.map((name) => (
              <FormControlLabel
                key={name}
                sx={{ mr: 2 }}
                control={
                  <Checkbox
                    size="small"
                    name={name}
                    checked={chosen.has(name)}
                    onChange={({ target }) => set([name], target.checked)}
                  />
                }
                label={actions[partsOf(name).action] ?? name}
              />
            ))}
          </Box>
        ))}
      </Box>
    </Box>
  )
}
