/** Generates `docs/settings.md` from the table in the code: `bun test/settings/settings-doc.ts`. A test fails if the file is out of date. */

import { join } from 'node:path'

import type { SettingView } from '#domains/settings/admin/settings.admin.model.ts'
import { settingViews } from '#domains/settings/admin/settings.admin.view.ts'

export const documentPath = join(import.meta.dir, '../../docs/settings.md')

function valuesOf({ key, type, min, max, choices }: SettingView): string {
  if (type === 'BOOLEAN') return 'true or false'
  if (type === 'LIST') return 'list'
  if (type === 'STRING') return choices?.map((choice) => `\`${choice}\``).join(', ') ?? 'text'
  const unit = /(?:Bytes|_size|quota\.storage)$/.test(key) ? ' bytes' : ''
  return (max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `${min}–${max}`) + unit
}

function rowOf(setting: SettingView): string {
  const { key, readOnly, systemAdminOnly, description } = setting
  const initial = Array.isArray(setting.default) ? setting.default.join(', ') : String(setting.default)
  const texts = `${description}${readOnly ? ' Read-only.' : ''}${systemAdminOnly ? ' Changed by SYSTEM_ADMIN only.' : ''}`
  return `| \`${key}\` | ${texts} | ${valuesOf(setting)} | ${initial === '' ? '' : `\`${initial}\``} |`
}

export function settingsDocument(): string {
  return [
    '# Settings',
    '',
    '<!-- Generated from src/domains/settings/settings.model.ts by `bun test/settings/settings-doc.ts`. -->',
    '',
    'Administrators change these settings while the server runs, with `PUT /api/admin/settings`; a change takes effect at once in every process. How to',
    'do that is described in [docs/administration.md](administration.md). Those that protect accounts, data and the operation log are changed by SYSTEM_ADMIN',
    'only. The settings with which the server starts are in [docs/operations.md](operations.md#configuration).',
    '',
    '| Setting | Meaning | Values | Default |',
    '|---|---|---|---|',
    ...settingViews([], {
      locale: 'en',
      isSystemAdmin: true,
      lockOf: () => undefined,
      startValueOf: () => undefined,
    }).map(rowOf),
    '',
  ].join('\n')
}

if (import.meta.main) await Bun.write(documentPath, settingsDocument())
