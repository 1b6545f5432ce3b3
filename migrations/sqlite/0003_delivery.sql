CREATE TABLE `outbox` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`channel` text NOT NULL,
	`topic` text,
	`payload` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`due_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`created_at` integer NOT NULL
);

CREATE INDEX `outbox_due` ON `outbox` (`channel`,`due_at`);

CREATE INDEX `outbox_topic` ON `outbox` (`topic`);
