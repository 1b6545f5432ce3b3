CREATE TABLE `account_links` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`owner_user_id` integer NOT NULL,
	`linked_user_id` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`owner_user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`linked_user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE UNIQUE INDEX `account_links_pair` ON `account_links` (`owner_user_id`,`linked_user_id`);

CREATE INDEX `account_links_linked` ON `account_links` (`linked_user_id`);

CREATE TABLE `nickname_words` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`locale` text NOT NULL,
	`kind` text NOT NULL,
	`word` text NOT NULL,
	`created_at` integer NOT NULL
);

CREATE UNIQUE INDEX `nickname_words_word` ON `nickname_words` (`locale`,`kind`,`word`);

CREATE TABLE `verification_codes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`purpose` text NOT NULL,
	`credential` text NOT NULL,
	`user_id` integer DEFAULT 0 NOT NULL,
	`hash` text NOT NULL,
	`tries` integer DEFAULT 0 NOT NULL,
	`expires_at` integer NOT NULL
);

CREATE UNIQUE INDEX `verification_codes_key` ON `verification_codes` (`credential`,`purpose`,`user_id`);

CREATE INDEX `verification_codes_user` ON `verification_codes` (`user_id`);

CREATE INDEX `verification_codes_expiry` ON `verification_codes` (`expires_at`);
