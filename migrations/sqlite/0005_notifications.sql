CREATE TABLE `notification_contents` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`type` text NOT NULL,
	`title` text NOT NULL,
	`body` text NOT NULL,
	`body_plain` text,
	`body_html` text,
	`title_zh` text,
	`body_zh` text,
	`data` text NOT NULL,
	`created_at` integer NOT NULL
);

CREATE TABLE `notification_sends` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`content_id` integer NOT NULL,
	`sender_id` integer NOT NULL,
	`org_id` integer DEFAULT 0 NOT NULL,
	`status` text NOT NULL,
	`cursor` integer DEFAULT 0 NOT NULL,
	`last_user_id` integer NOT NULL,
	`sent` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`finished_at` integer,
	FOREIGN KEY (`content_id`) REFERENCES `notification_contents`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`sender_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE INDEX `notification_sends_status` ON `notification_sends` (`status`,`id`);

CREATE INDEX `notification_sends_content` ON `notification_sends` (`content_id`);

CREATE TABLE `notifications` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`content_id` integer NOT NULL,
	`type` text NOT NULL,
	`read` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`content_id`) REFERENCES `notification_contents`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE UNIQUE INDEX `notifications_content` ON `notifications` (`content_id`,`user_id`);

CREATE INDEX `notifications_list` ON `notifications` (`user_id`,"id" desc);

CREATE INDEX `notifications_read` ON `notifications` (`user_id`,`read`,"id" desc);

CREATE INDEX `notifications_type` ON `notifications` (`user_id`,`type`,"id" desc);
