-- EXPAND 0.1.0

CREATE TABLE `asset_count_reminders` (
	`asset_id` integer PRIMARY KEY NOT NULL,
	`day` text NOT NULL
);

CREATE TABLE `asset_maintenance_dues` (
	`plan_id` integer NOT NULL,
	`asset_id` integer NOT NULL,
	`owner` integer NOT NULL,
	`due_on` text NOT NULL,
	`soon_on` text NOT NULL,
	`announced_at` integer,
	`reminded_at` integer,
	PRIMARY KEY(`plan_id`, `asset_id`)
);

CREATE INDEX `asset_maintenance_dues_asset` ON `asset_maintenance_dues` (`asset_id`);

CREATE INDEX `asset_maintenance_dues_list` ON `asset_maintenance_dues` (`owner`,`due_on`,`asset_id`,`plan_id`);

CREATE INDEX `asset_maintenance_dues_soon` ON `asset_maintenance_dues` (`soon_on`,`plan_id`) WHERE "asset_maintenance_dues"."announced_at" is null;

CREATE INDEX `asset_maintenance_dues_over` ON `asset_maintenance_dues` (`due_on`,`plan_id`) WHERE "asset_maintenance_dues"."reminded_at" is null;

CREATE TABLE `asset_maintenance_plans` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`owner` integer NOT NULL,
	`name` text NOT NULL,
	`kind` text NOT NULL,
	`asset_id` integer,
	`category_id` integer,
	`every_days` integer,
	`every_months` integer,
	`first_due` text NOT NULL,
	`lead_days` integer NOT NULL,
	`assignee_id` integer,
	`note` text DEFAULT '' NOT NULL,
	`created_by` integer NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`assignee_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`created_by`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE INDEX `asset_maintenance_plans_owner` ON `asset_maintenance_plans` (`owner`,`id`);

CREATE INDEX `asset_maintenance_plans_assignee` ON `asset_maintenance_plans` (`assignee_id`) WHERE "asset_maintenance_plans"."assignee_id" is not null;

CREATE TABLE `asset_maintenance_records` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`owner` integer NOT NULL,
	`asset_id` integer NOT NULL,
	`plan_id` integer,
	`kind` text NOT NULL,
	`done_on` text NOT NULL,
	`next_due` text,
	`cost` integer,
	`supplier` text DEFAULT '' NOT NULL,
	`result` text NOT NULL,
	`note` text DEFAULT '' NOT NULL,
	`file_ids` text NOT NULL,
	`created_by` integer NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`asset_id`) REFERENCES `assets`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE INDEX `asset_maintenance_records_asset` ON `asset_maintenance_records` (`asset_id`,`done_on`,`id`);

CREATE INDEX `asset_maintenance_records_done` ON `asset_maintenance_records` (`owner`,`done_on`,`id`);

CREATE TABLE `asset_maintenance_work` (
	`category_id` integer PRIMARY KEY NOT NULL,
	`owner` integer NOT NULL,
	`created_at` integer NOT NULL,
	`asset_id` integer NOT NULL
);

ALTER TABLE `asset_categories` ADD `depreciation` text;

ALTER TABLE `asset_categories` ADD `count_every_months` integer;

ALTER TABLE `assets` ADD `next_maintenance` text;

ALTER TABLE `assets` ADD `last_counted_on` text;

ALTER TABLE `assets` ADD `next_count_on` text;

ALTER TABLE `assets` ADD `placed_at` integer;

CREATE INDEX `assets_maintenance` ON `assets` (`owner`,`deleted_at`,`next_maintenance`,`created_at`,`id`);

CREATE INDEX `assets_count` ON `assets` (`owner`,`next_count_on`,`id`) WHERE "assets"."deleted_at" is null and "assets"."next_count_on" is not null;

ALTER TABLE `inventories` ADD `counted_up_to` integer;

CREATE INDEX `inventories_counting` ON `inventories` (`id`) WHERE "inventories"."counted_up_to" is not null;

ALTER TABLE `inventory_items` ADD `applied_at` integer;

ALTER TABLE `organizations` ADD `time_zone` text;
