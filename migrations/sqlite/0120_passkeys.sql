-- EXPAND 0.1.0

CREATE TABLE `passkeys` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`name` text NOT NULL,
	`credential_id` text NOT NULL,
	`user_handle` text NOT NULL,
	`public_key` text NOT NULL,
	`counter` integer DEFAULT 0 NOT NULL,
	`transports` text NOT NULL,
	`backed_up` integer DEFAULT false NOT NULL,
	`user_verified` integer DEFAULT false NOT NULL,
	`suspect` integer DEFAULT false NOT NULL,
	`created_on` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE UNIQUE INDEX `passkeys_credential` ON `passkeys` (`credential_id`);

CREATE INDEX `passkeys_user` ON `passkeys` (`user_id`);

CREATE TABLE `required_passkeys` (
	`user_id` integer PRIMARY KEY NOT NULL,
	`since` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE TABLE `trusted_devices` (
	`user_id` integer NOT NULL,
	`device_key` text NOT NULL,
	`trusted_until` integer NOT NULL,
	PRIMARY KEY(`user_id`, `device_key`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE INDEX `trusted_devices_expiry` ON `trusted_devices` (`trusted_until`);

CREATE TABLE `used_challenges` (
	`challenge` text PRIMARY KEY NOT NULL,
	`expires_at` integer NOT NULL
);

CREATE INDEX `used_challenges_expiry` ON `used_challenges` (`expires_at`);

ALTER TABLE `organizations` ADD `require_second_factor` integer DEFAULT false NOT NULL;
