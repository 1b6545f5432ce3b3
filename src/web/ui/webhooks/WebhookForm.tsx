/** Makes or changes a webhook. Shows an example of the chosen events. */

import { Autocomplete, Box, TextField, Typography } from '@mui/material'
import { useState } from 'react'

import type { DataOf } from '../../api/types.ts'
import { useTexts } from '../../i18n/words.ts'
import { FormDialog } from '../dialogs.tsx'
import { CheckField } from '../fields.tsx'
import { useForm } from '../use-form.tsx'
import { scopeOf, useEventSchemas, type Webhook, type Whose } from './schema.ts'
import { words } from './words.ts'

interface Props {
  webhook: Webhook | undefined
  whose: Whose
  onClose: () => void
  onMade: (made: DataOf<'webhooks.create'>) => void
}

export const WebhookForm = (props: Props) =>
  props.webhook === undefined ? <New {...props} /> : <Edit {...props} webhook={props.webhook} />

interface Values {
  readonly name: string
  readonly url: string
  readonly events: readonly string[]
  readonly enabled: boolean
}
const FIRST: Values = { name: '', url: '', events: ['*'], enabled: true }

function New({ whose, onClose, onMade }: Props) {
  const { orgId, isOfServer } = whose
  const t = useTexts(words)
  const form = useForm(isOfServer ? 'webhooks.createOfServer' : 'webhooks.create', FIRST, {
    onDone: onMade,
    input: ({ events, ...rest }) => ({
      body: { ...rest, events: [...events], ...(orgId !== undefined && { orgId }) },
    }),
  })
  return (
    <FormDialog form={form} title={t.add} action={t.create} onClose={onClose} maxWidth="md">
      <TextField {...form.text('name', { label: t.name })} autoFocus />
      <TextField {...form.text('url', { label: t.url, help: t.urlHelp })} type="url" />
      <Events
        scope={scopeOf(whose)}
        chosen={form.values.events}
        onChoose={(events) => form.set({ events })}
        problem={form.problem('events')}
      />
      <CheckField {...form.check('enabled', { label: t.enabled })} />
    </FormDialog>
  )
}

function Edit({ webhook, whose: { isOfServer }, onClose }: Props & { webhook: Webhook }) {
  const t = useTexts(words)
  const { id, name, url, events, enabled } = webhook
  const first: Values = { name, url, events, enabled }
  const form = useForm(isOfServer ? 'webhooks.updateOfServer' : 'webhooks.update', first, {
    done: t.saved,
    onDone: onClose,
    input: ({ events: chosen, ...rest }) => ({ params: { id }, body: { ...rest, events: [...chosen] } }),
  })
  return (
    <FormDialog form={form} title={t.editOf(name)} action={t.save} onClose={onClose} maxWidth="md">
      <TextField {...form.text('name', { label: t.name })} autoFocus />
      <TextField {...form.text('url', { label: t.url, help: t.urlHelp })} type="url" />
      <Events
        scope={webhook.scope}
        chosen={form.values.events}
        onChoose={(next) => form.set({ events: next })}
        problem={form.problem('events')}
      />
      <CheckField {...form.check('enabled', { label: t.enabled })} />
    </FormDialog>
  )
}

interface EventsProps {
  scope: Webhook['scope']
  chosen: readonly string[]
  onChoose: (events: string[]) => void
  problem: string | undefined
}

function Events({ scope, chosen, onChoose, problem }: EventsProps) {
  const t = useTexts(words)
  const schemas = useEventSchemas()
  const [shown, setShown] = useState<string>()
  const types = [...schemas].flatMap(([type, { scopes }]) =>
    scopes.includes(scope) && !type.endsWith('.batch') && type !== 'webhook.test' ? [type] : [],
  )
  const things = [...new Set(types.map((type) => type.slice(0, type.indexOf('.'))))]
  const options = [
    '*',
    ...things.flatMap((thing) => [`${thing}.*`, ...types.filter((type) => type.startsWith(`${thing}.`))]),
  ]
  const textOf = (option: string) =>
    option === '*'
      ? t.all
      : option.endsWith('.*')
        ? t.allOf(option.slice(0, -2))
        : (schemas.get(option)?.description ?? '')
  const example = shown ?? types.find((type) => chosen.some((one) => selects(one, type)))
  return (
    <Box>
      <Autocomplete
        multiple
        options={options}
        getOptionLabel={(option) => (option === '*' ? t.all : option)}
        value={[...chosen]}
        onChange={(_event, next) => {
          onChoose(next)
          setShown(next.findLast((one) => schemas.has(one)))
        }}
        renderOption={({ key, ...props }, option) => (
          <li key={key} {...props}>
            <Box>
              <Typography sx={{ fontFamily: 'monospace' }}>{option}</Typography>
              <Typography variant="body2" color="text.secondary">
                {textOf(option)}
              </Typography>
            </Box>
          </li>
        )}
        renderInput={(params) => (
          <TextField {...params} label={t.events} error={problem !== undefined} helperText={problem} />
        )}
      />
      {example !== undefined && (
        <Box sx={{ mt: 1 }}>
          <Typography variant="body2" color="text.secondary">
            {t.example(example)}
          </Typography>
          <Box
            component="pre"
            tabIndex={0}
            sx={{
              m: 0,
              p: 1,
              maxHeight: 200,
              overflow: 'auto',
              fontSize: 12,
              bgcolor: 'action.hover',
              borderRadius: 1,
            }}
          >
            {JSON.stringify(schemas.get(example)?.example, null, 2)}
          </Box>
        </Box>
      )}
    </Box>
  )
}

const selects = (pattern: string, type: string): boolean =>
  pattern === '*' || pattern === type || (pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1)))
