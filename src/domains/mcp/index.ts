/** The endpoint for assistants (Model Context Protocol), which call operations with an API key. */

import { domain } from '#domains/domain.ts'

import { mcpEndpoints } from './mcp.endpoints.ts'

export const mcp = domain({ name: 'mcp', endpoints: mcpEndpoints })
