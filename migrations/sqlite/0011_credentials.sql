CREATE TABLE `email_undos` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`email` text NOT NULL,
	`token_hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE UNIQUE INDEX `email_undos_token` ON `email_undos` (`token_hash`);

CREATE INDEX `email_undos_user` ON `email_undos` (`user_id`);

CREATE INDEX `email_undos_expiry` ON `email_undos` (`expires_at`);

ALTER TABLE `refresh_tokens` ADD `by_switch` integer DEFAULT false NOT NULL;

ALTER TABLE `sessions` ADD `switch_generation` integer DEFAULT 0 NOT NULL;

ALTER TABLE `sessions` ADD `switch_rotated_at` integer DEFAULT 0 NOT NULL;

ALTER TABLE `sessions` ADD `opened_by_user_id` integer;

ALTER TABLE `sessions` ADD `confirmed_at` integer DEFAULT 0 NOT NULL;

CREATE INDEX `sessions_opened_by` ON `sessions` (`opened_by_user_id`);

ALTER TABLE `users` ADD `password_is_strong` integer DEFAULT false NOT NULL;
