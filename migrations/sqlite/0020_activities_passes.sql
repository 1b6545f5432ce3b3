CREATE TABLE `activities` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`uuid` text NOT NULL,
	`check_in_uuid` text NOT NULL,
	`owner` integer NOT NULL,
	`user_id` integer NOT NULL,
	`name` text NOT NULL,
	`description` text DEFAULT '' NOT NULL,
	`province` text DEFAULT '' NOT NULL,
	`city` text DEFAULT '' NOT NULL,
	`district` text DEFAULT '' NOT NULL,
	`location` text DEFAULT '' NOT NULL,
	`latitude` real,
	`longitude` real,
	`start_time` integer NOT NULL,
	`end_time` integer NOT NULL,
	`cover_file_id` integer,
	`visibility` text NOT NULL,
	`invite_code` text,
	`status` text DEFAULT 'DRAFT' NOT NULL,
	`discover_until` integer,
	`is_listed` integer DEFAULT false NOT NULL,
	`has_check_in` integer DEFAULT false NOT NULL,
	`has_pass` integer DEFAULT false NOT NULL,
	`check_in_config` text NOT NULL,
	`pass_config` text NOT NULL,
	`pass_template_id` integer,
	`registration` text,
	`capacity` integer DEFAULT 0 NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`ended_at` integer,
	`deleted_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE UNIQUE INDEX `activities_uuid` ON `activities` (`uuid`);

CREATE UNIQUE INDEX `activities_check_in_uuid` ON `activities` (`check_in_uuid`);

CREATE INDEX `activities_start` ON `activities` (`owner`,`deleted_at`,`start_time`,`created_at`,`id`);

CREATE INDEX `activities_created` ON `activities` (`owner`,`deleted_at`,`created_at`,`id`);

CREATE INDEX `activities_name` ON `activities` (`owner`,`deleted_at`,`name`,`created_at`,`id`);

CREATE INDEX `activities_listed_start` ON `activities` (`owner`,`deleted_at`,`is_listed`,`start_time`,`created_at`,`id`);

CREATE INDEX `activities_listed_created` ON `activities` (`owner`,`deleted_at`,`is_listed`,`created_at`,`id`);

CREATE INDEX `activities_listed_name` ON `activities` (`owner`,`deleted_at`,`is_listed`,`name`,`created_at`,`id`);

CREATE INDEX `activities_discover_start` ON `activities` (`start_time`,`created_at`,`id`,`discover_until`,`province`,`city`,`district`) WHERE "activities"."discover_until" is not null;

CREATE INDEX `activities_discover_created` ON `activities` (`created_at`,`id`,`discover_until`,`start_time`,`province`,`city`,`district`) WHERE "activities"."discover_until" is not null;

CREATE INDEX `activities_discover_province_start` ON `activities` (`province`,`start_time`,`created_at`,`id`,`discover_until`) WHERE "activities"."discover_until" is not null;

CREATE INDEX `activities_discover_province_created` ON `activities` (`province`,`created_at`,`id`,`discover_until`,`start_time`) WHERE "activities"."discover_until" is not null;

CREATE INDEX `activities_discover_city_start` ON `activities` (`province`,`city`,`start_time`,`created_at`,`id`,`discover_until`) WHERE "activities"."discover_until" is not null;

CREATE INDEX `activities_discover_city_created` ON `activities` (`province`,`city`,`created_at`,`id`,`discover_until`,`start_time`) WHERE "activities"."discover_until" is not null;

CREATE INDEX `activities_discover_district_start` ON `activities` (`province`,`city`,`district`,`start_time`,`created_at`,`id`,`discover_until`) WHERE "activities"."discover_until" is not null;

CREATE INDEX `activities_discover_district_created` ON `activities` (`province`,`city`,`district`,`created_at`,`id`,`discover_until`,`start_time`) WHERE "activities"."discover_until" is not null;

CREATE INDEX `activities_discover_until` ON `activities` (`discover_until`,`start_time`,`province`,`city`,`district`) WHERE "activities"."discover_until" is not null;

CREATE INDEX `activities_template` ON `activities` (`pass_template_id`) WHERE "activities"."pass_template_id" is not null;

CREATE INDEX `activities_user` ON `activities` (`user_id`,`id`);

CREATE TABLE `activity_counters` (
	`activity_id` integer PRIMARY KEY NOT NULL,
	`check_ins` integer DEFAULT 0 NOT NULL,
	`checked_in_users` integer DEFAULT 0 NOT NULL,
	`passes` integer DEFAULT 0 NOT NULL,
	`pass_uses` integer DEFAULT 0 NOT NULL,
	`confirmed` integer DEFAULT 0 NOT NULL,
	`waiting` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`activity_id`) REFERENCES `activities`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE INDEX `activity_counters_waiting` ON `activity_counters` (`activity_id`) WHERE "activity_counters"."waiting" > 0;

CREATE TABLE `check_in_slots` (
	`activity_id` integer NOT NULL,
	`slot` integer NOT NULL,
	`method` text NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`activity_id`, `slot`, `method`)
);

CREATE TABLE `check_in_users` (
	`activity_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`activity_id`, `user_id`)
);

CREATE TABLE `check_ins` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`activity_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`sequence` integer NOT NULL,
	`method` text NOT NULL,
	`distance` integer,
	`checked_in_at` integer NOT NULL,
	FOREIGN KEY (`activity_id`) REFERENCES `activities`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE INDEX `check_ins_activity` ON `check_ins` (`activity_id`,`checked_in_at`,`id`);

CREATE INDEX `check_ins_user` ON `check_ins` (`activity_id`,`user_id`,`checked_in_at`,`id`);

CREATE INDEX `check_ins_of_user` ON `check_ins` (`user_id`);

CREATE TABLE `pass_issues` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`activity_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`request_id` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`activity_id`) REFERENCES `activities`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE UNIQUE INDEX `pass_issues_request` ON `pass_issues` (`activity_id`,`user_id`,`request_id`) WHERE "pass_issues"."request_id" is not null;

CREATE TABLE `pass_keys` (
	`id` integer PRIMARY KEY NOT NULL,
	`public_key` text NOT NULL,
	`sealed_seed` text NOT NULL,
	`created_at` integer NOT NULL,
	`retired_at` integer
);

CREATE TABLE `pass_templates` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`owner` integer NOT NULL,
	`user_id` integer NOT NULL,
	`name` text NOT NULL,
	`description` text DEFAULT '' NOT NULL,
	`color` text DEFAULT '' NOT NULL,
	`fields` text NOT NULL,
	`valid_from` integer,
	`valid_to` integer,
	`valid_days` integer,
	`max_uses` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE INDEX `pass_templates_list` ON `pass_templates` (`owner`,`created_at`,`id`);

CREATE TABLE `pass_uses` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`activity_id` integer NOT NULL,
	`pass_id` integer,
	`pass_uuid` text,
	`result` text NOT NULL,
	`reason` text,
	`direction` text NOT NULL,
	`nonce` text,
	`offline` integer DEFAULT false NOT NULL,
	`is_double_use` integer DEFAULT false NOT NULL,
	`verifier_user_id` integer,
	`used_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`activity_id`) REFERENCES `activities`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`pass_id`) REFERENCES `passes`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE UNIQUE INDEX `pass_uses_nonce` ON `pass_uses` (`activity_id`,`nonce`) WHERE "pass_uses"."nonce" is not null;

CREATE INDEX `pass_uses_activity` ON `pass_uses` (`activity_id`,`used_at`,`created_at`,`id`);

CREATE INDEX `pass_uses_pass` ON `pass_uses` (`pass_id`,`used_at`,`created_at`,`id`) WHERE "pass_uses"."pass_id" is not null;

CREATE INDEX `pass_uses_anonymous` ON `pass_uses` (`activity_id`,`id`) WHERE "pass_uses"."verifier_user_id" is null;

CREATE TABLE `passes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`uuid` text NOT NULL,
	`activity_id` integer NOT NULL,
	`issue_id` integer NOT NULL,
	`template_id` integer,
	`color` text DEFAULT '' NOT NULL,
	`holder_user_id` integer,
	`live_holder_id` integer,
	`holder_name` text NOT NULL,
	`fields` text NOT NULL,
	`key_id` integer NOT NULL,
	`valid_from` integer,
	`valid_to` integer,
	`max_uses` integer NOT NULL,
	`used_count` integer DEFAULT 0 NOT NULL,
	`is_inside` integer DEFAULT false NOT NULL,
	`last_used_at` integer,
	`revoked_at` integer,
	`revoke_reason` text DEFAULT '' NOT NULL,
	`expired_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`activity_id`) REFERENCES `activities`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`issue_id`) REFERENCES `pass_issues`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`holder_user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE UNIQUE INDEX `passes_uuid` ON `passes` (`uuid`);

CREATE UNIQUE INDEX `passes_live_holder` ON `passes` (`activity_id`,`live_holder_id`) WHERE "passes"."live_holder_id" is not null;

CREATE INDEX `passes_list` ON `passes` (`activity_id`,"id" desc);

CREATE INDEX `passes_issue` ON `passes` (`issue_id`,`id`);

CREATE INDEX `passes_holder` ON `passes` (`holder_user_id`,`activity_id`,`id`) WHERE "passes"."holder_user_id" is not null;

CREATE INDEX `passes_live` ON `passes` (`activity_id`) WHERE "passes"."revoked_at" is null and "passes"."expired_at" is null;

CREATE INDEX `passes_revoked` ON `passes` (`activity_id`,`revoked_at`,`id`) WHERE "passes"."revoked_at" is not null;

CREATE INDEX `passes_ending` ON `passes` (`valid_to`,`id`) WHERE "passes"."valid_to" is not null and "passes"."expired_at" is null;

CREATE TABLE `registrations` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`activity_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`status` text NOT NULL,
	`answers` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`activity_id`) REFERENCES `activities`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE UNIQUE INDEX `registrations_user` ON `registrations` (`activity_id`,`user_id`);

CREATE INDEX `registrations_list` ON `registrations` (`activity_id`,`created_at`,`id`);

CREATE INDEX `registrations_status` ON `registrations` (`activity_id`,`status`,`created_at`,`id`);

CREATE INDEX `registrations_of_user` ON `registrations` (`user_id`);
