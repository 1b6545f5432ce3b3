-- EXPAND 0.1.0

CREATE TABLE `mail_choices` (
	`address` text NOT NULL,
	`owner` integer NOT NULL,
	`choice` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`address`, `owner`)
);

CREATE INDEX `mail_choices_owner` ON `mail_choices` (`owner`);

CREATE TABLE `mail_refusals` (
	`address` text PRIMARY KEY NOT NULL,
	`refusals` integer NOT NULL,
	`last_at` integer NOT NULL
);

CREATE INDEX `mail_refusals_last` ON `mail_refusals` (`last_at`);

CREATE TABLE `notification_preferences` (
	`user_id` integer PRIMARY KEY NOT NULL,
	`email_activities` text DEFAULT 'ALL' NOT NULL,
	`time_zone` text,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

ALTER TABLE `sessions` ADD `locale` text;
