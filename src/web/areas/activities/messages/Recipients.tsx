/** The people to whom a message went, each once for every way. */

import { Stack } from '@mui/material'

import { usePages } from '../../../api/pages.ts'
import type { Activity, ActivityMessage, MessageChannel, MessageRecipientState } from '../../../api/types.ts'
import { useChoices, useEnum } from '../../../i18n/enums.ts'
import { dateTime } from '../../../i18n/format.ts'
import { texts, useTexts } from '../../../i18n/words.ts'
import { ChoiceField } from '../../../ui/fields.tsx'
import { Section } from '../../../ui/parts.tsx'
import { Row, Rows } from '../../../ui/Rows.tsx'
import { EnumStatus } from '../../../ui/Status.tsx'
import { useFilters } from '../../../ui/use-filters.ts'
import { activityWords } from '../words.ts'
import { isChanging } from './words.ts'

const words = texts({
  en: { title: 'Recipients', state: 'State', channel: 'How', all: 'All', none: 'Nobody has got it yet.' },
  zh: { title: '接收者', state: '状态', channel: '发送方式', all: '全部', none: '还没有人收到。' },
})

export function Recipients({ activity, message }: { activity: Activity; message: ActivityMessage }) {
  const t = useTexts(words)
  const shared = useTexts(activityWords)
  const wordOfChannel = useEnum('messageChannel')
  const wordOfReason = useEnum('deliveryReason')
  const states = useChoices('deliveryState')
  const channels = useChoices('messageChannel')
  const {
    filters,
    set,
    query: filter,
  } = useFilters({
    state: null as MessageRecipientState | null,
    channel: null as MessageChannel | null,
  })
  const query = usePages(
    'activityMessages.recipients',
    { params: { id: activity.id, messageId: message.id }, query: filter },
    { isChanging: ({ state }) => state === 'QUEUED' || isChanging(message) },
  )
  const isFiltered = Object.keys(filter).length > 0
  return (
    <Section title={t.title}>
      <Stack direction="row" spacing={1} sx={{ mb: 1, '& > *': { minWidth: 130 } }}>
        <ChoiceField
          label={t.state}
          value={filters.state}
          onChange={(state) => set({ state })}
          choices={states}
          none={t.all}
        />
        {message.channels.length > 1 && (
          <ChoiceField
            label={t.channel}
            value={filters.channel}
            onChange={(channel) => set({ channel })}
            choices={channels}
            none={t.all}
          />
        )}
      </Stack>
      <Rows
        query={query}
        label={t.title}
        keyOf={({ registrationId, name, channel }) => `${registrationId} ${name} ${channel}`}
        empty={isFiltered ? shared.notFound : t.none}
      >
        {({ name, channel, state, sentAt, reason }) => (
          <Row
            title={name}
            details={[wordOfChannel(channel), reason === null ? dateTime(sentAt) : wordOfReason(reason)]
              .filter(Boolean)
              .join(' · ')}
            actions={<EnumStatus of="deliveryState" value={state} />}
          />
        )}
      </Rows>
    </Section>
  )
}
