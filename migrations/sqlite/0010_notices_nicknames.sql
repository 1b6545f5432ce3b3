CREATE INDEX `outbox_codes` ON `outbox` (`channel`,`due_at`) WHERE topic is not null;

UPDATE `users` SET `nickname` = 'User' || `id` WHERE `nickname` = '';
