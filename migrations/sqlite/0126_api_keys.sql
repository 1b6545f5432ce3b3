-- EXPAND 0.1.0

CREATE TABLE `api_keys` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`name` text NOT NULL,
	`prefix` text NOT NULL,
	`key_hash` text NOT NULL,
	`domain` text NOT NULL,
	`org_id` integer NOT NULL,
	`points` text NOT NULL,
	`networks` text NOT NULL,
	`mcp` text NOT NULL,
	`expires_at` integer NOT NULL,
	`told_at` integer,
	`last_used_at` integer,
	`last_address` text,
	`created_at` integer NOT NULL,
	`revoked_at` integer
);

CREATE UNIQUE INDEX `api_keys_hash` ON `api_keys` (`key_hash`);

CREATE INDEX `api_keys_user` ON `api_keys` (`user_id`,`id`);

CREATE INDEX `api_keys_org` ON `api_keys` (`org_id`,`id`);

CREATE INDEX `api_keys_expiry` ON `api_keys` (`expires_at`);

CREATE INDEX `api_keys_untold` ON `api_keys` (`expires_at`) WHERE "api_keys"."told_at" is null and "api_keys"."revoked_at" is null;

CREATE INDEX `api_keys_revoked` ON `api_keys` (`revoked_at`) WHERE "api_keys"."revoked_at" is not null;

ALTER TABLE `admin_logs` ADD `api_key_id` integer;

ALTER TABLE `admin_logs` ADD `api_key_name` text;
