-- EXPAND 0.1.0

CREATE TABLE `qr_links` (
	`qr_code_id` integer PRIMARY KEY NOT NULL,
	`forward_query` integer DEFAULT false NOT NULL,
	`warn` integer DEFAULT false NOT NULL,
	`rules` text NOT NULL,
	`rules_left` text NOT NULL,
	`fallback_url` text,
	`expires_at` integer,
	`max_scans` integer,
	`scans_left` integer,
	`password_hash` text,
	`earlier_scans` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`qr_code_id`) REFERENCES `qr_codes`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE TABLE `qr_slugs` (
	`slug` text PRIMARY KEY NOT NULL,
	`qr_code_id` integer,
	`user_id` integer NOT NULL,
	`org_id` integer DEFAULT 0 NOT NULL,
	`is_custom` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL
);

CREATE INDEX `qr_slugs_code` ON `qr_slugs` (`qr_code_id`,`created_at`);

CREATE INDEX `qr_slugs_custom` ON `qr_slugs` (`user_id`,`org_id`) WHERE "qr_slugs"."is_custom";

CREATE INDEX `qr_slugs_org_custom` ON `qr_slugs` (`org_id`) WHERE "qr_slugs"."is_custom";

ALTER TABLE `qr_codes` ADD `slug` text;

ALTER TABLE `qr_codes` ADD `opens` text;

ALTER TABLE `qr_codes` ADD `design_id` integer;

ALTER TABLE `qr_codes` ADD `blocked_at` integer;
