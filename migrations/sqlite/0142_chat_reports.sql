-- EXPAND 0.1.0

CREATE TABLE `message_reports` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`message_id` integer NOT NULL,
	`conversation_id` integer NOT NULL,
	`sender_id` integer NOT NULL,
	`reporter_id` integer NOT NULL,
	`reason` text NOT NULL,
	`type` text NOT NULL,
	`content` text NOT NULL,
	`sent_at` integer NOT NULL,
	`status` text DEFAULT 'OPEN' NOT NULL,
	`handled_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`sender_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`reporter_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE UNIQUE INDEX `message_reports_once` ON `message_reports` (`message_id`,`reporter_id`);

CREATE INDEX `message_reports_list` ON `message_reports` (`created_at`,`id`);

CREATE INDEX `message_reports_status` ON `message_reports` (`status`,`created_at`,`id`);

CREATE INDEX `message_reports_sender` ON `message_reports` (`sender_id`);

CREATE INDEX `message_reports_reporter` ON `message_reports` (`reporter_id`);

ALTER TABLE `messages` ADD `removal` text;
