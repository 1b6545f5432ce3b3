CREATE TABLE `notification_send_recipients` (
	`send_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	PRIMARY KEY(`send_id`, `user_id`),
	FOREIGN KEY (`send_id`) REFERENCES `notification_sends`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE TABLE `org_transfers` (
	`org_id` integer PRIMARY KEY NOT NULL,
	`candidate_id` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`org_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`candidate_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

ALTER TABLE `notification_sends` ADD `listed` integer DEFAULT false NOT NULL;

ALTER TABLE `notifications` ADD `subject` text;

CREATE UNIQUE INDEX `notifications_subject` ON `notifications` (`user_id`,`subject`) WHERE subject is not null;
