/** The finder card of an asset or code, on the page about it. */

import { Edit } from '@mui/icons-material'
import { Alert, Button, TextField, Typography } from '@mui/material'
import { type ReactNode, useState } from 'react'

import { useCall } from '../api/hooks.ts'
import type { FinderCard as Card, FoundKind, FoundWhen } from '../api/types.ts'
import { common } from '../i18n/common.ts'
import { texts, useTexts } from '../i18n/words.ts'
import { useMay, useOwnerQuery } from '../session/session.ts'
import { FormDialog } from './dialogs.tsx'
import { CheckField } from './fields.tsx'
import { Section } from './parts.tsx'
import { useForm } from './use-form.tsx'

const words = texts({
  en: {
    ...common.en,
    title: 'If lost',
    states: {
      OFF: 'The public page does not offer finders to write to you.',
      LOST: 'While the status is “Lost”, finders can write to you on the public page.',
      ALWAYS: 'Finders can write to you on the public page.',
    },
    onlyText: 'The public page shows finders your text, but takes no messages.',
    change: 'Change',
    dialog: 'If it is lost',
    when: 'Show finders a card',
    choices: { OFF: 'Never', LOST: 'While it is lost', ALWAYS: 'Always' },
    text: 'Your text for the finder',
    textHelp: 'Everyone who scans the code reads it. Write no address that you want to keep to yourself.',
    allowMessage: 'The finder can write to you, without an account',
    askPosition: 'Offer to add the position',
    saved: 'The card was saved.',
    lost: 'This is lost. Do you want to let finders write to you?',
    offer: 'Show finders a card',
  },
  zh: {
    ...common.zh,
    title: '丢失时',
    states: {
      OFF: '公开页面不提供给失主留言的功能。',
      LOST: '状态为“丢失”期间，捡到的人可以在公开页面给你留言。',
      ALWAYS: '捡到的人可以在公开页面给你留言。',
    },
    onlyText: '公开页面会向捡到的人显示你的文字，但不能留言。',
    change: '更改',
    dialog: '丢失时',
    when: '向捡到的人显示卡片',
    choices: { OFF: '从不', LOST: '丢失期间', ALWAYS: '始终' },
    text: '给捡到的人的话',
    textHelp: '扫码的人都能看到，请勿填写不愿公开的地址。',
    allowMessage: '捡到的人无需账号即可给你留言',
    askPosition: '提供附上位置的选项',
    saved: '卡片已保存。',
    lost: '此物品已丢失。要让捡到的人给你留言吗？',
    offer: '向捡到的人显示卡片',
  },
})

const OPERATIONS = {
  ASSET: { read: 'found.assetCard', update: 'found.updateAssetCard' },
  QR_CODE: { read: 'found.codeCard', update: 'found.updateCodeCard' },
} as const

interface Thing {
  kind: FoundKind
  id: number
}

const useCard = ({ kind, id }: Thing) => useCall(OPERATIONS[kind].read, { params: { id }, query: useOwnerQuery() })

/** `children`: why finders do not see the card, if that is so. */
export function FinderCard({ children, ...thing }: Thing & { children?: ReactNode }) {
  const t = useTexts(words)
  const may = useMay()
  const [isOpen, setOpen] = useState(false)
  const card = useCard(thing).data
  if (card === undefined) return null
  return (
    <Section
      title={t.title}
      actions={
        may(OPERATIONS[thing.kind].update) && (
          <Button
            size="small"
            startIcon={<Edit />}
            aria-label={`${t.change}: ${t.title}`}
            onClick={() => setOpen(true)}
          >
            {t.change}
          </Button>
        )
      }
    >
      <Typography variant="body2" color="text.secondary">
        {card.when !== 'OFF' && !card.allowMessage ? t.onlyText : t.states[card.when]}
      </Typography>
      {card.when !== 'OFF' && card.text !== '' && (
        <Typography dir="auto" sx={{ mt: 1, whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {card.text}
        </Typography>
      )}
      {card.when !== 'OFF' && children}
      {isOpen && <CardDialog thing={thing} card={card} when={card.when} onClose={() => setOpen(false)} />}
    </Section>
  )
}

/** Offers to show the card of an asset that is lost. */
export function LostOffer({ id }: { id: number }) {
  const t = useTexts(words)
  const may = useMay()
  const [isOpen, setOpen] = useState(false)
  const thing = { kind: 'ASSET', id } as const
  const card = useCard(thing).data
  if (card === undefined || (card.when !== 'OFF' && !isOpen) || !may('found.updateAssetCard')) return null
  return (
    <>
      <Alert
        severity="info"
        action={
          <Button color="inherit" size="small" onClick={() => setOpen(true)}>
            {t.offer}
          </Button>
        }
      >
        {t.lost}
      </Alert>
      {isOpen && <CardDialog thing={thing} card={card} when="LOST" onClose={() => setOpen(false)} />}
    </>
  )
}

interface DialogProps {
  thing: Thing
  card: Card
  /** The choice with which the dialog opens. */
  when: FoundWhen
  onClose: () => void
}

function CardDialog({ thing: { kind, id }, card, when, onClose }: DialogProps) {
  const t = useTexts(words)
  const owned = useOwnerQuery()
  const { text, allowMessage, askPosition } = card
  const form = useForm(
    OPERATIONS[kind].update,
    { when, text, allowMessage, askPosition },
    { done: t.saved, onDone: onClose, input: (body) => ({ params: { id }, query: owned, body }) },
  )
  const { LOST, ...ofCodes } = t.choices
  const choices = kind === 'ASSET' ? { OFF: ofCodes.OFF, LOST, ALWAYS: ofCodes.ALWAYS } : ofCodes
  return (
    <FormDialog form={form} title={t.dialog} action={t.save} onClose={onClose}>
      <TextField {...form.choice('when', choices, { label: t.when })} />
      <TextField {...form.text('text', { label: t.text, help: t.textHelp })} multiline minRows={3} />
      <CheckField {...form.check('allowMessage', { label: t.allowMessage })} />
      {form.values.allowMessage && <CheckField {...form.check('askPosition', { label: t.askPosition })} />}
    </FormDialog>
  )
}
