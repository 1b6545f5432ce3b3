-- EXPAND 0.1.0

CREATE TABLE `message_deletions` (
	`message_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	`conversation_id` integer NOT NULL,
	`number` integer NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`message_id`, `user_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE INDEX `message_deletions_user` ON `message_deletions` (`user_id`,`number`);

CREATE INDEX `message_deletions_number` ON `message_deletions` (`number`);
