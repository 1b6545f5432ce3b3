-- EXPAND 0.1.0

CREATE TABLE `due_issues` (
	`activity_id` integer PRIMARY KEY NOT NULL,
	`due_at` integer NOT NULL
);

CREATE INDEX `due_issues_due` ON `due_issues` (`due_at`);

ALTER TABLE `activities` ADD `auto_issue` integer DEFAULT false NOT NULL;

ALTER TABLE `pass_uses` ADD `takes_use` integer;

ALTER TABLE `pass_uses` ADD `undone_at` integer;

ALTER TABLE `pass_uses` ADD `undone_by_user_id` integer;

ALTER TABLE `pass_uses` ADD `undo_reason` text DEFAULT '' NOT NULL;

ALTER TABLE `registrations` ADD `auto_pass_id` integer;
