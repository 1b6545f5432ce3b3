/** The adjectives and nouns that nicknames of new accounts are made of, such as "Quiet Heron". */

import { Abc, Add } from '@mui/icons-material'
import { Box, Chip, Stack, TextField, ToggleButton, ToggleButtonGroup, Typography } from '@mui/material'
import { useState } from 'react'

import { usePages } from '../../api/pages.ts'
import type { NicknameLanguage, NicknameWord } from '../../api/types.ts'
import { useChoices } from '../../i18n/enums.ts'
import { number, withNote } from '../../i18n/format.ts'
import { texts, useLocale, useTexts } from '../../i18n/words.ts'
import { ActionButton } from '../../ui/ActionButton.tsx'
import { EmptyState, ErrorNotice, Loading, MoreButton } from '../../ui/Answer.tsx'
import { DialogButton } from '../../ui/DialogButton.tsx'
import { FormDialog } from '../../ui/dialogs.tsx'
import { ChoiceField } from '../../ui/fields.tsx'
import { Page } from '../../ui/Page.tsx'
import { Section } from '../../ui/parts.tsx'
import { useFilters } from '../../ui/use-filters.ts'
import { useForm } from '../../ui/use-form.tsx'

const words = texts({
  en: {
    title: 'Nickname words',
    about:
      'Accounts without a nickname get one from an adjective and a noun of their language, such as “Quiet Heron”. Changes apply only to accounts that are created later.',
    kind: 'Kind of words',
    adjectives: 'Adjectives',
    nouns: 'Nouns',
    language: 'Language',
    search: 'Search words',
    none: 'No word matches.',
    empty: 'There are no words yet',
    emptyText: 'Add the first one. Without words, accounts are named by numbers.',
    total: (n: number) => (n === 1 ? '1 word' : `${number(n)} words`),
    add: 'Add a word',
    addAction: 'Add',
    added: 'The word is added.',
    word: 'Word',
    edit: 'Edit the word',
    save: 'Save',
    saved: 'The word is saved.',
    delete: 'Delete',
    deleteTitle: (word: string) => `Delete “${word}”?`,
    deleteText: 'New nicknames no longer contain it. Nicknames that people already have stay.',
    deleted: 'The word is deleted.',
  },
  zh: {
    title: '昵称词库',
    about: '没有昵称的账号会用其语言的形容词和名词组成昵称，例如“安静的苍鹭”。更改只影响之后创建的账号。',
    kind: '词的种类',
    adjectives: '形容词',
    nouns: '名词',
    language: '语言',
    search: '搜索词语',
    none: '没有匹配的词。',
    empty: '还没有词',
    emptyText: '请添加第一个词。没有词时，账号用数字命名。',
    total: (n: number) => `共 ${number(n)} 个词`,
    add: '添加词',
    addAction: '添加',
    added: '词已添加。',
    word: '词',
    edit: '编辑词',
    save: '保存',
    saved: '词已保存。',
    delete: '删除',
    deleteTitle: (word: string) => `删除“${word}”？`,
    deleteText: '新的昵称不再使用此词，已有的昵称不变。',
    deleted: '词已删除。',
  },
})

const KINDS = {
  adjectives: {
    list: 'admin.nicknameAdjectives.list',
    create: 'admin.nicknameAdjectives.create',
    update: 'admin.nicknameAdjectives.update',
    delete: 'admin.nicknameAdjectives.delete',
  },
  nouns: {
    list: 'admin.nicknameNouns.list',
    create: 'admin.nicknameNouns.create',
    update: 'admin.nicknameNouns.update',
    delete: 'admin.nicknameNouns.delete',
  },
} as const
type Kind = keyof typeof KINDS

const REFRESHES = ['admin.nicknameAdjectives', 'admin.nicknameNouns', 'operationLog']

interface NicknameFilters {
  kind: Kind
  language: NicknameLanguage
  keyword: string
}

export default function NicknameWords() {
  const t = useTexts(words)
  const locale = useLocale()
  const languages = useChoices('language')
  const { filters, set } = useFilters<NicknameFilters>({ kind: 'adjectives', language: locale, keyword: '' })
  const { kind, language, keyword } = filters
  const [edited, setEdited] = useState<NicknameWord>()
  const searched = keyword.trim()
  const query = usePages(
    KINDS[kind].list,
    { query: { locale: language, ...(searched && { keyword: searched }) } },
    { size: 100 },
  )
  return (
    <Page
      title={t.title}
      actions={
        <DialogButton label={t.add} icon={<Add />} isNew>
          {(close) => <AddWord kind={kind} language={language} onClose={close} />}
        </DialogButton>
      }
    >
      <Typography color="text.secondary" sx={{ mb: 2 }}>
        {t.about}
      </Typography>
      <Section>
        <Stack direction="row" useFlexGap spacing={1.5} sx={{ flexWrap: 'wrap', mb: 2 }}>
          <ToggleButtonGroup
            exclusive
            size="small"
            value={kind}
            aria-label={t.kind}
            onChange={(_, chosen: Kind | null) => chosen && set({ kind: chosen })}
          >
            <ToggleButton value="adjectives">{t.adjectives}</ToggleButton>
            <ToggleButton value="nouns">{t.nouns}</ToggleButton>
          </ToggleButtonGroup>
          <ChoiceField
            label={t.language}
            value={language}
            onChange={(next) => set({ language: next })}
            choices={languages}
            sx={{ minWidth: 120 }}
          />
          <TextField
            type="search"
            label={t.search}
            value={keyword}
            onChange={({ target }) => set({ keyword: target.value })}
            sx={{ flex: 1, minWidth: 160 }}
          />
        </Stack>
        {query.error !== null ? (
          <ErrorNotice error={query.error} onRetry={query.retry} />
        ) : query.items === undefined ? (
          <Loading />
        ) : query.items.length === 0 ? (
          searched ? (
            <Typography color="text.secondary">{t.none}</Typography>
          ) : (
            <EmptyState icon={Abc} title={t.empty} text={t.emptyText} />
          )
        ) : (
          <>
            <Typography variant="body2" color="text.secondary" sx={{ mb: 1 }}>
              {t.total(query.total)}
            </Typography>
            <Box component="ul" aria-label={t[kind]} sx={{ m: 0, p: 0, display: 'flex', flexWrap: 'wrap', gap: 1 }}>
              {query.items.map((word) => (
                <Box component="li" key={word.id} sx={{ listStyle: 'none' }}>
                  <Chip label={word.word} variant="outlined" onClick={() => setEdited(word)} sx={{ height: 36 }} />
                </Box>
              ))}
            </Box>
            <MoreButton
              shown={query.items.length}
              total={query.total}
              onMore={query.more}
              isLoading={query.isLoading}
            />
          </>
        )}
      </Section>
      {edited !== undefined && (
        <EditWord key={edited.id} kind={kind} word={edited} onClose={() => setEdited(undefined)} />
      )}
    </Page>
  )
}

function AddWord({ kind, language, onClose }: { kind: Kind; language: NicknameLanguage; onClose: () => void }) {
  const t = useTexts(words)
  const form = useForm(
    KINDS[kind].create,
    { word: '', locale: language },
    { done: t.added, refreshes: REFRESHES, onDone: onClose },
  )
  return (
    <FormDialog form={form} title={withNote(t.add, t[kind])} action={t.addAction} maxWidth="xs" onClose={onClose}>
      <TextField {...form.text('word', { label: t.word })} autoFocus />
    </FormDialog>
  )
}

function EditWord({ kind, word, onClose }: { kind: Kind; word: NicknameWord; onClose: () => void }) {
  const t = useTexts(words)
  const form = useForm(
    KINDS[kind].update,
    { word: word.word },
    { done: t.saved, refreshes: REFRESHES, input: (body) => ({ params: { id: word.id }, body }), onDone: onClose },
  )
  return (
    <FormDialog form={form} title={t.edit} action={t.save} maxWidth="xs" onClose={onClose}>
      <TextField {...form.text('word', { label: t.word })} autoFocus />
      <Box>
        <ActionButton
          operation={KINDS[kind].delete}
          input={{ params: { id: word.id } }}
          label={t.delete}
          title={t.deleteTitle(word.word)}
          text={t.deleteText}
          done={t.deleted}
          refreshes={REFRESHES}
          onDone={onClose}
        />
      </Box>
    </FormDialog>
  )
}
