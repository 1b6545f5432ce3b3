-- EXPAND 0.1.0

ALTER TABLE `contact_profiles` ADD `presence` integer DEFAULT false NOT NULL;

ALTER TABLE `contact_profiles` ADD `seen_at` integer;
