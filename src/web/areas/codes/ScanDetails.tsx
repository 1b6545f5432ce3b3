/** The scans of a code by hour, device, language, country, and page that they came from. */

import { Box, Stack, Typography } from '@mui/material'

import type { QrCodeScanStats } from '../../api/types.ts'
import { number } from '../../i18n/format.ts'
import { texts, useLocale, useTexts } from '../../i18n/words.ts'
import { HIDDEN } from '../../ui/Chart.tsx'
import { type Share, ShareList } from './Shares.tsx'

const words = texts({
  en: {
    hours: 'Scans by hour of the day',
    hour: 'Hour',
    scans: 'Scans',
    devices: 'Devices',
    languages: 'Languages',
    countries: 'Countries',
    pages: 'Pages with the link',
    rules: 'Rules',
    robots: (n: string) => `Without robots: ${n} filtered`,
    visitors: (n: string) => `${n} visitors per day, added up`,
    earlier: (n: string) => `${n} more before the code was imported`,
    utc: 'Lists, visitors and robots count the days of world time (UTC) that the period touches.',
    noDetails:
      'There are no details for this period. They are counted when a scan opens the target at once, unless the visitor or the operator has opted out.',
    noCountries: 'The server does not know countries: its operator can add a file of them.',
    unknown: 'Unknown',
    others: 'Others',
    direct: 'Opened directly, as by a camera',
    noLanguage: 'Not given',
    noRule: 'No rule',
    rule: (n: number) => `Rule ${n}`,
    devicesNamed: { IOS: 'iPhone and iPad', ANDROID: 'Android', WINDOWS: 'Windows', MACOS: 'Mac', LINUX: 'Linux' },
  },
  zh: {
    hours: '按小时统计的扫码次数',
    hour: '小时',
    scans: '扫码次数',
    devices: '设备',
    languages: '语言',
    countries: '国家',
    pages: '来源网站',
    rules: '规则',
    robots: (n: string) => `不含机器人：已过滤 ${n} 次`,
    visitors: (n: string) => `每日访客数之和：${n}`,
    earlier: (n: string) => `导入前另有 ${n} 次`,
    utc: '各列表、访客和机器人按所选时间涉及的世界时（UTC）日期统计。',
    noDetails: '这段时间没有明细。扫码后直接打开目标时才会统计明细，访客或管理员选择不统计时除外。',
    noCountries: '服务器没有识别国家的数据文件，管理员可以添加。',
    unknown: '未知',
    others: '其他',
    direct: '直接打开，例如用相机扫码',
    noLanguage: '未提供',
    noRule: '无规则',
    rule: (n: number) => `规则 ${n}`,
    devicesNamed: { IOS: 'iPhone 和 iPad', ANDROID: '安卓', WINDOWS: 'Windows', MACOS: 'Mac', LINUX: 'Linux' },
  },
})

type Rows = readonly { value: string | null; count: number }[]

export function ScanDetails({ stats }: { stats: QrCodeScanStats }) {
  const t = useTexts(words)
  const locale = useLocale()
  const list = (rows: Rows, nameOf: (value: string) => string): Share[] =>
    rows.map(({ value, count }) => ({
      key: value ?? '',
      name: value === null ? t.unknown : value === 'other' ? t.others : nameOf(value),
      count,
    }))
  const nameIn = (type: 'language' | 'region') => {
    const names = new Intl.DisplayNames(locale, { type })
    return (value: string): string => names.of(value) ?? value
  }
  const language = nameIn('language')
  const { byDevice, byCountry, robots, visitors, earlierScans } = stats
  const devices: Readonly<Record<string, string>> = t.devicesNamed
  const knowsCountries = byCountry.some(({ value }) => value !== null)
  return (
    <Stack spacing={2} sx={{ pt: 2 }}>
      <Hours hours={stats.byHour} />
      <Box sx={{ color: 'text.secondary', fontVariantNumeric: 'tabular-nums' }}>
        <Typography variant="body2">{t.visitors(number(visitors))}</Typography>
        <Typography variant="body2">{t.robots(number(robots))}</Typography>
        {earlierScans > 0 && <Typography variant="body2">{t.earlier(number(earlierScans))}</Typography>}
      </Box>
      {byDevice.length === 0 ? (
        <Typography variant="body2" color="text.secondary">
          {t.noDetails}
        </Typography>
      ) : (
        <>
          <ShareList heading="h3" title={t.devices} rows={list(byDevice, (value) => devices[value] ?? t.others)} />
          <ShareList
            heading="h3"
            title={t.languages}
            rows={list(stats.byLanguage, (value) => (value === 'und' ? t.noLanguage : language(value)))}
          />
          <ShareList
            heading="h3"
            title={t.countries}
            empty={t.noCountries}
            rows={knowsCountries ? list(byCountry, nameIn('region')) : []}
          />
          <ShareList
            heading="h3"
            title={t.pages}
            rows={list(stats.byReferrer, (value) => (value === 'direct' ? t.direct : value))}
          />
          {stats.byRule.some(({ value }) => value !== 'default') && (
            <ShareList
              heading="h3"
              title={t.rules}
              rows={list(stats.byRule, (value) => (value === 'default' ? t.noRule : t.rule(Number(value) + 1)))}
            />
          )}
          <Typography variant="body2" color="text.secondary">
            {t.utc}
          </Typography>
        </>
      )}
    </Stack>
  )
}

/** A column for each hour, and a table with the same numbers for screen readers. */
function Hours({ hours }: { hours: QrCodeScanStats['byHour'] }) {
  const t = useTexts(words)
  const largest = Math.max(1, ...hours.map(({ count }) => count))
  return (
    <Box component="figure" sx={{ m: 0, position: 'relative' }}>
      <Typography variant="h3" sx={{ mb: 1 }}>
        {t.hours}
      </Typography>
      <Stack direction="row" spacing="2px" aria-hidden="true" sx={{ height: 80, alignItems: 'flex-end' }}>
        {hours.map(({ hour, count }) => (
          <Box
            key={hour}
            title={`${hour}:00 · ${number(count)}`}
            sx={{ flex: 1, height: `${(count / largest) * 100}%`, minHeight: 2, bgcolor: 'primary.main' }}
          />
        ))}
      </Stack>
      <Stack
        direction="row"
        aria-hidden="true"
        sx={{ justifyContent: 'space-between', fontSize: '0.75rem', color: 'text.secondary' }}
      >
        {[0, 6, 12, 18, 24].map((hour) => (
          <span key={hour}>{hour}</span>
        ))}
      </Stack>
      <Box sx={HIDDEN}>
        <table>
          <caption>{t.hours}</caption>
          <thead>
            <tr>
              <th>{t.hour}</th>
              <th>{t.scans}</th>
            </tr>
          </thead>
          <tbody>
            {hours.map(({ hour, count }) => (
              <tr key={hour}>
                <th>{hour}:00</th>
                <td>{number(count)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Box>
    </Box>
  )
}
