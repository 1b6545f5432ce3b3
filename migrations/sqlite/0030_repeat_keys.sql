CREATE TABLE `repeat_keys` (
	`user_id` integer NOT NULL,
	`key` text NOT NULL,
	`fingerprint` text NOT NULL,
	`content` text NOT NULL,
	`position` integer NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `key`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE INDEX `repeat_keys_position` ON `repeat_keys` (`user_id`,`position`);

CREATE INDEX `repeat_keys_created` ON `repeat_keys` (`created_at`);
