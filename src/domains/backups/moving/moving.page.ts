/** The pages that restore a backup on a new server, with the setup link and without an account. */

import type { AppContext } from '#context'
import { button, card, facts, form, hiddenField, html, htmlPage, notice, reloadingPage, text } from '#http/pages.ts'
import type { Html } from '#lib/html.ts'
import type { Locale } from '#lib/localized.ts'

import type { BackupView } from '../backups.model.ts'
import type { Preview } from '../restores/restores.model.ts'

const WORDS = {
  en: {
    title: 'Restore a backup or move a server here',
    intro:
      'Choose a backup that another Tessera has made (a file .tar.zst or .tar.gz). It contains database, files and keys. You see what is in it before it is restored.',
    file: 'Backup',
    upload: 'Upload and check',
    uploadHint: 'Large files take some time; keep this page open. Nothing is changed yet.',
    create: 'Create a new administrator instead',
    checkingTitle: 'The backup is being checked',
    checking: (percent: number) => `${percent} % done. The page loads again by itself.`,
    unusable: 'This file cannot be used.',
    other: 'Choose another file',
    previewTitle: 'Restore this backup?',
    madeAt: 'Made at',
    version: 'By version',
    host: 'On the machine',
    address: 'Address at that time',
    users: 'Users',
    organizations: 'Organizations',
    codes: 'QR codes',
    files: 'Uploaded files',
    administrators: 'Administrators',
    warn: 'The server restarts with the data of the backup. All users sign in again, with the passwords of the backup.',
    restore: 'Restore now',
    runningTitle: 'The backup is being restored',
    running: 'This takes some minutes. The page loads again by itself.',
    doneTitle: 'The server has the data of the backup',
    done: (names: string) =>
      `Sign in with one of these administrator accounts, and its password of the backup: ${names}.`,
    signIn: 'Sign in',
    same: 'The address is the same as before, so printed codes and links go on working.',
    moved: (before: string, now: string) =>
      `Before, the server was at ${before}; now it is at ${now}. Printed codes and links lead to the old address: let it lead to this server, or set the public address (TESSERA_PUBLIC_URL) to it.`,
    certificate:
      'Certificates in files are not part of a backup: copy them from the old machine, or get new ones. Then stop the old server, so that nobody goes on working there.',
    unknown: 'Set the public address (TESSERA_PUBLIC_URL) to the one that printed codes have.',
    failed: 'The backup was not restored.',
  },
  zh: {
    title: '恢复备份或将服务器迁移到此处',
    intro:
      '请选择由其他 Tessera 创建的备份文件（.tar.zst 或 .tar.gz），其中包含数据库、文件和密钥。恢复之前可以查看其内容。',
    file: '备份文件',
    upload: '上传并校验',
    uploadHint: '大文件需要一些时间，请勿关闭此页面。此时不会更改任何数据。',
    create: '改为创建新管理员',
    checkingTitle: '正在校验备份',
    checking: (percent: number) => `已完成 ${percent}%，页面会自动重新加载。`,
    unusable: '此文件无法使用。',
    other: '选择其他文件',
    previewTitle: '恢复此备份？',
    madeAt: '创建时间',
    version: '版本',
    host: '原机器',
    address: '当时的地址',
    users: '用户',
    organizations: '组织',
    codes: '二维码',
    files: '上传的文件',
    administrators: '管理员',
    warn: '服务器将以备份中的数据重新启动。所有用户需使用备份中的密码重新登录。',
    restore: '立即恢复',
    runningTitle: '正在恢复备份',
    running: '这需要几分钟，页面会自动重新加载。',
    doneTitle: '服务器已使用备份中的数据',
    done: (names: string) => `请使用以下任一管理员账号及其在备份中的密码登录：${names}。`,
    signIn: '登录',
    same: '地址未变，已印制的二维码和链接继续有效。',
    moved: (before: string, now: string) =>
      `服务器原地址为 ${before}，现地址为 ${now}。已印制的二维码和链接指向原地址：请让原地址指向此服务器，或将公开地址（TESSERA_PUBLIC_URL）设为原地址。`,
    certificate: '证书文件不包含在备份中：请从旧机器复制，或申请新证书。然后停止旧服务器，以免有人继续在其上操作。',
    unknown: '请将公开地址（TESSERA_PUBLIC_URL）设为已印制的二维码所用的地址。',
    failed: '备份未能恢复。',
  },
} as const

export interface Visit {
  readonly token: string
  readonly locale: Locale
  readonly ctx: AppContext
  /** The query that keeps the language, without a question mark: `&lang=zh`, otherwise empty. */
  readonly language: string
}

const addressOf = ({ token, language }: Visit, name?: string): string =>
  `/setup/restore?token=${encodeURIComponent(token)}${name === undefined ? '' : `&name=${encodeURIComponent(name)}`}${language}`

const pathOf = (visit: Visit, name?: string): string => addressOf({ ...visit, language: '' }, name)

/** The form for the file. `problem`: why the one before was refused, or why the restore failed. */
export function choosePage(visit: Visit, problem?: string, status = 200): Response {
  const words = WORDS[visit.locale]
  return htmlPage(visit.ctx, {
    title: words.title,
    locale: visit.locale,
    path: pathOf(visit),
    status,
    body: html`${problem !== undefined && notice(problem, 'bad')}${card(
      [
        text(words.intro),
        html`<form method="post" action="${addressOf(visit)}" enctype="multipart/form-data">
          <div class="field">
            <label for="f-file">${words.file}</label>
            <input id="f-file" type="file" name="file" accept=".zst,.gz" required aria-describedby="n-file" />
            <p class="hint" id="n-file">${words.uploadHint}</p>
          </div>
          ${button(words.upload)}
        </form>`,
        button(words.create, {
          href: `/setup?token=${encodeURIComponent(visit.token)}${visit.language}`,
          kind: 'plain',
        }),
      ],
      { title: words.title },
    )}`,
  })
}

export function checkingPage({ name, progress }: BackupView, visit: Visit): Response {
  const words = WORDS[visit.locale]
  const { locale } = visit
  return reloadingPage({
    ctx: visit.ctx,
    title: words.checkingTitle,
    text: words.checking(progress ?? 0),
    locale,
    path: addressOf(visit, name),
  })
}

/** For a file that a verification has refused. */
export function unusablePage({ verification, problem }: BackupView, visit: Visit): Response {
  const words = WORDS[visit.locale]
  return htmlPage(visit.ctx, {
    title: words.unusable,
    locale: visit.locale,
    body: html`${notice(verification.problem ?? problem ?? words.unusable, 'bad')}${card(
      button(words.other, { href: addressOf(visit) }),
      { title: words.unusable },
    )}`,
  })
}

export function previewPage(name: string, preview: Preview, visit: Visit): Response {
  const { locale } = visit
  const words = WORDS[locale]
  const count = (what: Preview['rows'][number]['what']) =>
    String(preview.rows.find((row) => row.what === what)?.backup ?? 0)
  const [refusal] = preview.refusals
  const go: Html = html`${text(words.warn)}${form(`/setup/restore/start?lang=${locale}`, [
    hiddenField('token', visit.token),
    hiddenField('name', name),
    button(words.restore),
  ])}`
  return htmlPage(visit.ctx, {
    title: words.previewTitle,
    locale,
    path: pathOf(visit, name),
    body: html`${refusal && notice(refusal.sentence, 'bad')}${card(
      [
        facts([
          [words.madeAt, new Date(preview.madeAt).toISOString().replace('T', ' ').slice(0, 16) + ' UTC'],
          [words.version, preview.version],
          [words.host, preview.host],
          [words.address, preview.publicUrl],
          [words.users, count('users')],
          [words.organizations, count('organizations')],
          [words.codes, count('qr_codes')],
          [words.files, count('files')],
          [words.administrators, preview.administrators.join(', ')],
        ]),
        refusal === undefined && go,
        button(words.other, { href: addressOf(visit), kind: 'plain' }),
      ],
      { title: words.previewTitle },
    )}`,
  })
}

export function runningPage(visit: Visit): Response {
  const { runningTitle, running } = WORDS[visit.locale]
  return reloadingPage({
    ctx: visit.ctx,
    title: runningTitle,
    text: running,
    locale: visit.locale,
    path: addressOf(visit),
  })
}

export const failedText = (locale: Locale): string => WORDS[locale].failed

interface Moved {
  readonly administrators: readonly string[]
  /** Of the backup. */
  readonly publicUrl: string | null
  /** Of this server. */
  readonly here: string
}

/** The page after the restore. It says with which accounts one can sign in, and what to do about the address. */
export function movedPage({ administrators, publicUrl, here }: Moved, visit: Visit): Response {
  const words = WORDS[visit.locale]
  const advice = publicUrl === null ? words.unknown : publicUrl === here ? words.same : words.moved(publicUrl, here)
  return htmlPage(visit.ctx, {
    title: words.doneTitle,
    locale: visit.locale,
    body: card(
      [
        text(words.done(administrators.join(', '))),
        text(advice),
        text(words.certificate),
        button(words.signIn, { href: `/console/${visit.language.replace('&', '?')}` }),
      ],
      { title: words.doneTitle },
    ),
  })
}
