-- EXPAND 0.1.0

CREATE TABLE `found_cards` (
	`kind` text NOT NULL,
	`target_id` integer NOT NULL,
	`owner` integer NOT NULL,
	`shown_when` text NOT NULL,
	`text` text NOT NULL,
	`allow_message` integer NOT NULL,
	`ask_position` integer NOT NULL,
	`locale` text NOT NULL,
	PRIMARY KEY(`kind`, `target_id`)
);

CREATE INDEX `found_cards_owner` ON `found_cards` (`owner`);

CREATE TABLE `found_clean_ups` (
	`kind` text NOT NULL,
	`target_id` integer NOT NULL,
	PRIMARY KEY(`kind`, `target_id`)
);

CREATE TABLE `found_messages` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`report_id` integer NOT NULL,
	`from_owner` integer NOT NULL,
	`text` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`report_id`) REFERENCES `found_reports`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE INDEX `found_messages_report` ON `found_messages` (`report_id`,`id`);

CREATE TABLE `found_reports` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`owner` integer NOT NULL,
	`kind` text NOT NULL,
	`target_id` integer NOT NULL,
	`title` text NOT NULL,
	`status` text DEFAULT 'OPEN' NOT NULL,
	`contact` text,
	`latitude` real,
	`longitude` real,
	`accuracy` real,
	`secret_hash` text NOT NULL,
	`finder_messages` integer NOT NULL,
	`owner_messages` integer DEFAULT 0 NOT NULL,
	`ends_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);

CREATE UNIQUE INDEX `found_reports_secret` ON `found_reports` (`secret_hash`);

CREATE INDEX `found_reports_owner` ON `found_reports` (`owner`,`id`);

CREATE INDEX `found_reports_status` ON `found_reports` (`owner`,`status`,`id`);

CREATE INDEX `found_reports_target` ON `found_reports` (`kind`,`target_id`,`id`);

CREATE INDEX `found_reports_end` ON `found_reports` (`ends_at`);

CREATE INDEX `found_reports_position` ON `found_reports` (`created_at`) WHERE "found_reports"."latitude" is not null;
