CREATE TABLE `agreement_acceptances` (
	`user_id` integer NOT NULL,
	`agreement_id` integer NOT NULL,
	`accepted_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `agreement_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`agreement_id`) REFERENCES `agreements`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE TABLE `agreements` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`type` text NOT NULL,
	`version` integer NOT NULL,
	`title` text NOT NULL,
	`content` text NOT NULL,
	`content_html` text NOT NULL,
	`active` integer NOT NULL,
	`published_by` integer NOT NULL,
	`created_at` integer NOT NULL,
	`activated_at` integer NOT NULL,
	FOREIGN KEY (`published_by`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE UNIQUE INDEX `agreements_version` ON `agreements` (`type`,`version`);

CREATE UNIQUE INDEX `agreements_active` ON `agreements` (`type`) WHERE active;

CREATE TRIGGER agreements_no_update
BEFORE UPDATE OF id, type, version, title, content, content_html, published_by, created_at ON agreements
BEGIN SELECT RAISE(ABORT, 'published agreements cannot be changed'); END;

CREATE TRIGGER agreements_no_delete BEFORE DELETE ON agreements
BEGIN SELECT RAISE(ABORT, 'published agreements cannot be deleted'); END;
