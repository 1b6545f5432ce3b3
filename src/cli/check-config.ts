import { envName, maskedValue, settings } from '#config/settings.ts'

import { EXIT } from './exit-codes.ts'
import { columns, note, say } from './terminal.ts'
import type { Run } from './verb.ts'

export const run: Run = ({ options, reading }) => {
  const { config, origins, file, problems } = reading
  const rows = settings.map((setting) => {
    const value = maskedValue(setting, config[setting.key])
    return { name: envName(setting.key), value, from: origins.get(setting.key) ?? 'default' }
  })
  if (options.has('json')) say(JSON.stringify({ settings: rows, file: file ?? null, problems }, null, 2))
  else {
    say(columns(rows.map(({ name, value, from }) => [name, value === '' ? '-' : value, from])))
    if (file !== undefined) say(`\nConfiguration file: ${file}`)
    for (const problem of problems) note(problem)
  }
  return Promise.resolve(problems.length === 0 ? EXIT.ok : EXIT.usage)
}
