/** Nicknames for users who chose none: an adjective and a noun from lists that administrators maintain. */

import { type AppContext, type Changed, dropWhen, perContext } from '#context'
import type { WordKind } from '#db/schema/accounts.ts'
import type { Tx } from '#db/store.ts'
import type { Locale } from '#lib/localized.ts'
import { ReadCache } from '#lib/read-cache.ts'
import { topic } from '#platform/bus.ts'
import { MINUTE } from '#platform/clock.ts'
import { digits, fraction } from '#platform/ids.ts'

import { NICKNAME_MAX } from '../accounts.model.ts'
import { allWords, isSeeded, seedWords, type Word } from './nicknames.store.ts'

/** How late this process may see changes that are not announced. */
const CACHE_MS = MINUTE
const ALL = 0

const wordsChanged = topic<Changed<typeof ALL>>('accounts.nicknameWords')

const cache = perContext((ctx) => {
  const words = new ReadCache<typeof ALL, readonly Word[]>({
    max: 1,
    maxAge: CACHE_MS,
    now: () => ctx.clock.now(),
    load: () => allWords(ctx.db.read),
  })
  dropWhen(ctx, wordsChanged, words)
  return words
})

const pick = (words: readonly string[]): string | undefined => words[Math.floor(fraction() * words.length)]

/** "Happy Panda" or 快乐的熊猫; `User` and six digits if one of the language's lists is empty. */
export async function generateNickname(ctx: AppContext, locale: Locale): Promise<string> {
  const words = cache(ctx).get(ALL) ?? (await cache(ctx).fetch(ALL)) ?? []
  const pickOne = (kind: WordKind) =>
    pick(words.filter((w) => w.locale === locale && w.kind === kind).map((w) => w.word))
  const [adjective, noun] = [pickOne('ADJECTIVE'), pickOne('NOUN')]
  if (adjective === undefined || noun === undefined) return `User${digits(6)}`
  return `${adjective}${locale === 'zh' ? '' : ' '}${noun}`.slice(0, NICKNAME_MAX)
}

/** Must be called in every write that changes the lists. */
export function nicknameWordsChanged(tx: Tx): void {
  tx.publish(wordsChanged, 'all')
}

/** Fills the lists of a new database. */
export async function seedNicknames(ctx: AppContext): Promise<void> {
  if (await isSeeded(ctx.db.read)) return
  const words = (['en', 'zh'] as const).flatMap((locale) =>
    (['ADJECTIVE', 'NOUN'] as const).flatMap((kind) =>
      WORDS[locale][kind].split(' ').map((word) => ({ locale, kind, word })),
    ),
  )
  await ctx.db.write('accounts.seedNicknames', (tx) => seedWords(tx, words, ctx.clock.now()))
}

type Words = Readonly<Record<WordKind, string>>

/**
 * The lists of a new database, separated by spaces; administrators change them later. No combination of these words is offensive.
 */
export const WORDS: Readonly<Record<Locale, Words>> = {
  en: {
    ADJECTIVE:
      'Amber Bold Brave Breezy Bright Calm Cheerful Clever Cloudy Coral Cosy Crimson Curious Daring Dreamy Eager Earnest Fair ' +
      'Fearless Fleet Frosty Gentle Gleaming Golden Graceful Happy Hidden Honest Jolly Keen Kind Lively Lucky Lunar Mellow Merry ' +
      'Mighty Misty Nimble Noble Patient Playful Polite Proud Quick Quiet Radiant Royal Rustic Serene Silver Smiling Snowy ' +
      'Solar Sunny Swift Tidy Violet Warm Wise',
    NOUN:
      'Acorn Badger Bamboo Beacon Bear Birch Bison Breeze Brook Candle Cedar Comet Compass Coral Crane Cricket Dolphin Eagle ' +
      'Falcon Fern Finch Firefly Fox Garden Gecko Harbor Hare Hawk Heron Island Ivy Kestrel Koala Lantern Lark Lemon Lotus Lynx ' +
      'Maple Meadow Meteor Moon Otter Owl Panda Pebble Pine Plum Quill Raven River Robin Sparrow Star Swan Tiger Tulip Valley ' +
      'Whale Willow',
  },
  zh: {
    ADJECTIVE:
      '快乐的 勇敢的 温柔的 聪明的 安静的 热情的 阳光的 善良的 活泼的 优雅的 自由的 神秘的 幸运的 认真的 可爱的 坚定的 机智的 从容的 淡定的 乐观的 ' +
      '真诚的 灵动的 清新的 明亮的 悠闲的 浪漫的 勤劳的 沉稳的 开朗的 耐心的 谦虚的 友好的 潇洒的 细心的 爽朗的 好奇的 敏捷的 宁静的 闪亮的 温暖的 ' +
      '金色的 银色的 蔚蓝的 翠绿的 雪白的 橙色的 紫色的 晴朗的 微笑的 奔跑的 飞翔的 歌唱的 追风的 爱笑的 早起的 远行的 读书的 看海的 听雨的 赏月的',
    NOUN:
      '熊猫 海豚 白鹭 小鹿 松鼠 狐狸 燕子 锦鲤 骏马 雄鹰 兔子 刺猬 考拉 企鹅 鲸鱼 蜻蜓 蝴蝶 萤火虫 百灵 喜鹊 ' +
      '青松 翠竹 荷花 枫叶 向日葵 蒲公英 银杏 梅花 茉莉 铃兰 柠檬 橘子 樱桃 草莓 石榴 核桃 豆芽 麦穗 茶叶 山楂 ' +
      '星星 月亮 云朵 彩虹 清风 溪流 海浪 雪花 晨光 山峰 岛屿 灯塔 帆船 风铃 纸鸢 画笔 书签 罗盘 石桥 小屋',
  },
}
