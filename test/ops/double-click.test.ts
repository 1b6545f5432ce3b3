/** Only the choice of the command: no test here runs on Windows or macOS. */

import { expect, test } from 'bun:test'

import { browserCommand } from '#cli/double-click.ts'

test.each([
  ['win32', ['rundll32', 'url.dll,FileProtocolHandler', 'http://localhost:8080/setup?token=a']],
  ['darwin', ['open', 'http://localhost:8080/setup?token=a']],
  ['linux', undefined],
] as const)('on %s a double click opens the browser by %j', (platform, command) => {
  expect(browserCommand(platform, 'http://localhost:8080/setup?token=a')).toEqual(command as never)
})
