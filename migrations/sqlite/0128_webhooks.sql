-- EXPAND 0.1.0

CREATE TABLE `webhook_deliveries` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`webhook_id` integer NOT NULL,
	`event_id` text NOT NULL,
	`event` text NOT NULL,
	`sequence` integer,
	`status` text DEFAULT 'PENDING' NOT NULL,
	`body` text NOT NULL,
	`attempts` text NOT NULL,
	`tries` integer DEFAULT 0 NOT NULL,
	`due_at` integer,
	`claimed_until` integer,
	`answer` text,
	`created_at` integer NOT NULL
);

CREATE INDEX `webhook_deliveries_webhook` ON `webhook_deliveries` (`webhook_id`,`id`);

CREATE INDEX `webhook_deliveries_new` ON `webhook_deliveries` (`id`) WHERE "webhook_deliveries"."sequence" is null;

CREATE INDEX `webhook_deliveries_due` ON `webhook_deliveries` (`webhook_id`,`due_at`,`id`) WHERE "webhook_deliveries"."due_at" is not null;

CREATE INDEX `webhook_deliveries_claimed` ON `webhook_deliveries` (`claimed_until`) WHERE "webhook_deliveries"."claimed_until" is not null;

CREATE TABLE `webhook_scans` (
	`qr_code_id` integer PRIMARY KEY NOT NULL,
	`owner` integer NOT NULL,
	`first_at` integer NOT NULL,
	`last_at` integer NOT NULL,
	`count` integer NOT NULL
);

CREATE INDEX `webhook_scans_first` ON `webhook_scans` (`first_at`);

CREATE TABLE `webhooks` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`scope` text NOT NULL,
	`owner` integer NOT NULL,
	`user_id` integer NOT NULL,
	`name` text NOT NULL,
	`url` text NOT NULL,
	`events` text NOT NULL,
	`secret` text NOT NULL,
	`previous_secret` text,
	`previous_until` integer,
	`enabled` integer NOT NULL,
	`disabled_reason` text,
	`enabled_at` integer NOT NULL,
	`sequence` integer DEFAULT 0 NOT NULL,
	`pending` integer DEFAULT 0 NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`is_fast` integer DEFAULT false NOT NULL,
	`due_at` integer,
	`last_success_at` integer,
	`last_failure_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`deleted_at` integer
);

CREATE INDEX `webhooks_owner` ON `webhooks` (`owner`,`id`);

CREATE INDEX `webhooks_due` ON `webhooks` (`is_fast`,`due_at`) WHERE "webhooks"."due_at" is not null;
