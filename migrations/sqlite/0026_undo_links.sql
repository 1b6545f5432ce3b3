ALTER TABLE `email_undos` ADD `bound_at` integer DEFAULT 0 NOT NULL;

ALTER TABLE `email_undos` ADD `bound_on` text DEFAULT '' NOT NULL;

ALTER TABLE `identities` ADD `bound_on` text DEFAULT '' NOT NULL;
