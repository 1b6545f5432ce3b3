/** Earlier addresses of the server, with the number of codes that were printed with each. */

import { Delete } from '@mui/icons-material'
import { Box, Button, Stack, Typography } from '@mui/material'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'

import { date, number } from '../../i18n/format.ts'
import { texts, useTexts } from '../../i18n/words.ts'
import { ConfirmDialog } from '../../ui/dialogs.tsx'

const words = texts({
  en: {
    list: 'Earlier addresses',
    text: 'Codes that are printed with these addresses work as long as the address leads to this server, and scanning in the application recognizes them always.',
    since: (day: string) => `until ${day}`,
    printed: (n: number, shown: string) =>
      n === 0
        ? 'nothing printed'
        : n === 1
          ? '1 code, label, pass or poster printed'
          : `${shown} codes, labels, passes and posters printed`,
    remove: 'Remove',
    removeOf: (address: string) => `Remove ${address}`,
    question: (address: string) => `Remove ${address}?`,
    unused: 'Nothing was printed with this address.',
    used: (shown: string) =>
      `${shown} codes, labels, passes and posters were printed with it. Scanning in the application no longer recognizes them, and this cannot be undone.`,
  },
  zh: {
    list: '曾用地址',
    text: '使用这些地址印刷的二维码，只要地址仍指向此服务器就能打开；在应用中扫码则始终能识别。',
    since: (day: string) => `使用至 ${day}`,
    printed: (n: number, shown: string) => (n === 0 ? '没有印刷' : `已印刷 ${shown} 个二维码、标签、通行证和海报`),
    remove: '删除',
    removeOf: (address: string) => `删除 ${address}`,
    question: (address: string) => `删除 ${address}？`,
    unused: '没有使用此地址印刷的内容。',
    used: (shown: string) =>
      `已使用此地址印刷 ${shown} 个二维码、标签、通行证和海报。删除后应用扫码将无法识别，且无法撤销。`,
  },
})

interface Alias {
  readonly origin: string
  /** Epoch milliseconds. */
  readonly since: number
  readonly printed: number
}

export interface AliasListProps {
  aliases: readonly Alias[]
  /** Stores that only these addresses stay, although something is printed with others. Undefined for those who may not. */
  keep?: ((origins: string[]) => Promise<unknown>) | undefined
}

/** Nothing without earlier addresses. */
export function AliasList({ aliases, keep }: AliasListProps) {
  const t = useTexts(words)
  const [removed, setRemoved] = useState<Alias>()
  if (aliases.length === 0) return null
  return (
    <>
      <Typography color="text.secondary" sx={{ mb: 1 }}>
        {t.text}
      </Typography>
      <Box component="ul" aria-label={t.list} sx={{ listStyle: 'none', m: 0, p: 0 }}>
        {aliases.map((alias) => (
          <Stack
            key={alias.origin}
            component="li"
            direction="row"
            useFlexGap
            sx={{
              flexWrap: 'wrap',
              alignItems: 'center',
              gap: 1,
              py: 1,
              '& + &': { borderTop: 1, borderColor: 'divider' },
            }}
          >
            <Box sx={{ flex: 1, minWidth: 200 }}>
              <Typography sx={{ fontWeight: 600, overflowWrap: 'anywhere' }}>{alias.origin}</Typography>
              <Typography variant="body2" color="text.secondary">
                {t.since(date(alias.since))} · {t.printed(alias.printed, number(alias.printed))}
              </Typography>
            </Box>
            {keep && (
              <Button startIcon={<Delete />} aria-label={t.removeOf(alias.origin)} onClick={() => setRemoved(alias)}>
                {t.remove}
              </Button>
            )}
          </Stack>
        ))}
      </Box>
      {removed && keep && (
        <Removal
          alias={removed}
          remove={() => keep(aliases.flatMap(({ origin }) => (origin === removed.origin ? [] : [origin])))}
          onClose={() => setRemoved(undefined)}
        />
      )}
    </>
  )
}

interface RemovalProps {
  alias: Alias
  remove: () => Promise<unknown>
  onClose: () => void
}

function Removal({ alias: { origin, printed }, remove, onClose }: RemovalProps) {
  const t = useTexts(words)
  const { mutate, isPending, error } = useMutation({ mutationFn: remove, onSuccess: onClose })
  return (
    <ConfirmDialog
      isOpen
      title={t.question(origin)}
      text={printed > 0 ? t.used(number(printed)) : t.unused}
      action={t.remove}
      isBusy={isPending}
      error={error}
      onConfirm={() => mutate()}
      onClose={onClose}
    />
  )
}
