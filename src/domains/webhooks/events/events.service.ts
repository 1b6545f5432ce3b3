/** The rows of events, and the document that describes them. */

import { type AppContext, perContext } from '#context'
import { EVENT_TYPES, type EventThing, type EventType, WEBHOOK_SCOPES, type WebhookScope } from '#db/schema/webhooks.ts'
import type { EventRows } from '#domains/contributions.ts'
import { contributions } from '#domains/domain.ts'
import { compressedText } from '#http/compressed.ts'
import type { TObject } from '#http/schema.ts'

import { typesFor } from '../webhooks/webhooks.model.ts'
import {
  BatchEvent,
  DESCRIPTIONS,
  OWN_DATA,
  ShortenedRow,
  ShortRow,
  TestEvent,
  THINGS_OF_BATCHES,
} from './events.model.ts'

export const thingOf = (type: EventType): EventThing => type.slice(0, type.indexOf('.')) as EventThing

/** How the rows of each thing are read. */
export const sourcesOf = perContext(
  (ctx): ReadonlyMap<EventThing, EventRows> =>
    new Map(contributions(ctx, 'eventRows').flatMap((given) => Object.entries(given) as [EventThing, EventRows][])),
)

/** Undefined: webhooks of the server get it only. */
function dataOf(ctx: AppContext, type: EventType): TObject | undefined {
  if (type.endsWith('.deleted')) return ShortRow
  return OWN_DATA[type] ?? sourcesOf(ctx).get(thingOf(type))?.schema
}

interface Described {
  readonly type: string
  readonly description: string
  readonly scopes: readonly WebhookScope[]
  /** One for each kind of webhook; the first is the usual one. */
  readonly data: readonly TObject[]
}

const scopesFor = (isIt: (type: EventType) => boolean): readonly WebhookScope[] =>
  WEBHOOK_SCOPES.filter((scope) => typesFor(scope).some(isIt))

function describedEvents(ctx: AppContext): Described[] {
  const rows = EVENT_TYPES.map((type): Described => {
    const data = dataOf(ctx, type)
    return {
      type,
      description: DESCRIPTIONS[type],
      scopes: scopesFor((one) => one === type),
      data: data === undefined || data === ShortRow ? [ShortRow] : [data, ShortRow, ShortenedRow],
    }
  })
  const batches = THINGS_OF_BATCHES.map((thing): Described => ({
    type: `${thing}.batch`,
    description: 'One write has caused more than 5,000 events of one type, which are not sent one by one.',
    scopes: scopesFor((one) => thingOf(one) === thing),
    data: [BatchEvent],
  }))
  const description = 'Sent when somebody asks for a test.'
  const test = { type: 'webhook.test', description, scopes: WEBHOOK_SCOPES, data: [TestEvent] }
  return [...rows, ...batches, test]
}

const EXAMPLE = { at: '2026-01-01T00:00:00.000Z', id: '0b0c6f52-8a5e-4a57-9c53-7d4f6c1a2e90' }

async function build(ctx: AppContext): Promise<string> {
  // The generator of documents is loaded with the first request, as for the API document.
  const [{ Components }, { exampleOf }] = await Promise.all([
    import('#http/openapi/schema.ts'),
    import('#http/openapi/example.ts'),
  ])
  const components = new Components()
  const events = describedEvents(ctx).map(({ type, description, scopes, data }) => {
    const shown = data.map((schema) => components.show(schema, 'answer'))
    const example = {
      type,
      timestamp: EXAMPLE.at,
      data: exampleOf(data[0]!, 'answer'),
      id: EXAMPLE.id,
      orgId: data[0] === ShortRow || data[0] === TestEvent ? null : 7,
      schemaVersion: 1,
      sequence: 17,
    }
    const schema = {
      type: 'object',
      description,
      version: 1,
      scopes,
      required: Object.keys(example),
      properties: {
        type: { const: type },
        timestamp: { type: 'string', format: 'date-time' },
        data:
          shown.length === 1
            ? shown[0]
            : {
                description: 'The second for webhooks of the server, the third for rows that are too large',
                anyOf: shown,
              },
        id: { type: 'string', format: 'uuid', description: 'The header webhook-id, the same in every attempt' },
        orgId: { type: ['integer', 'null'], description: 'The organization that owns the row' },
        schemaVersion: { const: 1 },
        sequence: { type: 'integer', minimum: 1, description: 'In the order of the changes, for each webhook' },
      },
      example,
      examples: [example],
    }
    return [type, schema] as const
  })
  const document = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `${ctx.config.publicUrl}/webhooks.json`,
    title: 'Events of webhooks',
    oneOf: events.map(([type]) => ({ $ref: `#/$defs/${type}` })),
    $defs: { ...Object.fromEntries(events), ...components.schemas },
  }
  return JSON.stringify(document).replaceAll('#/components/schemas/', '#/$defs/')
}

const built = perContext(() => ({ publicUrl: '', text: undefined as ReturnType<typeof text> | undefined }))
const text = async (ctx: AppContext) => compressedText(await build(ctx))

export async function answerSchema(ctx: AppContext, request: Request): Promise<Response> {
  const known = built(ctx)
  const { publicUrl } = ctx.config
  if (known.text === undefined || known.publicUrl !== publicUrl) Object.assign(known, { publicUrl, text: text(ctx) })
  return (await known.text!).answer(request, {
    'content-type': 'application/schema+json; charset=utf-8',
    'access-control-allow-origin': '*',
  })
}
