import { MAX_JSON_BODY } from '#http/body.ts'
import { endpoint, open } from '#http/endpoint.ts'

import { answerMcp } from './messages.service.ts'

export const mcpEndpoints = [
  endpoint({
    id: 'mcp',
    method: 'POST',
    path: '/mcp',
    summary: 'Answer an assistant',
    description:
      'The Model Context Protocol, revisions 2026-07-28, 2025-11-25 and 2025-06-18: JSON-RPC messages, answered as JSON, without sessions ' +
      'and streams. Needs an API key with `mcp`, and the setting `mcp.enabled`. Tools find, describe and call the operations that the ' +
      'key may call.',
    tag: 'API keys',
    access: open,
    // The key has a rate of its own.
    isForCrowds: true,
    streamsBody: true,
    maxBody: MAX_JSON_BODY,
    answers: 'application/json',
    refuses: {
      401: 'There is no API key, or it is not valid.',
      403: 'The key is not for assistants, or the request comes from a page of another site.',
      415: 'The body is no JSON.',
      404: 'The setting `mcp.enabled` is off, or the protocol has no such method.',
    },
    run: ({ ctx, request, caller }) => answerMcp(ctx, request, caller),
  }),
]
