-- EXPAND 0.1.0

ALTER TABLE `registrations` ADD `erased_at` integer;

CREATE INDEX `registrations_pending` ON `registrations` (`created_at`,`id`) WHERE "registrations"."status" = 'PENDING';

CREATE INDEX `registrations_cancelled_guests` ON `registrations` (`updated_at`,`id`) WHERE "registrations"."status" = 'CANCELLED' and "registrations"."user_id" is null and "registrations"."erased_at" is null;

CREATE INDEX `registrations_guests` ON `registrations` (`activity_id`,`id`) WHERE "registrations"."user_id" is null and "registrations"."erased_at" is null;

CREATE INDEX `registrations_address` ON `registrations` (`email`) WHERE "registrations"."user_id" is null and "registrations"."email" is not null;
