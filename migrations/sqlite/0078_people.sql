-- EXPAND 0.1.0

CREATE TABLE `activity_news` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`activity_id` integer NOT NULL,
	`person` integer NOT NULL,
	`kind` text NOT NULL,
	`channel` text NOT NULL,
	`state` text NOT NULL,
	`reason` text,
	`sent_at` integer,
	`created_at` integer NOT NULL
);

CREATE INDEX `activity_news_person` ON `activity_news` (`activity_id`,`person`,`id`);

CREATE INDEX `activity_news_created` ON `activity_news` (`created_at`);

ALTER TABLE `activity_batches` ADD `ids` text;
