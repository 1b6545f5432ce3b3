CREATE TABLE `admin_log_checkpoints` (
	`id` integer PRIMARY KEY NOT NULL,
	`row_id` integer NOT NULL,
	`hash` text NOT NULL,
	`row_count` integer NOT NULL,
	`created_at` integer NOT NULL,
	`signature` text NOT NULL
);

CREATE UNIQUE INDEX `admin_log_checkpoints_row` ON `admin_log_checkpoints` (`row_id`);

CREATE TABLE `admin_log_head` (
	`id` integer PRIMARY KEY NOT NULL,
	`row_id` integer NOT NULL,
	`hash` text NOT NULL,
	`row_count` integer NOT NULL,
	`broken_at` integer,
	`signature` text NOT NULL
);

CREATE TABLE `category_clean_ups` (
	`category_id` integer PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL
);

CREATE TABLE `message_lost_files` (
	`file_id` integer PRIMARY KEY NOT NULL
);

CREATE TABLE `notification_withdrawals` (
	`content_id` integer PRIMARY KEY NOT NULL
);

CREATE TABLE `purged_activities` (
	`activity_id` integer PRIMARY KEY NOT NULL,
	`deleted_at` integer NOT NULL
);

CREATE TABLE `purged_passes` (
	`pass_id` integer PRIMARY KEY NOT NULL
);

DROP INDEX `activities_user`;

CREATE INDEX `activities_all` ON `activities` (`created_at`,`id`) WHERE "activities"."deleted_at" is null;

CREATE INDEX `activities_user` ON `activities` (`user_id`,`created_at`,`id`);

DROP INDEX `check_ins_of_user`;

CREATE INDEX `check_ins_time` ON `check_ins` (`checked_in_at`,`id`);

CREATE INDEX `check_ins_of_user` ON `check_ins` (`user_id`,`checked_in_at`,`id`);

DROP INDEX `nickname_words_word`;

CREATE UNIQUE INDEX `nickname_words_word` ON `nickname_words` (`locale`,`kind`,(lower("word")));

DROP INDEX `passes_list`;

ALTER TABLE `passes` ADD `deleted_at` integer;

CREATE INDEX `passes_created` ON `passes` (`created_at`,`id`) WHERE "passes"."deleted_at" is null;

CREATE INDEX `passes_list` ON `passes` (`activity_id`,`deleted_at`,"id" desc);

DROP INDEX `scan_records_code`;

CREATE INDEX `scan_records_created` ON `scan_records` (`created_at`,`id`);

CREATE INDEX `scan_records_user_created` ON `scan_records` (`user_id`,`created_at`,`id`);

CREATE INDEX `scan_records_code` ON `scan_records` (`qr_code_id`,`created_at`,`id`);

DROP INDEX `users_username_key`;

ALTER TABLE `users` ADD `password_is_foreign` integer DEFAULT false NOT NULL;

ALTER TABLE `users` ADD `last_login_at` integer;

CREATE INDEX `users_all_created` ON `users` (`created_at`,`id`,`status`) WHERE "users"."status" <> 'DELETED';

CREATE INDEX `users_all_login` ON `users` (`last_login_at`,`created_at`,`id`,`status`) WHERE "users"."status" <> 'DELETED';

CREATE INDEX `users_all_username` ON `users` (`username_key`,`created_at`,`id`,`status`) WHERE "users"."status" <> 'DELETED';

CREATE INDEX `users_inactive_created` ON `users` (`status`,`created_at`,`id`) WHERE "users"."status" <> 'ACTIVE';

CREATE INDEX `users_inactive_login` ON `users` (`status`,`last_login_at`,`created_at`,`id`) WHERE "users"."status" <> 'ACTIVE';

CREATE INDEX `users_inactive_username` ON `users` (`status`,`username_key`,`created_at`,`id`) WHERE "users"."status" <> 'ACTIVE';

CREATE UNIQUE INDEX `users_username_key` ON `users` (`username_key`) WHERE "users"."username_key" is not null;

ALTER TABLE `account_links` ADD `status` text DEFAULT 'ACTIVE' NOT NULL;

ALTER TABLE `check_in_users` ADD `deleted` integer DEFAULT 0 NOT NULL;

ALTER TABLE `notification_sends` ADD `audience` text DEFAULT 'ALL' NOT NULL;

ALTER TABLE `notification_sends` ADD `audience_count` integer DEFAULT 0 NOT NULL;

CREATE INDEX `notification_sends_created` ON `notification_sends` (`created_at`,`id`);

CREATE INDEX `admin_logs_target_type` ON `admin_logs` (`target_type`,`id`);

CREATE INDEX `admin_logs_action` ON `admin_logs` (`action`,`id`);

CREATE INDEX `album_photos_created` ON `album_photos` (`created_at`,`id`);

CREATE INDEX `asset_categories_created` ON `asset_categories` (`created_at`,`id`) WHERE "asset_categories"."deleted_at" is null;

CREATE INDEX `categories_created` ON `categories` (`created_at`,`id`);

CREATE INDEX `files_created` ON `files` (`created_at`,`id`);

CREATE INDEX `inventory_items_photo` ON `inventory_items` (`photo_file_id`) WHERE "inventory_items"."photo_file_id" is not null;

CREATE INDEX `notifications_readers` ON `notifications` (`content_id`,`read`) WHERE "notifications"."read";

CREATE INDEX `organizations_created` ON `organizations` (`created_at`,`id`);

CREATE INDEX `organizations_name` ON `organizations` (`name`,`created_at`,`id`);

CREATE INDEX `organizations_members` ON `organizations` (`member_count`,`created_at`,`id`);

CREATE INDEX `pass_issues_activity` ON `pass_issues` (`activity_id`);

CREATE INDEX `qr_codes_all` ON `qr_codes` (`created_at`,`id`) WHERE "qr_codes"."deleted_at" is null;

CREATE INDEX `qr_codes_trash` ON `qr_codes` (`created_at`,`id`) WHERE "qr_codes"."deleted_at" is not null;

CREATE INDEX `sessions_status` ON `sessions` (`status`,`id`);
