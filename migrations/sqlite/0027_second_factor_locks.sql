ALTER TABLE `password_tries` ADD `locks` integer DEFAULT 0 NOT NULL;
