/** The steps with which each system learns to trust the authority, and forgets it. Settings are called as the systems call them. */

import type { Locale } from '#lib/localized.ts'

import type { Picture } from './pictures.page.ts'
import type { System } from './trust.rules.ts'

export type TrustFile = 'ca.crt' | 'ca.pem' | 'ca.mobileconfig'

export interface Step {
  readonly text: string
  readonly picture: Picture
  readonly command?: string
}

export interface Guide {
  readonly name: string
  readonly file: TrustFile
  readonly steps: readonly [Step, Step, Step]
  readonly note?: string
  readonly remove: string
}

/** `name`: of the authority. */
export const guideOf = (system: System, locale: Locale, name: string): Guide => GUIDES[locale][system](name)

export const FRAMES = {
  ios: 'phone',
  android: 'phone',
  windows: 'window',
  macos: 'window',
  linux: 'window',
  firefox: 'window',
} as const satisfies Record<System, 'phone' | 'window'>

const DEBIAN =
  'sudo cp ca.pem /usr/local/share/ca-certificates/tessera.crt && sudo update-ca-certificates\nsudo trust anchor ca.pem'
const CHROMIUM = (name: string): string => `certutil -d sql:$HOME/.pki/nssdb -A -t C,, -n "${name}" -i ca.pem`

const EN: Record<System, (name: string) => Guide> = {
  ios: (name) => ({
    name: 'iPhone and iPad',
    file: 'ca.mobileconfig',
    steps: [
      {
        text: 'Open this page in Safari, touch the button for the file, and allow the download of a profile.',
        picture: { title: 'Download a configuration profile?', rows: ['Ignore', 'Allow'], marked: 1 },
      },
      {
        text: 'Open Settings, touch "Profile Downloaded" near the top, then "Install", and confirm it.',
        picture: { title: 'Settings', rows: ['Profile Downloaded', 'Wi-Fi', 'General'], marked: 0 },
      },
      {
        text: `Open Settings, General, About, Certificate Trust Settings at the end of the list, and switch on "${name}".`,
        picture: { title: 'Certificate Trust Settings', rows: [name], marked: 0, sign: 'switch' },
      },
    ],
    remove: 'Settings, General, VPN & Device Management: touch the profile, then "Remove Profile".',
  }),
  android: (name) => ({
    name: 'Android',
    file: 'ca.crt',
    steps: [
      {
        text: 'Touch the button for the file. It is saved in the folder Download.',
        picture: { title: 'Download', rows: ['ca.crt'], marked: 0, sign: 'tick' },
      },
      {
        text: 'Open Settings, Security & privacy, More security settings, Encryption & credentials, Install a certificate, and touch "CA certificate", then "Install anyway". The search of Settings finds it as "CA certificate".',
        picture: {
          title: 'Install a certificate',
          rows: ['CA certificate', 'VPN & app user certificate', 'Wi-Fi certificate'],
          marked: 0,
        },
      },
      {
        text: 'Choose the file ca.crt. Then close the browser and open it again.',
        picture: { title: 'Trusted credentials: User', rows: [name], marked: 0, sign: 'switch' },
      },
    ],
    note: 'Chrome and most browsers use it. Apps do so only if their makers allow it.',
    remove: `Settings, Encryption & credentials, Trusted credentials, User: touch "${name}", then "Remove".`,
  }),
  windows: (name) => ({
    name: 'Windows',
    file: 'ca.crt',
    steps: [
      {
        text: 'Download the file, open it, and choose "Install Certificate…".',
        picture: { title: 'Certificate', rows: [name, 'Install Certificate…'], marked: 1 },
      },
      {
        text: 'Choose "Current User", then "Place all certificates in the following store", and there "Trusted Root Certification Authorities".',
        picture: {
          title: 'Select Certificate Store',
          rows: ['Personal', 'Trusted Root Certification Authorities', 'Enterprise Trust'],
          marked: 1,
          sign: 'tick',
        },
      },
      {
        text: 'Confirm the warning with "Yes". Then close the browser and open it again. A single command does the same:',
        picture: { title: 'Security Warning', rows: ['Yes', 'No'], marked: 0, sign: 'tick' },
        command: 'certutil -user -addstore Root ca.crt',
      },
    ],
    remove: `Start certmgr.msc, open "Trusted Root Certification Authorities", "Certificates", and delete "${name}".`,
  }),
  macos: (name) => ({
    name: 'Mac',
    file: 'ca.crt',
    steps: [
      {
        text: 'Download the file and open it. Keychain Access starts; add the certificate to the keychain "login".',
        picture: { title: 'Add Certificates', rows: ['login', 'System'], marked: 0, sign: 'tick' },
      },
      {
        text: `Find "${name}" in the list, open it with a double click, and open "Trust".`,
        picture: { title: 'Keychain Access: login', rows: [name], marked: 0 },
      },
      {
        text: 'For "When using this certificate", choose "Always Trust". Close the window and type your password.',
        picture: {
          title: 'When using this certificate',
          rows: ['Use System Defaults', 'Always Trust', 'Never Trust'],
          marked: 1,
          sign: 'tick',
        },
      },
    ],
    note: 'An iPad may report itself as a Mac: follow the steps for iPhone and iPad there.',
    remove: `Delete "${name}" in Keychain Access.`,
  }),
  linux: (name) => ({
    name: 'Linux',
    file: 'ca.pem',
    steps: [
      {
        text: 'Download the file and open a terminal in its folder.',
        picture: { title: 'Downloads', rows: ['ca.pem'], marked: 0, sign: 'tick' },
      },
      {
        text: 'Add it to the certificates of the system: the first command for Debian and Ubuntu, the second (p11-kit) for Fedora, Arch and openSUSE.',
        picture: {
          title: 'Terminal',
          rows: ['$ update-ca-certificates', '1 added, 0 removed; done.'],
          marked: 1,
          sign: 'tick',
        },
        command: DEBIAN,
      },
      {
        text: 'Chrome and Chromium have a store of their own: Settings, Privacy and security, Security, Manage certificates, Custom, Import. A command does the same:',
        picture: { title: 'Certificate Manager', rows: ['Trusted Certificates', 'Import'], marked: 1 },
        command: CHROMIUM(name),
      },
    ],
    remove:
      'Delete /usr/local/share/ca-certificates/tessera.crt and run "sudo update-ca-certificates --fresh", or run "sudo trust anchor --remove ca.pem"; delete it in the browser too.',
  }),
  firefox: (name) => ({
    name: 'Firefox',
    file: 'ca.crt',
    steps: [
      {
        text: 'Click the button for the file. If Firefox asks at once whether to trust it, go on with the third step. Otherwise open Settings, Privacy & Security, Certificates, "View Certificates…".',
        picture: { title: 'Certificates', rows: ['View Certificates…', 'Security Devices…'], marked: 0 },
      },
      {
        text: 'Open the list "Authorities", click "Import…", and choose the file.',
        picture: { title: 'Certificate Manager: Authorities', rows: ['View…', 'Edit Trust…', 'Import…'], marked: 2 },
      },
      {
        text: 'Tick "Trust this CA to identify websites".',
        picture: {
          title: 'Downloading Certificate',
          rows: ['Trust this CA to identify websites', 'Trust this CA to identify email users'],
          marked: 0,
          sign: 'tick',
        },
      },
    ],
    note: 'On Windows and Mac, Firefox uses the certificates of the system if "Allow Firefox to automatically trust third-party root certificates you install" is on. On Android: Settings, About Firefox, touch the logo five times, then Settings, Secret Settings, "Use third party CA certificates".',
    remove: `In the same list, choose "${name}", then "Delete or Distrust…".`,
  }),
}

const ZH: Record<System, (name: string) => Guide> = {
  ios: (name) => ({
    name: 'iPhone 和 iPad',
    file: 'ca.mobileconfig',
    steps: [
      {
        text: '用 Safari 打开此页面，点按文件按钮，并允许下载描述文件。',
        picture: { title: '是否下载配置描述文件？', rows: ['忽略', '允许'], marked: 1 },
      },
      {
        text: '打开“设置”，点按顶部的“已下载描述文件”，再点按“安装”并确认。',
        picture: { title: '设置', rows: ['已下载描述文件', '无线局域网', '通用'], marked: 0 },
      },
      {
        text: `打开“设置” › “通用” › “关于本机”，在列表末尾打开“证书信任设置”，开启“${name}”。`,
        picture: { title: '证书信任设置', rows: [name], marked: 0, sign: 'switch' },
      },
    ],
    remove: '“设置” › “通用” › “VPN 与设备管理”：点按该描述文件，再点按“移除描述文件”。',
  }),
  android: (name) => ({
    name: 'Android',
    file: 'ca.crt',
    steps: [
      {
        text: '点按文件按钮，文件会保存到“下载”文件夹。',
        picture: { title: '下载', rows: ['ca.crt'], marked: 0, sign: 'tick' },
      },
      {
        text: '打开“设置” › “安全和隐私” › “更多安全设置” › “加密与凭据” › “安装证书”，点按“CA 证书”，再点按“仍然安装”。也可在设置中搜索“CA 证书”。',
        picture: { title: '安装证书', rows: ['CA 证书', 'VPN 和应用用户证书', 'WLAN 证书'], marked: 0 },
      },
      {
        text: '选择文件 ca.crt，然后关闭并重新打开浏览器。',
        picture: { title: '信任的凭据：用户', rows: [name], marked: 0, sign: 'switch' },
      },
    ],
    note: 'Chrome 和大多数浏览器会使用此证书。其他应用仅在开发者允许时才会使用。',
    remove: `“设置” › “加密与凭据” › “信任的凭据” › “用户”：点按“${name}”，再点按“移除”。`,
  }),
  windows: (name) => ({
    name: 'Windows',
    file: 'ca.crt',
    steps: [
      {
        text: '下载并打开文件，选择“安装证书…”。',
        picture: { title: '证书', rows: [name, '安装证书…'], marked: 1 },
      },
      {
        text: '选择“当前用户”，再选择“将所有的证书都放入下列存储”，并选定“受信任的根证书颁发机构”。',
        picture: {
          title: '选择证书存储',
          rows: ['个人', '受信任的根证书颁发机构', '企业信任'],
          marked: 1,
          sign: 'tick',
        },
      },
      {
        text: '在安全警告中选择“是”，然后关闭并重新打开浏览器。也可使用一条命令：',
        picture: { title: '安全警告', rows: ['是', '否'], marked: 0, sign: 'tick' },
        command: 'certutil -user -addstore Root ca.crt',
      },
    ],
    remove: `运行 certmgr.msc，打开“受信任的根证书颁发机构” › “证书”，删除“${name}”。`,
  }),
  macos: (name) => ({
    name: 'Mac',
    file: 'ca.crt',
    steps: [
      {
        text: '下载并打开文件。“钥匙串访问”会启动，将证书添加到“登录”钥匙串。',
        picture: { title: '添加证书', rows: ['登录', '系统'], marked: 0, sign: 'tick' },
      },
      {
        text: `在列表中找到“${name}”，双击打开，并展开“信任”。`,
        picture: { title: '钥匙串访问：登录', rows: [name], marked: 0 },
      },
      {
        text: '将“使用此证书时”设为“始终信任”，关闭窗口并输入密码。',
        picture: {
          title: '使用此证书时',
          rows: ['使用系统默认', '始终信任', '永不信任'],
          marked: 1,
          sign: 'tick',
        },
      },
    ],
    note: 'iPad 可能会显示为 Mac，请在 iPad 上按照“iPhone 和 iPad”的步骤操作。',
    remove: `在“钥匙串访问”中删除“${name}”。`,
  }),
  linux: (name) => ({
    name: 'Linux',
    file: 'ca.pem',
    steps: [
      {
        text: '下载文件，并在其所在文件夹打开终端。',
        picture: { title: '下载', rows: ['ca.pem'], marked: 0, sign: 'tick' },
      },
      {
        text: '将其添加到系统证书：第一条命令用于 Debian 和 Ubuntu，第二条（p11-kit）用于 Fedora、Arch 和 openSUSE。',
        picture: {
          title: '终端',
          rows: ['$ update-ca-certificates', '1 added, 0 removed; done.'],
          marked: 1,
          sign: 'tick',
        },
        command: DEBIAN,
      },
      {
        text: 'Chrome 和 Chromium 有自己的证书库：“设置” › “隐私和安全” › “安全” › “管理证书” › “自定义” › “导入”。也可使用一条命令：',
        picture: { title: '证书管理器', rows: ['受信任的证书', '导入'], marked: 1 },
        command: CHROMIUM(name),
      },
    ],
    remove:
      '删除 /usr/local/share/ca-certificates/tessera.crt 并运行 “sudo update-ca-certificates --fresh”，或运行 “sudo trust anchor --remove ca.pem”；同时在浏览器中删除。',
  }),
  firefox: (name) => ({
    name: 'Firefox',
    file: 'ca.crt',
    steps: [
      {
        text: '点击文件按钮。如果 Firefox 立即询问是否信任，请直接进行第三步；否则打开“设置” › “隐私与安全” › “证书” › “查看证书…”。',
        picture: { title: '证书', rows: ['查看证书…', '安全设备…'], marked: 0 },
      },
      {
        text: '打开“证书颁发机构”列表，点击“导入…”并选择文件。',
        picture: { title: '证书管理器：证书颁发机构', rows: ['查看…', '编辑信任…', '导入…'], marked: 2 },
      },
      {
        text: '勾选“信任由此证书颁发机构来标识网站”。',
        picture: {
          title: '下载证书',
          rows: ['信任由此颁发机构来标识网站', '信任由此颁发机构来标识电子邮件用户'],
          marked: 0,
          sign: 'tick',
        },
      },
    ],
    note: '在 Windows 和 Mac 上，开启“允许 Firefox 自动信任您安装的第三方根证书”后，Firefox 会使用系统证书。在 Android 上：“设置” › “关于 Firefox”，连续点按图标五次，再打开“设置” › “Secret Settings” › “使用第三方 CA 证书”。',
    remove: `在同一列表中选择“${name}”，再点击“删除或不信任…”。`,
  }),
}

const GUIDES: Record<Locale, Record<System, (name: string) => Guide>> = { en: EN, zh: ZH }
