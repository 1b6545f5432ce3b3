/** A list of API keys, of a user or of an organization, in which keys can be ended. */

import { Key } from '@mui/icons-material'
import { Button, Chip, Typography } from '@mui/material'
import { type ReactNode, useState } from 'react'

import type { Paged } from '../api/pages.ts'
import type { DataOf } from '../api/types.ts'
import { date, relativeTime } from '../i18n/format.ts'
import { texts, useTexts } from '../i18n/words.ts'
import { EmptyState } from './Answer.tsx'
import { ConfirmDialog } from './dialogs.tsx'
import { usePointText } from './point-words.ts'
import { Row, Rows } from './Rows.tsx'

const words = texts({
  en: {
    title: 'API keys',
    none: 'No API keys',
    noneText: 'A key lets a program work with your data, for example a spreadsheet or Home Assistant.',
    until: (day: string) => `until ${day}`,
    used: (when: string) => `used ${when}`,
    unused: 'never used',
    ended: 'Ended',
    expired: 'Expired',
    mcp: { OFF: '', READ: 'assistants may read', WRITE: 'assistants may change things' },
    from: (networks: string) => `only from ${networks}`,
    more: (n: number) => `and ${n} more`,
    edit: 'Edit',
    end: 'End',
    endOf: (name: string) => `End the API key “${name}”?`,
    endText: 'Programs that use it are refused at once. This cannot be undone.',
  },
  zh: {
    title: 'API 密钥',
    none: '没有 API 密钥',
    noneText: '密钥让程序处理你的数据，例如电子表格或 Home Assistant。',
    until: (day: string) => `${day}到期`,
    used: (when: string) => `${when}使用`,
    unused: '从未使用',
    ended: '已终止',
    expired: '已过期',
    mcp: { OFF: '', READ: '智能助手可读取', WRITE: '智能助手可更改' },
    from: (networks: string) => `仅限 ${networks}`,
    more: (n: number) => `等 ${n} 项`,
    edit: '编辑',
    end: '终止',
    endOf: (name: string) => `终止 API 密钥“${name}”？`,
    endText: '使用它的程序会立即被拒绝。此操作无法撤销。',
  },
})

type ApiKey = DataOf<'apiKeys.list'>['items'][number]

const isPast = (time: number): boolean => time <= Date.now()
export const hasEnded = ({ revokedAt, expiresAt }: ApiKey): boolean => revokedAt !== null || isPast(expiresAt)

/** Points that a row names. */
const NAMED = 3

interface Props<K extends ApiKey> {
  query: Paged<K>
  /** Where the key is for, or whose it is. */
  about: (key: K) => ReactNode
  end: (key: K) => Promise<unknown>
  onEdit?: (key: K) => void
}

export function ApiKeyRows<K extends ApiKey>({ query, about, end, onEdit }: Props<K>) {
  const t = useTexts(words)
  const [ending, setEnding] = useState<K>()
  const [isBusy, setBusy] = useState(false)
  const confirm = async () => {
    setBusy(true)
    try {
      await end(ending!)
      setEnding(undefined)
    } catch {
      // The action has shown the reason.
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <Rows
        query={query}
        label={t.title}
        empty={<EmptyState icon={Key} title={t.none} text={t.noneText} />}
        keyOf={({ id }) => id}
      >
        {(key) => (
          <KeyRow
            apiKey={key}
            about={about(key)}
            onEnd={() => setEnding(key)}
            {...(onEdit && { onEdit: () => onEdit(key) })}
          />
        )}
      </Rows>
      <ConfirmDialog
        isOpen={ending !== undefined}
        title={ending === undefined ? '' : t.endOf(ending.name)}
        text={t.endText}
        action={t.end}
        isBusy={isBusy}
        onConfirm={() => void confirm()}
        onClose={() => setEnding(undefined)}
      />
    </>
  )
}

interface RowProps {
  apiKey: ApiKey
  about: ReactNode
  onEnd: () => void
  onEdit?: () => void
}

function KeyRow({ apiKey, about, onEnd, onEdit }: RowProps) {
  const t = useTexts(words)
  const pointText = usePointText()
  const { name, prefix, points, networks, mcp, expiresAt, lastUsedAt, lastAddress, revokedAt } = apiKey
  const isOver = hasEnded(apiKey)
  const rest = points.length - NAMED
  const facts = [
    isOver ? undefined : t.until(date(expiresAt)),
    lastUsedAt === null ? t.unused : t.used(relativeTime(lastUsedAt)),
    lastAddress,
    networks.length > 0 && t.from(networks.join(', ')),
    t.mcp[mcp],
  ]
  return (
    <Row
      title={
        <>
          <Typography component="span" sx={{ fontWeight: 600 }}>
            {name}
          </Typography>{' '}
          <Typography component="span" color="text.secondary" sx={{ fontFamily: 'monospace' }}>
            {prefix}…
          </Typography>{' '}
          {isOver && <Chip size="small" label={revokedAt === null ? t.expired : t.ended} />}
        </>
      }
      details={
        <>
          <div>{about}</div>
          <div>
            {points.slice(0, NAMED).map(pointText).join(' · ')} {rest > 0 && t.more(rest)}
          </div>
          {facts.filter(Boolean).join(' · ')}
        </>
      }
      actions={
        !isOver && (
          <>
            {onEdit && (
              <Button aria-label={`${t.edit}: ${name}`} onClick={onEdit}>
                {t.edit}
              </Button>
            )}
            <Button color="error" aria-label={`${t.end}: ${name}`} onClick={onEnd}>
              {t.end}
            </Button>
          </>
        )
      }
    />
  )
}
