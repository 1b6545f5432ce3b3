/** The rules of a short link in their order: each as a sentence, to be moved, changed and removed. */

import { Add, ArrowDownward, ArrowUpward, Delete, Edit } from '@mui/icons-material'
import { Box, FormHelperText, IconButton, Stack, Typography } from '@mui/material'
import { useState } from 'react'

import { common } from '../../../i18n/common.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { DialogButton } from '../../../ui/DialogButton.tsx'
import { RuleDialog } from './RuleDialog.tsx'
import { type Rule, sentenceOf } from './sentences.ts'

const words = texts({
  en: {
    ...common.en,
    none: 'No rules: every scan leads to the content of the code.',
    add: 'Add a rule',
    up: (n: number) => `Move rule ${n} up`,
    down: (n: number) => `Move rule ${n} down`,
    change: (n: number) => `Change rule ${n}`,
    remove: (n: number) => `Remove rule ${n}`,
    otherwise: (target: string) => `All other scans lead to ${target}.`,
  },
  zh: {
    ...common.zh,
    none: '没有规则：所有扫码都前往二维码的内容。',
    add: '添加规则',
    up: (n: number) => `上移规则 ${n}`,
    down: (n: number) => `下移规则 ${n}`,
    change: (n: number) => `修改规则 ${n}`,
    remove: (n: number) => `移除规则 ${n}`,
    otherwise: (target: string) => `其他扫码前往 ${target}。`,
  },
})

const MAX_RULES = 20

export interface RuleListProps {
  rules: readonly Rule[]
  /** Where scans that meet no rule lead. */
  target: string
  /** The problem at each rule. */
  problem: (index: number) => string | undefined
  mayChange: boolean
  onChange: (rules: readonly Rule[]) => void
}

export function RuleList({ rules, target, problem, mayChange, onChange }: RuleListProps) {
  const t = useTexts(words)
  const [edited, setEdited] = useState<number>()
  const swap = (i: number, j: number) => onChange(rules.with(i, rules[j]!).with(j, rules[i]!))
  return (
    <>
      {rules.length === 0 && <Typography color="text.secondary">{t.none}</Typography>}
      <Box component="ol" sx={{ m: 0, pl: 3, '& > li': { py: 0.75 } }}>
        {rules.map((rule, i) => (
          <li key={JSON.stringify(rule)}>
            <Stack direction={{ xs: 'column', sm: 'row' }} sx={{ alignItems: { sm: 'center' } }}>
              <Box sx={{ flex: 1, minWidth: 0, overflowWrap: 'anywhere' }}>
                {sentenceOf(rule)}
                {problem(i) !== undefined && (
                  <FormHelperText error role="alert">
                    {problem(i)}
                  </FormHelperText>
                )}
              </Box>
              {mayChange && (
                <Box sx={{ flexShrink: 0 }}>
                  <IconButton aria-label={t.up(i + 1)} disabled={i === 0} onClick={() => swap(i, i - 1)}>
                    <ArrowUpward />
                  </IconButton>
                  <IconButton
                    aria-label={t.down(i + 1)}
                    disabled={i === rules.length - 1}
                    onClick={() => swap(i, i + 1)}
                  >
                    <ArrowDownward />
                  </IconButton>
                  <IconButton aria-label={t.change(i + 1)} onClick={() => setEdited(i)}>
                    <Edit />
                  </IconButton>
                  <IconButton aria-label={t.remove(i + 1)} onClick={() => onChange(rules.toSpliced(i, 1))}>
                    <Delete />
                  </IconButton>
                </Box>
              )}
            </Stack>
          </li>
        ))}
      </Box>
      {rules.length > 0 && (
        <Typography color="text.secondary" sx={{ overflowWrap: 'anywhere' }}>
          {t.otherwise(target)}
        </Typography>
      )}
      {mayChange && rules.length < MAX_RULES && (
        <DialogButton label={t.add} icon={<Add />} variant="outlined" sx={{ alignSelf: 'flex-start' }}>
          {(close) => (
            <RuleDialog
              rule={undefined}
              onApply={(rule) => {
                onChange([...rules, rule])
                close()
              }}
              onClose={close}
            />
          )}
        </DialogButton>
      )}
      {edited !== undefined && (
        <RuleDialog
          rule={rules[edited]}
          onApply={(rule) => {
            onChange(rules.with(edited, rule))
            setEdited(undefined)
          }}
          onClose={() => setEdited(undefined)}
        />
      )}
    </>
  )
}
